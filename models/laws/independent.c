/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Listed service times, one worker for each request: nobody waits, and the latencies are the list.
 */

#include "models/laws/domain.h"
#include "models/laws/mechanisms.h"

/* How many of a schedule's slots are due before end_ns. */
static uint64_t even_before(struct pace pace, ns_t end_ns)
{
    /* floor(i num/den) < end exactly when i < end den/num */
    return (uint64_t)(((u128)end_ns * pace.den + pace.num - 1) / pace.num);
}

/* Of any other schedule, counted; no more than MOST are looked at. */
enum { MOST = 10000000, AT_A_TIME = 256 };

static uint64_t counted_before(const struct open_load *open, ns_t end_ns, uint64_t most)
{
    struct arrival_cursor cursor = {.pace = pace_of(open->rate_per_s, open->every_ns)};
    ns_t due_ns[AT_A_TIME];
    uint64_t count = 0;
    for (;;) {
        size_t got =
            arrivals(open->arrivals)->due(open->arrivals.params, &cursor, due_ns, AT_A_TIME);
        for (size_t i = 0; i < got; i++, count++)
            if (due_ns[i] >= end_ns || count >= most)
                return count;
        if (got < AT_A_TIME)
            return count;
    }
}

static uint64_t due_before(const struct open_load *open, ns_t end_ns, uint64_t most)
{
    return open->arrivals.type == &arrivals_even.is
               ? even_before(pace_of(open->rate_per_s, open->every_ns), end_ns)
               : counted_before(open, end_ns, most);
}

/* Requests first .. end-1 of the run are recorded. */
static bool recorded(const struct law_question *q, uint64_t *first, uint64_t *end,
                     char why[LAW_WHY_SIZE])
{
    const struct open_load *open = q->load->kind.params;
    uint64_t most = q->run->requests != 0 && q->run->requests <= MOST ? q->run->requests : MOST + 1;
    ns_t end_ns = q->run->duration_ns != 0 ? q->run->duration_ns : NS_LIMIT;
    *end = due_before(open, end_ns, most);
    if (q->run->requests != 0 && q->run->requests < *end)
        *end = q->run->requests;
    if (open->arrivals.type != &arrivals_even.is && *end > MOST)
        return law_refuses(why, "The exact law would have to count more than 10 million requests.");
    *first = due_before(open, q->warmup_ns, *end);
    if (*first > *end)
        *first = *end;
    return true;
}

/* Of first .. end-1, how many are k modulo n. */
static uint64_t turns(uint64_t first, uint64_t end, uint64_t k, uint64_t n)
{
    uint64_t before_end = end > k ? (end - 1 - k) / n + 1 : 0;
    uint64_t before_first = first > k ? (first - 1 - k) / n + 1 : 0;
    return before_end - before_first;
}

static bool in_domain(const struct law_question *q, char why[LAW_WHY_SIZE])
{
    if (q->server->service.type != &distribution_samples.is)
        return law_refuses(why, LAW_ELSEWHERE "a list of service times.");
    if (load_kind(q->load->kind) != &load_open || !domain_sent_when_due(q->load))
        return law_refuses(why, LAW_ELSEWHERE "an open load without a window.");
    const struct open_load *open = q->load->kind.params;
    if (arrivals_random(open->arrivals))
        return law_refuses(why, "How many requests a random load sends is not known beforehand.");
    if (q->server->workers != UNLIMITED || domain_stalls(q->server))
        return law_refuses(
            why, "Listed service times have a law only where nobody waits: with unlimited "
                 "workers and no stall.");
    if (!domain_sends_once(q, why))
        return false;
    if (q->run->cut_ns != 0)
        return law_refuses(why, "The run is cut: what is still in flight then has no latency.");
    return true;
}

static bool exact(const struct law_question *q, struct multiset *out, char why[LAW_WHY_SIZE])
{
    if (!in_domain(q, why))
        return false;
    const struct samples *samples = q->server->service.params;
    bool waits = q->to != INSTANT_FINISHED; /* for the send or the start: nobody does */
    uint64_t first = 0, end = 0, n = samples->values.count;
    if (!recorded(q, &first, &end, why))
        return false;
    for (uint64_t k = 0; k < n; k++)
        if (q->load->timeout_ns != 0 && samples->values.ns[k] > q->load->timeout_ns)
            return law_refuses(why, "Some of the listed services outlast the timeout.");
    multiset_init(out, 1);
    for (uint64_t k = 0; k < n; k++) {
        uint64_t times = turns(first, end, k, n);
        ns_t value_ns = waits ? 0 : samples->values.ns[k];
        if (times > 0)
            multiset_add(out, (struct progression){(i128)value_ns, 0, 1, times});
    }
    multiset_seal(out);
    return true;
}

const struct law_type law_independent = {
    .is = {"independent", "listed service times, nobody waits: the list itself", NULL, 0, 0, NULL},
    .formula = "value s_k as often as i = k mod n among the recorded requests i",
    .symbols = "s_k the k-th of n listed service times, ns; i the request's number from 0",
    .domain =
        "unlimited workers, no stall, open load without a window, any arrivals that are not random",
    .source = "counting",
    .check =
        "1000 requests over a list of 990 times 1 ms and 10 times 100 ms: p99 by nearest rank is "
        "1 ms, by floor-plus-one 100 ms",
    .knows = KNOWS(TIMEOUT_CANCEL),
    .exact = exact,
};
