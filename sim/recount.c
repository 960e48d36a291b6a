/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The chain's other end: the samples at and below every order statistic, counted again.  The census
   of the first pass has them where a store's cells end where its own do; else the requests are run
   once more. */

#include <stdlib.h>

#include "sim/work.h"

static size_t replications_of(const struct work *work, size_t recorder)
{
    return work->replications[work->plan->recorders[recorder].load];
}

static bool count_points(const struct recorder_work *r, const struct census_list *census,
                         uint64_t *up_to)
{
    for (size_t t = 0; t < r->recount_count; t++)
        if (!census_at_most(census, r->recount_ns[t], &up_to[t]))
            return false;
    return true;
}

static void open_counts(struct recorder_work *r, size_t replications)
{
    r->recounted = must_alloc(replications * (1 + r->recount_count), sizeof *r->recounted);
    r->up_to = r->recounted + replications;
}

bool work_recount_by_census(struct work *work, size_t recorder)
{
    const struct pass_recorder *p = &work->first.recorders[recorder];
    struct recorder_work *r = &work->recorders[recorder];
    size_t replications = replications_of(work, recorder);
    if (p->census == NULL || work->first.census_lost || p->found.tally.censored > 0)
        return false;
    open_counts(r, replications);
    for (size_t k = 0; k < replications; k++) {
        r->recounted[k] = census_total(&p->census[k]);
        bool whole = r->recounted[k] == p->samples[k] - p->infinite[k];
        if (whole && count_points(r, &p->census[k], r->up_to + k * r->recount_count))
            continue;
        free(r->recounted);
        r->up_to = r->recounted = NULL;
        return false;
    }
    return true;
}

void work_recount_by_pass(struct work *work, size_t recorder)
{
    const struct pass_recorder *p = &work->second.recorders[recorder];
    struct recorder_work *r = &work->recorders[recorder];
    size_t replications = replications_of(work, recorder), points = r->recount_count;
    open_counts(r, replications);
    for (size_t k = 0; k < replications; k++) {
        r->recounted[k] = p->samples[k] - p->infinite[k];
        for (size_t t = 0; t < points; t++)
            r->up_to[k * points + t] = r->recounted[k] - p->above[k * points + t];
    }
}

/* #{x < low} < rank <= #{x <= high}.  Beyond the store's range the cell has no upper end. */
static bool recounts(const struct work *work, size_t recorder, const struct order *order)
{
    const struct recorder_work *r = &work->recorders[recorder];
    uint64_t n = 0, below = 0, up_to = 0;
    for (size_t k = 0; k < replications_of(work, recorder); k++) {
        const uint64_t *counted = r->up_to + k * r->recount_count + order->recount;
        n += r->recounted[k];
        below += order->stored.low_ns > 0 ? counted[0] : 0;
        up_to += counted[1];
    }
    if (order->stored.beyond)
        return up_to < order->rank && order->rank <= n;
    return below < order->rank && order->rank <= up_to;
}

bool work_chain_holds(const struct work *work, size_t recorder, size_t percentile)
{
    const struct percentile_work *w = &work->recorders[recorder].percentiles[percentile];
    return recounts(work, recorder, &w->lower) && recounts(work, recorder, &w->upper);
}

const struct load_watch *work_load_watch(const struct work *work, size_t load)
{
    const struct load_watch *gathered = work->first.loads[load].watch;
    for (size_t k = 0; gathered != NULL && k < work->replications[load]; k++)
        if (!gathered[k].known)
            gathered = NULL;
    return gathered != NULL ? gathered : work->second.loads[load].watch;
}

const struct recorder_watch *work_recorder_watch(const struct work *work, size_t recorder)
{
    const struct pass *pass = work->recorders[recorder].watched ? &work->first : &work->second;
    return pass->recorders[recorder].watch;
}

size_t work_watched(const struct work *work, size_t recorder)
{
    size_t load = work->plan->recorders[recorder].load;
    return work->recorders[recorder].watched ? work->replications[load] : work->watched[load];
}
