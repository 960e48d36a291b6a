/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "models/distributions/distribution.h"
#include "models/loads/load.h"
#include "models/stalls/stall.h"
#include "models/stores/store.h"
#include "sim/gates.h"

/* Thresholds.  Each gate states its own in its reason. */
#define GENERATOR_MOST 0.5    /* of its threads' time */
#define OVERHEAD_MOST 0.5     /* of the mean response */
#define DURATION_LEAST_S 20.0 /* of a random run that is bounded by its duration */
#define BOUNDARY_JUMP 2       /* neighbouring samples so many times apart */
#define NEIGHBOUR_TIMES 2.0   /* more often slow while a neighbour is active */

static double per_second(uint64_t ns)
{
    return (double)ns / (double)NS_PER_S;
}

/* Sending needs cost x rate of the threads' time.  From half of it on the generator is no longer
   much faster than what it measures; near all of it, it is what is measured. */
static void generator_gate(struct work *work, size_t load)
{
    const struct generator *g = &work->plan->loads[load].generator;
    const struct load_result *l = &work->result->loads[load];
    const struct pass_load *first = &work->first.loads[load];
    if (g->cost_ns == 0)
        return;
    double busy_ns = 0.0, run_ns = 0.0, threads = (double)g->threads;
    for (size_t k = 0; k < first->replications; k++) {
        busy_ns += (double)first->totals[k].running_ns[STAGE_GENERATOR];
        run_ns += (double)first->totals[k].end_ns;
    }
    double busy = run_ns > 0.0 ? busy_ns / (run_ns * threads) : 0.0;
    double rate = isnan(l->offered_per_s) ? 0.0 : l->offered_per_s;
    double asked = rate * per_second(g->cost_ns) / threads;
    double most = fmax(busy, asked);
    gate_add(work, "generator", load, NO_INDEX, most < GENERATOR_MOST,
             must_format("sending asks for %.4g %% of the time of %llu sender thread%s and had "
                         "%.4g %% of it; from 50 %% on requests leave late because of the client%s",
                         100.0 * (rate > 0.0 ? asked : busy), (unsigned long long)g->threads,
                         g->threads == 1 ? "" : "s", 100.0 * busy,
                         most >= 0.99 ? ": it is the bottleneck, and what is measured" : ""));
}

/* The client's own time for each answer is in every figure; beyond half of the mean it is most of
   it. */
static void overhead_gate(struct work *work, size_t load)
{
    ns_t overhead_ns = work->plan->loads[load].overhead_ns;
    const struct load_watch *watch = work_load_watch(work, load);
    double count = 0.0, sum_ns = 0.0;
    if (overhead_ns == 0)
        return;
    for (size_t k = 0; k < work->replications[load]; k++)
        for (size_t q = 0; q < WATCH_QUARTERS; q++) {
            count += (double)watch[k].quarter_count[q];
            sum_ns += (double)watch[k].quarter_sum_ns[q];
        }
    if (count <= 0.0)
        return;
    char text[32];
    duration_format(overhead_ns, text);
    double share = (double)overhead_ns * count / sum_ns;
    gate_add(work, "overhead", load, NO_INDEX, share <= OVERHEAD_MOST,
             must_format("the client itself adds %s to every answer, %.3g %% of the mean response; "
                         "above 50 %% the figures are mostly the client's",
                         text, 100.0 * share));
}

/* What is rare needs time to occur.  Replications from a stationary start make one long run. */
static void duration_gate(struct work *work, size_t load)
{
    const struct run_plan *run = &work->plan->run;
    if (run->duration_ns == 0 || !work->result->loads[load].random)
        return;
    bool stationary = work->starts[load].state != STATE_NONE;
    bool cut = run->cut_ns != 0 && run->cut_ns < run->duration_ns;
    double one_s = per_second(cut ? run->cut_ns : run->duration_ns) - per_second(run->warmup_ns);
    double whole_s = one_s * (stationary ? (double)work->replications[load] : 1.0);
    gate_add(work, "duration", load, NO_INDEX, whole_s >= DURATION_LEAST_S,
             must_format("%.4g s measured%s; a random run wants at least 20 s, or what is rare has "
                         "no chance to occur",
                         whole_s, stationary ? ", over all replications" : " in one run"));
}

void gates_of_load(struct work *work, size_t load)
{
    generator_gate(work, load);
    overhead_gate(work, load);
    duration_gate(work, load);
}

/* Failures that are left out are a share of the requests; percentiles within that share of the top
   say how the others fared. */
static void failures_gate(struct work *work, size_t recorder)
{
    const struct recorder_result *found = &work->result->recorders[recorder];
    const struct report_plan *report = &work->plan->report;
    uint64_t requests = work->first.recorders[recorder].found.tally.requests;
    if (found->excluded == 0)
        return;
    u128 all = (u128)found->excluded + requests;
    const struct percentile *lowest = NULL;
    for (size_t i = 0; i < report->percentile_count; i++) {
        const struct percentile *p = &report->percentiles[i];
        bool hides = (u128)found->excluded * p->p.den > all * (p->p.den - p->p.num);
        if (hides &&
            (lowest == NULL || (u128)p->p.num * lowest->p.den < (u128)lowest->p.num * p->p.den))
            lowest = p;
    }
    double share = (double)found->excluded / (double)all;
    size_t load = work->plan->recorders[recorder].load;
    if (lowest == NULL) {
        gate_add(work, "failures", load, recorder, true,
                 must_format("%.4g %% were not answered and are left out, fewer than lie beyond "
                             "any percentile reported",
                             100.0 * share));
        return;
    }
    gate_add(
        work, "failures", load, recorder, false,
        must_format("%.4g %% were not answered and are left out, more than lie beyond p%s: from "
                    "there on up the percentiles describe the survivors only",
                    100.0 * share, lowest->text));
}

/* The last is the one after the rank above n p. */
struct gate_ranks gate_ranks_around(uint64_t n, struct ratio p)
{
    u128 wanted = (u128)n * p.num; /* n p, times p.den */
    uint64_t from = (uint64_t)((wanted + p.den - 1) / p.den);
    return (struct gate_ranks){from > 2 ? from - 1 : 1, (uint64_t)(wanted / p.den) + 2};
}

/* Whether the ordered samples jump within one sample of n p: just below, at, or just above it, so
   that another rank rule or one sample more answers something else.  *low, *high: the two sides. */
static bool jumps_at(struct work *work, size_t recorder, struct ratio p, ns_t *low_ns,
                     ns_t *high_ns)
{
    const struct store_type *store = store_kind(work->plan->recorders[recorder].store);
    struct recorder *found = &work->first.recorders[recorder].found;
    uint64_t finite = found->tally.requests + found->tally.added;
    struct gate_ranks around = gate_ranks_around(finite + found->tally.infinite, p);
    for (uint64_t rank = around.from; rank < around.to && rank < finite; rank++) {
        struct stored below = store->select(found->store, rank);
        struct stored above = store->select(found->store, rank + 1);
        *low_ns = below.high_ns;
        *high_ns = above.low_ns;
        if (!below.beyond && above.low_ns > BOUNDARY_JUMP * below.high_ns)
            return true;
    }
    return false;
}

/* |share - (1 - p)| n <= 1, in integers. */
static bool within_a_sample(struct ratio share, struct ratio p, uint64_t n)
{
    u128 a = (u128)share.num * p.den, b = (u128)(p.den - p.num) * share.den;
    u128 apart = a > b ? a - b : b - a, whole = (u128)share.den * p.den;
    return n == 0 || apart <= whole / n;
}

/* The share of services, or of ways through the network, that the scenario makes slow. */
static const char *stated_share(const struct plan *plan, struct ratio *share)
{
    const struct server *server = &plan->server;
    if (server->service.type == &distribution_two_point.is) {
        *share = ((const struct two_point *)server->service.params)->probability;
        return "service times";
    }
    *share = server->network.probability;
    return server->network.delay.type != NULL && share->num < share->den ? "ways to the server"
                                                                         : NULL;
}

/* A disturbance exactly as wide as what lies beyond a percentile: whether it shows is decided by
   the rank rule, or by chance. */
static void boundary_gate(struct work *work, size_t recorder)
{
    const struct report_plan *report = &work->plan->report;
    uint64_t n = work->first.recorders[recorder].found.tally.requests;
    size_t load = work->plan->recorders[recorder].load;
    struct ratio share;
    const char *slow = stated_share(work->plan, &share);
    for (size_t i = 0; i < report->percentile_count; i++) {
        const struct percentile *p = &report->percentiles[i];
        ns_t low_ns, high_ns;
        if (p->p.num == p->p.den || (double)n * (1.0 - ratio_double(p->p)) < GATE_SAMPLES_LEAST)
            continue;
        if (slow != NULL && share.num > 0 && within_a_sample(share, p->p, n)) {
            gate_add(work, "boundary", load, recorder, false,
                     must_format("%.4g %% of the %s are slow, within one sample of what lies "
                                 "beyond p%s: chance and the rank rule decide whether it shows "
                                 "them",
                                 100.0 * ratio_double(share), slow, p->text));
            return;
        }
        if (jumps_at(work, recorder, p->p, &low_ns, &high_ns)) {
            char low[32], high[32];
            duration_format(low_ns, low);
            duration_format(high_ns, high);
            gate_add(work, "boundary", load, recorder, false,
                     must_format("within one sample of p%s the ordered samples jump from %s to %s: "
                                 "another rank rule, or one slow sample more or less, answers the "
                                 "other; a jump to more than twice is too much",
                                 p->text, low, high));
            return;
        }
    }
}

/* One-off disturbances that the run begins in are a start that is not over: to be left out. */
static void warmup_gate(struct work *work, size_t recorder)
{
    const struct recorder_plan *plan = &work->plan->recorders[recorder];
    ns_t end_ns = 0;
    for (size_t i = 0; i < work->plan->server.stall_count; i++) {
        const struct stall *stall = &work->plan->server.stalls[i];
        if (stall->mode->slows && stall->up.type == NULL && stall->first_ns == 0 &&
            stall->every_ns == 0 && stall->last_ns > end_ns)
            end_ns = stall->last_ns;
    }
    if (end_ns == 0)
        return;
    char start[32], warmup[32];
    duration_format(end_ns, start);
    duration_format(plan->warmup_ns, warmup);
    gate_add(work, "warmup", plan->load, recorder, plan->warmup_ns >= end_ns,
             must_format("the run begins slow and is so for %s; %s of it are left out as warm-up, "
                         "and at least all of it should be",
                         start, warmup));
}

/* Whether a slowing stall with a known plan is on at any instant of [begin, end). */
static bool slowed_within(const struct plan *plan, ns_t begin_ns, ns_t end_ns)
{
    for (size_t i = 0; i < plan->server.stall_count; i++) {
        const struct stall *s = &plan->server.stalls[i];
        if (!s->mode->slows || s->up.type != NULL || s->first_ns >= end_ns)
            continue;
        /* The latest one that begins before the end lasts longest into it. */
        ns_t since_ns = end_ns - 1 - s->first_ns;
        ns_t last_ns = s->first_ns + (s->every_ns ? since_ns / s->every_ns * s->every_ns : 0);
        if (last_ns + s->last_ns > begin_ns)
            return true;
    }
    return false;
}

/* Requests in windows in which a neighbour was active, and in the others; and the slow ones. */
struct beside {
    double busy, busy_above, quiet, quiet_above;
};

static struct beside look_beside(const struct work *work, size_t recorder)
{
    const struct recorder_watch *watch = work_recorder_watch(work, recorder);
    struct beside b = {0.0, 0.0, 0.0, 0.0};
    for (size_t w = 0; w < watch->window_count; w++) {
        const struct watch_window *window = &watch->windows[w];
        ns_t begin_ns = w * watch->width_ns;
        if (window->count == 0)
            continue;
        bool on = slowed_within(work->plan, begin_ns, begin_ns + watch->width_ns);
        *(on ? &b.busy : &b.quiet) += (double)window->count;
        *(on ? &b.busy_above : &b.quiet_above) += (double)window->above;
    }
    return b;
}

static bool coincides(struct beside b)
{
    return b.busy > 0.0 && b.quiet > 0.0 && b.busy_above >= GATE_REQUESTS_LEAST &&
           b.busy_above * b.quiet > NEIGHBOUR_TIMES * b.quiet_above * b.busy;
}

bool gate_neighbour_coincides(const struct work *work, size_t recorder)
{
    return coincides(look_beside(work, recorder));
}

/* Something next door is not yet a disturbance: it is when the slow requests come while it is on.
 */
static void neighbour_gate(struct work *work, size_t recorder)
{
    if (!work->recorders[recorder].has_tail)
        return;
    struct beside b = look_beside(work, recorder);
    if (b.busy <= 0.0)
        return;
    bool alarms = coincides(b);
    double share = 100.0 * b.busy / (b.busy + b.quiet);
    gate_add(work, "neighbour", work->plan->recorders[recorder].load, recorder, !alarms,
             must_format("flag: a neighbour was active in windows with %.3g %% of the requests%s; "
                         "slower than the run's p99 were %.3g %% there and %.3g %% elsewhere, and "
                         "more than twice as many %s",
                         share, gate_where(work, recorder), 100.0 * b.busy_above / b.busy,
                         b.quiet > 0.0 ? 100.0 * b.quiet_above / b.quiet : 0.0,
                         alarms ? "are no coincidence: quarantine" : "would be interference"));
}

void gates_of_recorder(struct work *work, size_t recorder)
{
    failures_gate(work, recorder);
    boundary_gate(work, recorder);
    warmup_gate(work, recorder);
    neighbour_gate(work, recorder);
}
