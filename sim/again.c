/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The passes after the first.  Windows and send lags want to know the run's p99.  Where a law tells
   it, the first pass watched for that; else they are watched in the first replication alone, unless
   everything is run once more anyway.  Where that alarms it may have been chance, so eight are
   watched together, and if they alarm too all of them. */

#include <stdlib.h>
#include <string.h>

#include "sim/work.h"

#define TAIL_LIMIT_NS (100 * NS_PER_MS) /* of send lag: the gate's */

static void plan_watch(struct work *work, size_t recorder, bool has_tail, ns_t tail_ns)
{
    ns_t tenth_ns = tail_ns / 10;
    work->recorders[recorder].watch = (struct recorder_watch){
        .plan = &work->plan->recorders[recorder],
        .tail_ns = tail_ns,
        .lag_limit_ns = has_tail && tenth_ns < TAIL_LIMIT_NS ? tenth_ns : TAIL_LIMIT_NS,
        .width_ns = NS_PER_S,
    };
}

/* A random law's p99, where the run is held against it anyway. */
static bool random_tail(const struct work *work, size_t recorder, ns_t *tail_ns)
{
    const struct recorder_work *r = &work->recorders[recorder];
    const struct recorder_plan *plan = &work->plan->recorders[recorder];
    const struct report_plan *report = &work->plan->report;
    for (size_t i = 0; r->statistical && i < report->percentile_count; i++) {
        struct ratio p = report->percentiles[i].p;
        if ((u128)p.num * 100 != (u128)p.den * 99)
            continue;
        ns_t law_ns = r->percentiles[i].law_threshold_ns;
        *tail_ns = store_kind(plan->store)->cell(plan->store.params, law_ns).high_ns;
        return true;
    }
    return false;
}

bool work_foresee_watch(struct work *work, size_t recorder)
{
    ns_t tail_ns;
    if (!random_tail(work, recorder, &tail_ns) && !work_law_tail(work, recorder, &tail_ns))
        return false;
    plan_watch(work, recorder, true, tail_ns);
    return true;
}

/* A random law's tail is as good as the run's; an exact law's must have been the run's. */
static bool was_foreseen(const struct work *work, size_t recorder)
{
    const struct recorder_work *r = &work->recorders[recorder];
    return work->first.recorders[recorder].watch != NULL && r->has_tail &&
           (r->statistical || r->tail_ns == r->watch.tail_ns);
}

/* What is known of crowds in all replications is as good as a second pass. */
static void trust_crowds(struct pass_load *first, size_t replications)
{
    size_t known = 0;
    while (first->of_crowd != NULL && known < replications && first->of_crowd[known].known)
        known++;
    if (known == replications)
        memcpy(first->watch, first->of_crowd, replications * sizeof *first->watch);
}

/* Everything, where something needs it.  Where a recorder needs some of it the load is watched
   along with it, and crowds are not trusted: then all replications are watched. */
static void plan_load(struct work *work, size_t load)
{
    struct pass_load *again = &work->second.loads[load];
    bool whole = false, any = false;
    for (size_t r = 0; r < work->plan->recorder_count; r++) {
        const struct pass_recorder *p = &work->second.recorders[r];
        bool here = work->plan->recorders[r].load == load;
        whole |= here && p->active;
        any |= here && (p->active || p->watch_as != NULL);
    }
    if (!any && work_load_watch(work, load) == NULL)
        trust_crowds(&work->first.loads[load], work->replications[load]);
    again->watches = work_load_watch(work, load) == NULL;
    whole |= again->watches;
    any |= again->watches;
    again->active = any;
    again->replications = work->watched[load] = whole ? work->replications[load] : 1;
    again->totals = must_alloc(again->replications, sizeof *again->totals);
    for (size_t k = 0; k < again->replications; k++)
        again->totals[k] = work->first.loads[load].totals[k];
}

static void plan_recorder(struct work *work, size_t recorder)
{
    struct pass_recorder *p = &work->second.recorders[recorder];
    struct recorder_work *r = &work->recorders[recorder];
    const struct tally *tally = &work->first.recorders[recorder].found.tally;
    r->watched = was_foreseen(work, recorder);
    if (!r->watched) {
        plan_watch(work, recorder, r->has_tail, r->tail_ns);
        p->watch_as = &r->watch;
    }
    p->active = !work_recount_by_census(work, recorder);
    p->rule = r->law.rule;
    p->thresholds_ns = r->recount_ns;
    p->threshold_count = p->active ? r->recount_count : 0;
    p->counts_certain = tally->censored > 0;
    p->certain_limit_ns = tally->censored_min_ns;
}

/* Whether any recorder of the load alarms while there are replications that were not watched. */
static bool wants_more(const struct work *work, size_t load)
{
    if (work->watched[load] == work->replications[load])
        return false;
    for (size_t r = 0; r < work->plan->recorder_count; r++)
        if (work->plan->recorders[r].load == load && !work->recorders[r].watched &&
            work_watch_alarms(work, r))
            return true;
    return false;
}

/* Once more, with more replications, where that is wanted; *any says whether it was. */
static bool watch_more(struct work *work, bool *any, struct errors *errors)
{
    const struct plan *plan = work->plan;
    struct pass pass;
    *any = false;
    for (size_t i = 0; i < plan->load_count; i++)
        *any |= wants_more(work, i);
    if (!*any)
        return true;
    pass_init(&pass, plan, work->options, 0);
    pass.again = true;
    pass.progress_from = pass.progress_to = 1.0;
    for (size_t i = 0; i < plan->load_count; i++) {
        size_t all = work->replications[i], had = work->watched[i];
        if (!wants_more(work, i))
            continue;
        pass.loads[i].active = true;
        pass.loads[i].start = work->starts[i];
        work->watched[i] = had < WATCHED_MORE && all > WATCHED_MORE ? WATCHED_MORE : all;
        pass.loads[i].replications = work->watched[i];
    }
    for (size_t r = 0; r < plan->recorder_count; r++)
        if (pass.loads[plan->recorders[r].load].active && !work->recorders[r].watched)
            pass.recorders[r].watch_as = &work->recorders[r].watch;
    bool good = work_run_pass(work, &pass, errors);
    for (size_t r = 0; r < plan->recorder_count && good; r++) {
        struct recorder_watch *before = work->second.recorders[r].watch;
        if (pass.recorders[r].watch == NULL)
            continue;
        work->second.recorders[r].watch = pass.recorders[r].watch;
        pass.recorders[r].watch = before;
    }
    pass_free(&pass);
    return good;
}

bool work_look_again(struct work *work, struct errors *errors)
{
    struct pass *pass = &work->second;
    work_plan_pass(work, pass);
    pass->again = true;
    for (size_t r = 0; r < work->plan->recorder_count; r++)
        plan_recorder(work, r);
    for (size_t i = 0; i < work->plan->load_count; i++)
        plan_load(work, i);
    pass->progress_from = 0.6;
    if (!work_run_pass(work, pass, errors))
        return false;
    for (size_t r = 0; r < work->plan->recorder_count && !work->result->interrupted; r++)
        if (pass->recorders[r].active)
            work_recount_by_pass(work, r);
    bool more = true, good = true;
    while (good && more && !work->result->interrupted)
        good = watch_more(work, &more, errors);
    return good;
}
