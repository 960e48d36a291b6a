/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "models/loads/load.h"
#include "sim/work.h"

static const struct plan *law_plan(const struct work *work)
{
    return work->options->law_plan != NULL ? work->options->law_plan : work->plan;
}

static struct law_question question_of(const struct plan *plan,
                                       const struct recorder_plan *recorder)
{
    return (struct law_question){.server = &plan->server,
                                 .load = &plan->loads[recorder->load],
                                 .run = &plan->run,
                                 .from = recorder->from,
                                 .to = recorder->to,
                                 .warmup_ns = recorder->warmup_ns,
                                 .failures = recorder->failures,
                                 .part = recorder->part,
                                 .merge = recorder->merge};
}

/* The rule a recorder's correction comes to; with an interval from the run itself, from what an
   earlier pass found. */
static struct correction_rule rule_of(const struct work *work, size_t recorder)
{
    struct choice c = work->plan->recorders[recorder].correction;
    if (c.type == NULL)
        return (struct correction_rule){.unit_ns = 1};
    const struct correction_params *params = c.params;
    ns_t interval_ns = params->interval_ns == INTERVAL_AUTO
                           ? work->recorders[recorder].auto_interval_ns
                           : params->interval_ns;
    return correction(c)->rule(interval_ns);
}

static bool takes_auto(const struct recorder_plan *recorder)
{
    const struct correction_params *params = recorder->correction.params;
    return recorder->correction.type != NULL && params->interval_ns == INTERVAL_AUTO;
}

static void refuse(struct law *law, const char *why)
{
    law_free(law);
    *law = (struct law){.shape = LAW_NONE};
    snprintf(law->why, sizeof law->why, "%s", why);
}

/* After a signal no law is asked any more. */
static void ask(struct work *work, const struct law_question *q, struct law *out)
{
    if (work_stopped(work))
        refuse(out, "The run was interrupted before its law was found.");
    else
        law_memo_find(&work->memo, q, out);
}

/* What the user of that schedule waits: the open-from-due law on the load's own due instants, with
   no window, no connection limit and nobody giving up. */
static void find_truth(struct work *work, const struct recorder_plan *recorder, struct law *out)
{
    const struct plan *plan = law_plan(work);
    size_t load = recorder->truth != NO_INDEX ? recorder->truth : recorder->load;
    /* What makes up a request and how often it is sent is the user's own doing, as is whatever the
       server and the way to it are.  What the load generator adds is not: neither its limits, nor
       the cost of its sends, nor its time for an answer. */
    struct load_plan user = {.name = plan->loads[load].name,
                             .resend = plan->loads[load].resend,
                             .idempotent = plan->loads[load].idempotent,
                             .work = plan->loads[load].work,
                             .fan_out = plan->loads[load].fan_out,
                             .wait_for = plan->loads[load].wait_for};
    struct choice kind = plan->loads[load].kind;
    struct open_load open;
    if (!load_kind(kind)->offers(kind.params, &open)) {
        *out = (struct law){.shape = LAW_NONE};
        return;
    }
    user.kind = (struct choice){&load_open.is, &open};
    struct law_question question = question_of(plan, recorder);
    question.load = &user;
    question.from = INSTANT_DUE;
    question.to = INSTANT_FINISHED;
    question.part = PART_NONE;
    question.merge = MERGE_COUNTS;
    ask(work, &question, out);
}

/* Whether a run that starts so is in the law's state.  A state drawn from another law of the same
   load is as stationary as one that has settled.  Where no two requests are in flight at once, the
   first to be sent finds the server idle whatever was there before. */
static bool begins_in(struct start_law wanted, struct start_law start, uint64_t in_flight_limit)
{
    switch (wanted.state) {
    case STATE_ANY: return true;
    case STATE_IDLE:
        return start.state == STATE_NONE ||
               (start.state == STATE_RESIDUALS && in_flight_limit == 1);
    case STATE_RESIDUALS:
    case STATE_EPOCH: return start.state == wanted.state && start.probability == wanted.probability;
    case STATE_CLIENTS: return start.state == STATE_CLIENTS;
    case STATE_SETTLED:
        return start_is_drawn(start) ||
               (start.state == STATE_SETTLED && start.settle_ns >= wanted.settle_ns);
    case STATE_NONE: return false;
    }
    BUG("a start state outside its enum");
}

/* Why the law does not hold from the first request of the run on; NULL where it does. */
static const char *why_not_statistical(const struct work *work, size_t recorder)
{
    const struct law *law = &work->recorders[recorder].law;
    const struct run_plan *run = &work->plan->run;
    size_t load = work->plan->recorders[recorder].load;
    struct choice kind = work->plan->loads[load].kind;
    uint64_t limit = load_kind(kind)->in_flight_limit(kind.params);
    if (run->requests != 0 && run->duration_ns != 0)
        return "The run ends by whichever comes first of a count and a duration, which the law of "
               "a stationary run does not cover.";
    if (run->cut_ns != 0)
        return "The run is cut, and what is cut is no random choice.";
    bool settles = work->starts[load].state == STATE_SETTLED &&
                   start_settle_requests(work->plan, load, work->starts[load]) == 0;
    bool even = load_kind(kind) != &load_sessions && load_kind(kind) != &load_closed;
    if (law->start.state == STATE_SETTLED && settles && run->requests != 0 && !even)
        return "The first so many requests after an instant are no fair sample of this load: its "
               "law "
               "wants a run by duration.";
    struct open_load open;
    bool arrives = load_kind(kind) == &load_open && load_kind(kind)->offers(kind.params, &open) &&
                   arrivals_random(open.arrivals);
    if (law->start.state != STATE_ANY && arrives && run->requests != 0 &&
        work->plan->recorders[recorder].warmup_ns != 0)
        return "What arrives in a warm-up decides how many requests are left to record: with "
               "random "
               "arrivals a warm-up wants a run by duration.";
    struct start_law wanted = start_of_count(work->plan, &work->plan->loads[load], law->start);
    return begins_in(wanted, work->starts[load], limit)
               ? NULL
               : "The law is that of a stationary run, and this one did not start so.";
}

static void fix_thresholds(struct work *work, size_t recorder)
{
    const struct report_plan *report = &work->plan->report;
    struct recorder_work *r = &work->recorders[recorder];
    size_t count = report->above_count + report->percentile_count;
    r->thresholds_ns = must_alloc(count, sizeof *r->thresholds_ns);
    for (size_t i = 0; i < report->above_count; i++)
        r->thresholds_ns[i] = report->above[i].ns;
    for (size_t i = 0; i < report->percentile_count; i++) {
        struct ratio p = report->percentiles[i].p;
        if (r->statistical && p.num < p.den)
            r->percentiles[i].law_threshold_ns = law_percentile(&r->law, p);
        r->thresholds_ns[report->above_count + i] = r->percentiles[i].law_threshold_ns;
    }
}

/* An exact law of a run whose chance it has nothing to do with: every replication says the same. */
static void repeat_exact(struct work *work, size_t recorder)
{
    size_t load = work->plan->recorders[recorder].load;
    struct law *law = &work->recorders[recorder].law;
    if (work->starts[load].state == STATE_SETTLED)
        refuse(law, "The law is exact for a whole run, and of this one the begin is left out until "
                    "other recorders' laws have settled.");
    else if (work->replications != NULL) /* a pilot has none */
        multiset_repeat(&law->values, work->replications[load]);
}

void work_find_laws(struct work *work)
{
    const struct plan *plan = work->plan;
    for (size_t i = 0; i < plan->recorder_count; i++) {
        struct recorder_work *r = &work->recorders[i];
        struct law_question question = question_of(law_plan(work), &plan->recorders[i]);
        ask(work, &question, &r->law);
        if (r->law.shape == LAW_EXACT)
            repeat_exact(work, i);
        if (r->law.shape == LAW_RANDOM && takes_auto(&plan->recorders[i]))
            refuse(&r->law,
                   "The correction takes its interval from the run itself, which is random.");
        if (r->law.shape == LAW_RANDOM && r->law.distribution.costly &&
            plan->recorders[i].correction.type != NULL)
            refuse(&r->law, "The law is known, but summing its correction would take too long.");
        r->law.rule = rule_of(work, i);
        find_truth(work, &plan->recorders[i], &r->truth);
        r->truth.rule = (struct correction_rule){.unit_ns = 1};
        struct recorder_result *out = &work->result->recorders[i];
        if (r->law.shape == LAW_NONE)
            out->law_why = must_copy(r->law.why);
        else
            out->law_name = r->law.type->is.name;
        if (r->truth.shape != LAW_NONE)
            out->truth_name = r->truth.type->is.name;
        const char *why = r->law.shape == LAW_RANDOM ? why_not_statistical(work, i) : NULL;
        r->statistical = r->law.shape == LAW_RANDOM && why == NULL;
        if (why != NULL)
            out->law_why = must_copy(why);
        r->percentiles = must_alloc(plan->report.percentile_count, sizeof *r->percentiles);
        fix_thresholds(work, i);
    }
}
