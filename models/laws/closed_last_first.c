/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A closed loop, last come, first served: one client alone is ever served. */
#include "models/laws/mechanisms.h"
#include "models/laws/saturated.h"

/* The one client that is served sends at 0, S, 2 S, ...; when it has sent its last, the others
   follow, the latest first. */
static bool exact(const struct law_question *q, struct multiset *out, char why[LAW_WHY_SIZE])
{
    struct saturated s;
    if (!saturated_of(q, &queue_lifo, &s, why))
        return false;
    if (s.workers != 1)
        return law_refuses(why, "Last come, first served has a law only with one worker.");
    uint64_t others = s.clients - 1;
    if (others > saturated_most(q) - 1)
        others = saturated_most(q) - 1;
    uint64_t served =
        saturated_instants(saturated_end(q), s.service_ns, saturated_most(q) - others);
    uint64_t early = saturated_instants(q->warmup_ns, s.service_ns, served);
    if (!saturated_fits(((u128)served + others) * s.service_ns, why))
        return false;
    i128 service = (i128)s.service_ns;
    multiset_init(out, 1);
    multiset_add(out, (struct progression){service, 0, served - early, 1});
    if (q->warmup_ns == 0)
        multiset_add(out, (struct progression){((i128)served + 1) * service, service, others, 1});
    multiset_seal(out);
    return true;
}

const struct law_type law_closed_last_first = {
    .is = {.name = "closed-last-first",
           .says = "a closed loop, last come, first served, constant service: one client only"},
    .formula = "V = S for the n1 requests of the one client that is served, then (n1 + 1) S .. "
               "(n1 + N - 1) S for those of the others",
    .symbols = "N clients, S service (ns), n1 = ceil(duration / S), or requests - N + 1",
    .domain =
        "queue lifo; closed load, no think time, no stagger, from the send; constant service, "
        "one worker, no stalls, no timeout",
    .source = "whoever has just been answered sends again and is the last to have come",
    .check = "N = 3, S = 1 ms, 10 requests: eight of 1 ms, then 9 and 10 ms",
    .knows = KNOWS(ORDER),
    .exact = exact,
};
