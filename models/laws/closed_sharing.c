/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A closed loop at a server that all its requests share. */
#include "models/laws/mechanisms.h"
#include "models/laws/saturated.h"

/* All begin together, end together, and begin again. */
static bool exact(const struct law_question *q, struct multiset *out, char why[LAW_WHY_SIZE])
{
    struct saturated s;
    if (!saturated_of(q, &queue_processor_sharing, &s, why))
        return false;
    u128 round_ns = ((u128)s.service_ns * s.clients + s.workers - 1) / s.workers;
    uint64_t full = saturated_most(q) / s.clients, rest = saturated_most(q) % s.clients;
    if (!saturated_fits(round_ns, why))
        return false;
    uint64_t rounds = saturated_instants(saturated_end(q), (ns_t)round_ns, full);
    uint64_t early = saturated_instants(q->warmup_ns, (ns_t)round_ns, UINT64_MAX);
    if (!saturated_fits(round_ns * ((u128)rounds + 1), why))
        return false;
    multiset_init(out, 1);
    if (rounds > early)
        multiset_add(out, (struct progression){(i128)round_ns, 0, rounds - early, s.clients});
    bool begins = rounds == full && round_ns * full < saturated_end(q) && early <= rounds;
    u128 last_ns = ((u128)s.service_ns * rest + s.workers - 1) / s.workers;
    if (last_ns < s.service_ns)
        last_ns = s.service_ns;
    if (begins && rest > 0)
        multiset_add(out, (struct progression){(i128)last_ns, 0, 1, rest});
    multiset_seal(out);
    return true;
}

const struct law_type law_closed_sharing = {
    .is = {.name = "closed-sharing",
           .says = "a closed loop at a server that all share, constant service: N S / c for all"},
    .formula = "V = N S / c in whole ns, rounded up; a last round of r requests: max(S, r S / c)",
    .symbols = "N clients, c < N workers, S service (ns)",
    .domain =
        "queue processor-sharing; closed load of more clients than workers, no think time, no "
        "stagger, from the send; constant service, one server, no stalls, no timeout",
    .source = "all begin together, have equal shares and end together",
    .check = "N = 3, c = 1, S = 1 ms: every request takes 3 ms, as Little's law says",
    .knows = KNOWS(SHARING),
    .exact = exact,
};
