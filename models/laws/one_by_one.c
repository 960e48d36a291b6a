/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Constant service on any schedule that is no chance, request by request: with stalls that suspend,
   hold back, refuse or slow down. */
#include <stdlib.h>

#include "models/laws/domain.h"
#include "models/laws/mechanisms.h"
#include "models/laws/speed.h"
#include "models/laws/timeline.h"
#include "models/stalls/stall.h"

enum { AT_A_TIME = 256 };

struct walk {
    struct timeline time;
    struct speed speed;
    const struct law_question *asked;
    ns_t *freed_ns; /* owned: when the last `workers` requests let theirs go; NULL: unlimited */
    uint64_t workers, accepted, refused;
    ns_t longest_ns; /* from send */
    struct multiset *out;
};

/* When work of constant length is done that starts at start_ns, in whole ns rounded up. */
static ns_t done_at(struct walk *w, ns_t start_ns)
{
    if (!w->speed.slows)
        return timeline_done(&w->time, start_ns);
    u128 left = (u128)w->time.service_ns * w->speed.full;
    ns_t at_ns = start_ns;
    while (left > 0 && w->time.fault == NULL) {
        ns_t until_ns;
        uint64_t units = speed_at(&w->speed, at_ns, &until_ns);
        timeline_spend(&w->time, 1);
        if (units == 0 && until_ns == NEVER)
            return NS_LIMIT;
        u128 wants_ns = units == 0 ? (u128)NEVER : (left + units - 1) / units;
        if (wants_ns <= until_ns - at_ns)
            return at_ns + (ns_t)wants_ns;
        left -= (u128)units * (until_ns - at_ns);
        at_ns = until_ns;
    }
    return at_ns;
}

static bool is_refused(const struct server *server, ns_t at_ns)
{
    for (size_t i = 0; i < server->stall_count; i++) {
        const struct stall *stall = &server->stalls[i];
        if (!domain_strikes_server(stall) || !stall->mode->refuses || at_ns < stall->first_ns)
            continue;
        ns_t since_ns = at_ns - stall->first_ns;
        if (stall->every_ns != 0)
            since_ns %= stall->every_ns;
        if (since_ns < stall->last_ns)
            return true;
    }
    return false;
}

static void take(struct walk *w, ns_t due_ns)
{
    bool leaves = w->asked->to == INSTANT_ACQUIRED || w->asked->to == INSTANT_SENT;
    if (is_refused(w->time.server, due_ns)) {
        w->refused++;
        if (leaves && due_ns >= w->asked->warmup_ns) /* it has left, if in vain */
            multiset_add(w->out, (struct progression){0, 0, 1, 1});
        return;
    }
    ns_t ready_ns = due_ns;
    ns_t *freed_ns = w->freed_ns != NULL ? &w->freed_ns[w->accepted % w->workers] : NULL;
    if (freed_ns != NULL && w->accepted >= w->workers && *freed_ns > ready_ns)
        ready_ns = *freed_ns;
    struct answer a = {.sent_ns = due_ns};
    bool held;
    a.started_ns = timeline_free(&w->time, ready_ns).from_ns;
    a.finished_ns = timeline_leave(&w->time, done_at(w, a.started_ns), &held);
    if (freed_ns != NULL)
        *freed_ns = a.finished_ns;
    w->accepted++;
    if (a.finished_ns - due_ns > w->longest_ns)
        w->longest_ns = a.finished_ns - due_ns;
    if (a.finished_ns >= NS_LIMIT && w->time.fault == NULL)
        w->time.fault = "The last answers come after the end of the clock.";
    ns_t value_ns = answer_instant(a, w->asked->to) - answer_instant(a, w->asked->from);
    if (due_ns >= w->asked->warmup_ns)
        multiset_add(w->out, (struct progression){(i128)value_ns, 0, 1, 1});
}

static void walk_all(struct walk *w)
{
    const struct open_load *open = w->asked->load->kind.params;
    const struct run_plan *run = w->asked->run;
    struct arrival_cursor cursor = {.pace = pace_of(open->rate_per_s, open->every_ns)};
    ns_t end_ns = run->duration_ns != 0 ? run->duration_ns : NS_LIMIT, due_ns[AT_A_TIME];
    uint64_t left = run->requests != 0 ? run->requests : UINT64_MAX;
    for (;;) {
        size_t count =
            arrivals(open->arrivals)->due(open->arrivals.params, &cursor, due_ns, AT_A_TIME);
        for (size_t i = 0; i < count; i++, left--) {
            timeline_spend(&w->time, 1);
            if (due_ns[i] >= end_ns || left == 0 || w->time.fault != NULL)
                return;
            take(w, due_ns[i]);
        }
        if (count < AT_A_TIME)
            return;
    }
}

static bool in_domain(const struct law_question *q, char why[LAW_WHY_SIZE])
{
    const struct open_load *open = q->load->kind.params;
    if (q->load->kind.type != &load_open.is || !domain_sent_when_due(q->load))
        return law_refuses(why, LAW_ELSEWHERE "an open load without a window.");
    if (arrivals_random(open->arrivals))
        return law_refuses(why, LAW_ELSEWHERE "arrivals that are no chance.");
    for (size_t i = 0; i < q->server->stall_count; i++)
        if (domain_strikes_server(&q->server->stalls[i]) && q->server->replicas > 1)
            return law_refuses(why, "The load is shared by replicas, and with stalls the law is "
                                    "that of a single server.");
    return true;
}

static bool answers(struct walk *w, const struct law_question *q, char why[LAW_WHY_SIZE])
{
    if (!speed_of(q->server, &w->speed, why))
        return false;
    walk_all(w);
    if (w->time.fault != NULL)
        return law_refuses(why, w->time.fault);
    if (q->load->timeout_ns > 0 && w->longest_ns > q->load->timeout_ns)
        return law_refuses(why, "Some answers come after the client's timeout.");
    if (w->refused > 0 && q->failures != FAILURES_DROPPED)
        return law_refuses(why, "What a stall refuses is recorded too, and the law is that of what "
                                "is answered.");
    return true;
}

static bool exact(const struct law_question *q, struct multiset *out, char why[LAW_WHY_SIZE])
{
    struct walk w = {.asked = q, .workers = q->server->workers};
    if (!in_domain(q, why) || !timeline_open(&w.time, q, why))
        return false;
    struct multiset values;
    multiset_init(&values, 1);
    w.out = &values;
    uint64_t ring = w.workers < 10000000 ? w.workers : 0;
    bool known = false;
    if (ring == 0 && w.workers != UNLIMITED) {
        law_refuses(why, "There are more than 10 million workers.");
    } else {
        w.freed_ns = ring > 0 ? must_alloc(ring, sizeof *w.freed_ns) : NULL;
        known = answers(&w, q, why);
        free(w.freed_ns);
    }
    timeline_close(&w.time);
    multiset_seal(&values);
    if (known)
        *out = values;
    else
        multiset_free(&values);
    return known;
}

const struct law_type law_one_by_one = {
    .is = {"one-by-one",
           "constant service on any schedule that is no chance, with disturbances: exact", NULL, 0,
           0, NULL},
    .formula = "start(i) = first free instant >= max(due(i), done(i - c)), done(i) = the first "
               "whole ns by which the speed from start(i) on adds up to S; what is due inside a "
               "reject is refused, and the others take no notice",
    .symbols = "due(i) as the arrivals say, i counts what is not refused, S service (ns), c "
               "workers; speed the product of (1 - lost) over the slowdowns that are on",
    .domain = "constant service; open load without a window, arrivals of any kind that is not "
              "random; suspend, gate, blackout, reject, slowdown and neighbour stalls of the "
              "server; no queue limit, no answer after a timeout, no cut; at most 10 million steps",
    .source = "(max,+) recursion of a first come, first served queue: Baccelli et al., "
              "Synchronization and Linearity (1992)",
    .check = "every 500 us, S = 100 us, reject from 1 s for 2 s: 4000 refused, 100 us for all "
             "others; a slowdown of factor 0.2 there instead: 500 us for 4000",
    .knows = KNOWS(REFUSES) | KNOWS(SLOWS) | KNOWS(TIMEOUT_CANCEL),
    .exact = exact,
};
