/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/run.h"

#include <stdlib.h>

#include "models/loads/load.h"
#include "sim/detect.h"
#include "sim/work.h"

#define REQUESTS_OF_LAWS 100000 /* where the run itself will choose how many */

static void work_open(struct work *work, const struct plan *plan, const struct run_options *options)
{
    *work = (struct work){.plan = plan, .options = options, .result = result_new(plan)};
    work->recorders = must_alloc(plan->recorder_count, sizeof *work->recorders);
    work->starts = must_alloc(plan->load_count, sizeof *work->starts);
    work->replications = must_alloc(2 * plan->load_count, sizeof *work->replications);
    work->watched = work->replications + plan->load_count;
    pass_init(&work->first, plan, options, 0);
    pass_init(&work->second, plan, options, 0);
}

static void work_close(struct work *work)
{
    for (size_t i = 0; i < work->plan->recorder_count; i++) {
        struct recorder_work *r = &work->recorders[i];
        law_free(&r->law);
        law_free(&r->truth);
        free(r->thresholds_ns);
        free(r->recount_ns);
        free(r->recounted);
        free(r->percentiles);
    }
    pass_free(&work->first);
    pass_free(&work->second);
    free(work->recorders);
    law_memo_free(&work->memo);
    free(work->starts);
    free(work->replications);
}

/* A deterministic load runs once; a random one starts in its law's state where there is one, unless
   the scenario says otherwise. */
static bool choose_starts(struct work *work, struct errors *errors)
{
    const struct plan *plan = work->plan;
    const struct plan *asked = work->options->law_plan ? work->options->law_plan : plan;
    bool good = true, stationary = false;
    size_t most = 1;
    for (size_t i = 0; i < plan->load_count && !work_stopped(work); i++) {
        char why[LAW_WHY_SIZE] = "nothing in it is random";
        work->replications[i] = (size_t)load_replications(plan, i);
        if (work->replications[i] > most)
            most = work->replications[i];
        if (load_is_random(plan, i)) {
            work->result->loads[i].random = true;
            if (plan->run.start != START_EMPTY)
                work->starts[i] = start_find(asked, i, &work->memo, why);
        }
        stationary |= work->starts[i].state != STATE_NONE;
        work->result->loads[i].settle_ns = work->starts[i].settle_ns;
        if (plan->run.start != START_STATIONARY || work->starts[i].state != STATE_NONE)
            continue;
        errors_add(errors, (struct place){.file = plan->file, .path = "/run/start"},
                   "the load \"%s\" cannot start stationary: %s", plan->loads[i].name, why);
        good = false;
    }
    work->result->start = stationary ? "stationary" : "empty";
    work->result->replications = most;
    return good;
}

bool work_run_pass(struct work *work, struct pass *pass, struct errors *errors)
{
    enum engine_end end = pass_run(pass);
    switch (end) {
    case ENGINE_DONE: return true;
    case ENGINE_STOPPED: work->result->interrupted = true; return true;
    case ENGINE_OVERFLOW:
        work_add_load_error(errors, work->plan, pass->failed_load,
                            "the virtual clock would pass 2^62 ns, 146 years: fewer requests, "
                            "or shorter ones");
        return false;
    case ENGINE_STUCK:
        work_add_load_error(errors, work->plan, pass->failed_load,
                            "the run would never end: requests that take no time are sent again at "
                            "once, or the stalls together leave the server no time to work");
        return false;
    }
    BUG("an engine end outside its enum");
}

void work_plan_pass(const struct work *work, struct pass *pass)
{
    for (size_t i = 0; i < work->plan->load_count; i++) {
        pass->loads[i].active = true;
        pass->loads[i].replications = work->replications[i];
        pass->loads[i].start = work->starts[i];
    }
}

static bool wants_auto(const struct recorder_plan *recorder)
{
    const struct correction_params *params = recorder->correction.params;
    return recorder->correction.type != NULL && params->interval_ns == INTERVAL_AUTO;
}

/* wrk's interval, both divisions in integers: floor(run us / floor(answered / connections)), the
   run from the first send to the last answer. */
ns_t work_interval_ns(const struct load_plan *plan, const struct pass_load *load)
{
    uint64_t connections = load_kind(plan->kind)->in_flight_limit(plan->kind.params);
    u128 run_us = 0, answered = 0;
    for (size_t k = 0; k < load->replications; k++) {
        const struct engine_totals *t = &load->totals[k];
        run_us += t->answered > 0 ? (t->last_answer_ns - t->first_send_ns) / NS_PER_US : 0;
        answered += t->answered;
    }
    u128 each = answered / (connections ? connections : 1);
    return each > 0 ? (ns_t)(run_us / each) * NS_PER_US : 0;
}

/* A pass of its own for the recorders whose correction takes its interval from the run. */
static bool survey(struct work *work, struct errors *errors)
{
    const struct plan *plan = work->plan;
    bool any = false;
    for (size_t r = 0; r < plan->recorder_count; r++)
        any |= wants_auto(&plan->recorders[r]);
    if (!any)
        return true;
    struct pass pass;
    pass_init(&pass, plan, work->options, 0);
    pass.progress_to = 0.3;
    work_plan_pass(work, &pass);
    bool good = work_run_pass(work, &pass, errors);
    for (size_t r = 0; r < plan->recorder_count && good; r++) {
        size_t of = plan->recorders[r].load;
        if (wants_auto(&plan->recorders[r]))
            work->recorders[r].auto_interval_ns =
                work_interval_ns(&plan->loads[of], &pass.loads[of]);
    }
    pass_free(&pass);
    return good;
}

static bool refuse_recorder(const struct work *work, size_t recorder, struct errors *errors,
                            const char *why)
{
    char *path = must_format("/recorders/%s", work->plan->recorders[recorder].name);
    errors_add(errors, (struct place){.file = work->plan->file, .path = path}, "%s", why);
    free(path);
    return false;
}

static bool record(struct work *work, struct errors *errors)
{
    struct pass *pass = &work->first;
    work_plan_pass(work, pass);
    for (size_t i = 0; i < work->plan->load_count; i++)
        pass->loads[i].gathers = true;
    for (size_t r = 0; r < work->plan->recorder_count; r++) {
        struct pass_recorder *p = &pass->recorders[r];
        p->active = p->stores = true;
        p->rule = work->recorders[r].law.rule;
        p->keeps_census = recorder_suits_census(&work->plan->recorders[r]);
        p->thresholds_ns = work->recorders[r].thresholds_ns;
        p->threshold_count = work->plan->report.above_count + work->plan->report.percentile_count;
        p->watch_as = work_foresee_watch(work, r) ? &work->recorders[r].watch : NULL;
    }
    pass->progress_from = 0.3;
    pass->progress_to = 0.6;
    if (!work_run_pass(work, pass, errors))
        return false;
    bool good = true;
    for (size_t r = 0; r < work->plan->recorder_count; r++) {
        const struct recorder *found = &pass->recorders[r].found;
        if (found->tally.overflow)
            good = refuse_recorder(work, r, errors,
                                   "the correction would add more than 2^60 samples: a longer "
                                   "interval, or is it in the wrong unit?");
        else if (found->groups != NULL && groups_fault(found->groups) != NULL)
            good = refuse_recorder(work, r, errors, groups_fault(found->groups));
    }
    return good;
}

static bool is_rejected(const struct work *work, size_t recorder)
{
    bool any = false;
    for (size_t i = 0; i < work->plan->report.percentile_count; i++)
        any |= work->recorders[recorder].percentiles[i].judgement.rejects;
    return any;
}

/* Fresh streams for the recorders with a rejected cell. */
static bool run_again(struct work *work, struct errors *errors)
{
    const struct plan *plan = work->plan;
    struct pass pass;
    bool any = false;
    for (size_t r = 0; r < plan->recorder_count; r++)
        any |= is_rejected(work, r);
    if (!any)
        return true;
    pass_init(&pass, plan, work->options, 1);
    work_plan_pass(work, &pass);
    for (size_t i = 0; i < plan->load_count; i++)
        pass.loads[i].active = false;
    for (size_t r = 0; r < plan->recorder_count; r++) {
        struct pass_recorder *p = &pass.recorders[r];
        p->active = is_rejected(work, r);
        if (!p->active)
            continue;
        p->rule = work->recorders[r].law.rule;
        p->thresholds_ns = work->recorders[r].thresholds_ns;
        p->threshold_count = plan->report.above_count + plan->report.percentile_count;
        pass.loads[plan->recorders[r].load].active = true;
    }
    bool good = work_run_pass(work, &pass, errors);
    if (good && !work->result->interrupted)
        work_judge(work, &pass, true);
    pass_free(&pass);
    return good;
}

static void judge_whole(struct result *result)
{
    const struct plan *plan = result->plan;
    bool fails = false, judged = false;
    for (size_t r = 0; r < plan->recorder_count; r++) {
        const struct recorder_result *found = &result->recorders[r];
        fails |= found->tally_holds == VERDICT_FAILS;
        judged |= found->tally_holds != VERDICT_UNKNOWN;
        for (size_t i = 0; i < plan->report.percentile_count; i++) {
            fails |= found->cells[i].holds == VERDICT_FAILS;
            judged |= found->cells[i].holds != VERDICT_UNKNOWN;
        }
        for (size_t i = 0; i < plan->report.above_count; i++)
            fails |= found->above[i].holds == VERDICT_FAILS;
    }
    for (size_t i = 0; i < result->identity_count; i++)
        fails |= !result->identities[i].holds;
    for (size_t i = 0; i < result->expect_count; i++) {
        fails |= !result->expects[i].holds;
        judged = true;
    }
    result->holds = fails ? VERDICT_FAILS : judged ? VERDICT_HOLDS : VERDICT_UNKNOWN;
}

static void fill(struct work *work)
{
    const struct plan *plan = work->plan;
    for (size_t i = 0; i < plan->load_count; i++)
        work_fill_load(work, i);
    for (size_t r = 0; r < plan->recorder_count && !work_stopped(work); r++) {
        work_fill_recorder(work, r);
        work_fill_cells(work, r);
    }
    if (work->result->interrupted)
        return;
    work_fill_identities(work);
    work_fill_gates(work);
    work_fill_expects(work);
    work_describe(work);
    judge_whole(work->result);
}

static bool run_passes(struct work *work, struct errors *errors)
{
    if (!choose_starts(work, errors) || !survey(work, errors))
        return false;
    if (work->result->interrupted)
        return true;
    work_find_laws(work);
    if (work->result->interrupted)
        return true;
    if (!record(work, errors) || work->result->interrupted)
        return work->result->interrupted;
    if (work->replaying != NULL && !replaying_resolve(work->replaying, work, errors))
        return false;
    for (size_t r = 0; r < work->plan->recorder_count && !work->result->interrupted; r++)
        work_find_percentiles(work, r);
    if (work->result->interrupted)
        return true;
    if (!work_look_again(work, errors) || work->result->interrupted)
        return work->result->interrupted;
    if (work->replaying != NULL && !replaying_resolve(work->replaying, work, errors))
        return false;
    if (work->result->interrupted)
        return true;
    work_judge(work, &work->first, false);
    if (!run_again(work, errors))
        return false;
    if (!work->result->interrupted)
        fill(work);
    return true;
}

/* A plan whose length is known. */
static struct result *run_sized(const struct plan *plan, const struct run_options *options,
                                struct errors *errors)
{
    struct work work;
    struct replaying replaying;
    bool replays = replaying_open(&replaying, plan, options);
    work_open(&work, replays ? &replaying.plan : plan, options);
    work.replaying = replays ? &replaying : NULL;
    bool good = run_passes(&work, errors);
    struct result *result = work.result;
    result->plan = plan;
    work_close(&work);
    if (replays)
        replaying_close(&replaying);
    if (good)
        return result;
    result_free(result);
    return NULL;
}

struct result *run_scenario(const struct plan *plan, const struct run_options *options,
                            struct errors *errors)
{
    if (plan->run.detect_p.num == 0)
        return run_sized(plan, options, errors);
    struct plan sized = *plan;
    struct plan_sizing sizing;
    bool interrupted;
    if (!detect_size(plan, options, &sizing, &interrupted, errors))
        return NULL;
    struct result *result;
    if (interrupted) {
        result = result_new(plan);
        result->interrupted = true;
        return result;
    }
    sized.run.requests = sizing.requests;
    result = run_sized(&sized, options, errors);
    if (result != NULL) {
        result->plan = plan;
        result->sizing = must_copy(sizing.text);
    }
    return result;
}

struct result *run_laws(const struct plan *plan, const volatile sig_atomic_t *stop)
{
    struct plan sized = *plan;
    if (plan->run.detect_p.num != 0) /* laws of the first requests need a number of them */
        sized.run.requests = REQUESTS_OF_LAWS;
    struct work work;
    struct errors errors = {0};
    const struct run_options options = {.threads = 1, .stop = stop};
    work_open(&work, &sized, &options);
    work.result->law_only = true;
    choose_starts(&work, &errors); /* the laws hold whatever the run would start in */
    errors_free(&errors);
    work_find_laws(&work);
    for (size_t r = 0; r < plan->recorder_count && !work_stopped(&work); r++) {
        work_fill_recorder(&work, r);
        work_fill_laws(&work, r);
    }
    work_describe(&work);
    struct result *result = work.result;
    work_close(&work);
    result->plan = plan;
    if (plan->run.detect_p.num != 0)
        result->sizing = must_format(
            "chosen when it is run; these laws are of a run of %d requests", REQUESTS_OF_LAWS);
    return result;
}
