/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/replaying.h"

#include <stdlib.h>
#include <string.h>

#include "models/ranks/rank.h"
#include "sim/gates.h"
#include "sim/work.h"

#define PLACES_MOST ((size_t)1 << 20) /* in one pass, of all recorders: 8 MB a thread */

bool replaying_suits(const struct plan *plan, size_t recorder, uint64_t exact_limit)
{
    const struct recorder_plan *r = &plan->recorders[recorder];
    uint64_t limit = exact_limit != 0 ? exact_limit : EXACT_LIMIT_DEFAULT;
    double runs = (double)load_replications(plan, r->load);
    return r->store.type == &store_exact.is && r->per == PER_RUN &&
           run_load_requests(plan, r->load) * runs > (double)limit;
}

bool replaying_open(struct replaying *replaying, const struct plan *plan,
                    const struct run_options *options)
{
    bool any = false;
    for (size_t r = 0; r < plan->recorder_count; r++)
        any |= replaying_suits(plan, r, options->exact_limit);
    if (!any)
        return false;
    *replaying = (struct replaying){.plan = *plan};
    replaying->recorders = must_alloc(plan->recorder_count, sizeof *replaying->recorders);
    replaying->params = must_alloc(plan->recorder_count, sizeof *replaying->params);
    replaying->passes = must_alloc(plan->recorder_count, sizeof *replaying->passes);
    for (size_t r = 0; r < plan->recorder_count; r++) {
        replaying->recorders[r] = plan->recorders[r];
        if (!replaying_suits(plan, r, options->exact_limit))
            continue;
        replaying->recorders[r].store.type = &store_replayed.is;
        replaying->recorders[r].store.params = &replaying->params[r];
        replaying->passes[r] = 2; /* one to count, one to count again */
    }
    replaying->plan.recorders = replaying->recorders;
    return true;
}

void replaying_close(struct replaying *replaying)
{
    free(replaying->recorders);
    free(replaying->params);
    free(replaying->passes);
}

static void ask(void *store, uint64_t rank, uint64_t finite)
{
    if (rank >= 1 && rank <= finite)
        store_replayed.select(store, rank);
}

/* Every rank that will be asked for, as far as they are known. */
static void ask_all(const struct work *work, size_t recorder)
{
    const struct recorder *found = &work->first.recorders[recorder].found;
    const struct report_plan *report = &work->plan->report;
    uint64_t finite = found->tally.requests + found->tally.added;
    uint64_t n = finite + found->tally.infinite;
    if (n == 0)
        return;
    for (size_t i = 0; i < report->percentile_count; i++) {
        struct ratio p = report->percentiles[i].p;
        struct rank_at at = rank_rule(work->plan->recorders[recorder].rank)->at(p, n);
        struct gate_ranks around = gate_ranks_around(n, p);
        ask(found->store, at.rank, finite);
        ask(found->store, at.rank + 1, at.num != 0 ? finite : 0);
        for (uint64_t rank = around.from; rank <= around.to; rank++)
            ask(found->store, rank, finite);
    }
    ask(found->store, rank_nearest.at((struct ratio){99, 100}, n).rank, finite);
    if (work->recorders[recorder].up_to != NULL)
        work_ask_intervals(work, recorder);
}

/* What is to be counted inside cells in the next pass; how many recorders have something. */
static size_t plan_ranges(struct replaying *replaying, struct work *work)
{
    size_t room = PLACES_MOST, asking = 0;
    for (size_t r = 0; r < work->plan->recorder_count; r++) {
        size_t count = 0;
        replaying->params[r] = (struct replay_params){NULL, 0};
        if (replaying->passes[r] == 0)
            continue;
        void *store = work->first.recorders[r].found.store;
        ask_all(work, r);
        struct replay_range *ranges = replay_wanted(store, room, &count);
        for (size_t i = 0; i < count; i++)
            room -= ranges[i].places < room ? ranges[i].places : room;
        replaying->params[r] = (struct replay_params){ranges, count};
        replaying->passes[r] += count > 0;
        asking += count > 0;
    }
    return asking;
}

static void free_ranges(struct replaying *replaying, const struct work *work)
{
    for (size_t r = 0; r < work->plan->recorder_count; r++) {
        free((void *)(uintptr_t)replaying->params[r].ranges);
        replaying->params[r] = (struct replay_params){NULL, 0};
    }
}

/* One pass over the loads that are asked of. */
static bool replay(struct replaying *replaying, struct work *work, struct errors *errors)
{
    const struct plan *plan = work->plan;
    struct pass pass;
    pass_init(&pass, plan, work->options, 0);
    work_plan_pass(work, &pass);
    pass.again = true;
    pass.progress_from = 0.6;
    for (size_t i = 0; i < plan->load_count; i++)
        pass.loads[i].active = false;
    for (size_t r = 0; r < plan->recorder_count; r++) {
        struct pass_recorder *p = &pass.recorders[r];
        p->active = p->stores = replaying->params[r].range_count > 0;
        p->rule = work->recorders[r].law.rule;
        pass.loads[plan->recorders[r].load].active |= p->active;
    }
    bool good = work_run_pass(work, &pass, errors);
    for (size_t r = 0; r < plan->recorder_count && good; r++)
        if (pass.recorders[r].active)
            replay_refine(work->first.recorders[r].found.store, pass.recorders[r].found.store);
    pass_free(&pass);
    return good;
}

bool replaying_resolve(struct replaying *replaying, struct work *work, struct errors *errors)
{
    bool good = true;
    while (good && !work->result->interrupted && plan_ranges(replaying, work) > 0) {
        good = replay(replaying, work, errors);
        free_ranges(replaying, work);
    }
    return good;
}
