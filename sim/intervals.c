/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How certain each printed percentile is. */

#include <math.h>
#include <stdlib.h>

#include "models/laws/order.h"
#include "sim/check_interval.h"
#include "sim/work.h"

static double raw_inflation(const struct law *law, struct ratio p)
{
    double q = (double)(p.den - p.num) / (double)p.den;
    if (law->rule.interval != 0 || law->distribution.inflation == NULL)
        return NAN;
    return law->distribution.inflation(&law->distribution, 1.0 - q, q);
}

/* Samples of all replications together: those of the run, or of the run that would be made. */
static double samples_of(const struct work *work, size_t recorder)
{
    const struct tally *tally = &work->first.recorders[recorder].found.tally;
    size_t load = work->plan->recorders[recorder].load;
    if (!work->result->law_only)
        return (double)tally->requests + (double)tally->added;
    return run_load_requests(work->plan, load) * (double)work->replications[load];
}

void work_fill_wander(struct work *work, size_t recorder)
{
    const struct law *law = &work->recorders[recorder].law;
    for (size_t i = 0; i < work->plan->report.percentile_count; i++) {
        struct ratio p = work->plan->report.percentiles[i].p;
        struct cell *cell = &work->result->recorders[recorder].cells[i];
        if (law->shape == LAW_RANDOM && p.num > 0 && p.num < p.den)
            cell->wander = order_wander(law, p, raw_inflation(law, p), samples_of(work, recorder));
    }
}

static struct interval_ranks ranks_of(const struct work *work, size_t recorder, size_t i)
{
    const struct recorder_work *own = &work->recorders[recorder];
    const struct percentile_work *w = &own->percentiles[i];
    size_t runs = work->replications[work->plan->recorders[recorder].load];
    uint64_t *counts = must_alloc(2 * runs, sizeof *counts);
    for (size_t side = 0; side < 2; side++)
        for (size_t r = 0; r < runs; r++)
            counts[side * runs + r] = own->up_to[r * own->recount_count + w->lower.recount + side];
    if (w->lower.stored.low_ns == 0) /* nothing lies below 0, and the point is 0 itself */
        for (size_t r = 0; r < runs; r++)
            counts[r] = 0;
    struct interval_evidence e = {.p = work->plan->report.percentiles[i].p,
                                  .at_most = {counts, counts + runs},
                                  .samples = own->recounted,
                                  .replications = runs};
    struct interval_ranks ranks;
    check_interval(&e, &ranks);
    free(counts);
    return ranks;
}

/* Whether a percentile has an interval at all. */
static bool has_interval(const struct work *work, size_t recorder, size_t i)
{
    return load_is_random(work->plan, work->plan->recorders[recorder].load) &&
           work->recorders[recorder].percentiles[i].present &&
           work->first.recorders[recorder].found.tally.infinite == 0;
}

void work_ask_intervals(const struct work *work, size_t recorder)
{
    const struct recorder *found = &work->first.recorders[recorder].found;
    for (size_t i = 0; i < work->plan->report.percentile_count; i++) {
        if (!has_interval(work, recorder, i))
            continue;
        struct interval_ranks ranks = ranks_of(work, recorder, i);
        if (ranks.low != 0)
            store_kind(found->plan->store)->select(found->store, ranks.low);
        if (ranks.high != 0)
            store_kind(found->plan->store)->select(found->store, ranks.high);
    }
}

/* The cell's outer edges: the sample is somewhere in it. */
static void fill_ends(const struct work *work, size_t recorder, struct interval_ranks ranks,
                      struct cell *cell)
{
    const struct recorder_plan *plan = &work->plan->recorders[recorder];
    const struct recorder *found = &work->first.recorders[recorder].found;
    const struct recorder *again = &work->second.recorders[recorder].found;
    const struct store_type *store = store_kind(plan->store);
    if (ranks.low != 0) {
        struct stored low = store->select(found->store, ranks.low);
        cell->low = (struct figure){.kind = FIGURE_EXACT, .exact = {.ns = low.low_ns}};
    }
    if (ranks.high != 0) {
        struct stored high = store->select(found->store, ranks.high);
        ns_t high_ns = work_printed_ns(plan, high, found->tally.max_ns);
        bool certain = found->tally.censored == 0 || ranks.high <= again->certain;
        if (certain && !high.beyond)
            cell->high = (struct figure){.kind = FIGURE_EXACT, .exact = {.ns = high_ns}};
    }
    if (ranks.why[0] != '\0')
        cell->interval_why = cell->interval_found = must_copy(ranks.why);
    else if (cell->high.kind == FIGURE_UNKNOWN)
        cell->interval_why = "the upper end lies where values are known from below only";
}

void work_fill_intervals(struct work *work, size_t recorder)
{
    const struct recorder *found = &work->first.recorders[recorder].found;
    size_t load = work->plan->recorders[recorder].load;
    for (size_t i = 0; i < work->plan->report.percentile_count; i++) {
        struct cell *cell = &work->result->recorders[recorder].cells[i];
        const struct percentile_work *w = &work->recorders[recorder].percentiles[i];
        if (!load_is_random(work->plan, load)) {
            cell->interval_why = "nothing in it is random";
            continue;
        }
        if (!w->present || found->tally.infinite > 0) {
            cell->interval_why = w->present ? "some failures count as infinite" : "no samples";
            continue;
        }
        struct interval_ranks ranks = ranks_of(work, recorder, i);
        fill_ends(work, recorder, ranks, cell);
        if (isnan(cell->wander) && work->recorders[recorder].law.shape == LAW_RANDOM &&
            work->replications[load] > 1)
            cell->wander =
                order_wander(&work->recorders[recorder].law, work->plan->report.percentiles[i].p,
                             ranks.inflation, samples_of(work, recorder));
    }
}
