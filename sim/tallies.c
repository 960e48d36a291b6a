/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "models/loads/load.h"
#include "sim/work.h"

static struct figure whole_ns(ns_t ns)
{
    return (struct figure){.kind = FIGURE_EXACT, .exact = {ns, 0}};
}

/* Sums beyond 2^113 ns would need more care; a run of 2^51 requests of 2^62 ns is not to be had. */
static struct figure mean_of(u128 sum_ns, u128 count)
{
    double whole = (double)(uint64_t)(sum_ns / count);
    double rest = (double)(uint64_t)(sum_ns % count);
    return (struct figure){.kind = FIGURE_REAL, .real = whole + rest / (double)(uint64_t)count};
}

static void fill_above(struct work *work, size_t recorder)
{
    const struct recorder *found = &work->first.recorders[recorder].found;
    uint64_t n = recorder_samples(found);
    for (size_t i = 0; i < work->plan->report.above_count; i++) {
        struct above_result *above = &work->result->recorders[recorder].above[i];
        above->count = found->counter.above[i] + found->tally.infinite;
        above->share = n > 0 ? (double)above->count / (double)n : NAN;
        if (above->law_count.kind == FIGURE_EXACT)
            above->holds =
                above->law_count.exact.ns == above->count ? VERDICT_HOLDS : VERDICT_FAILS;
    }
}

static void fill_law_above(struct work *work, size_t recorder)
{
    const struct law *law = &work->recorders[recorder].law;
    for (size_t i = 0; i < work->plan->report.above_count && law->shape == LAW_EXACT; i++) {
        u128 total = multiset_total(&law->values, law->rule);
        u128 at_most = multiset_at_most(&law->values, law->rule, work->plan->report.above[i].ns);
        work->result->recorders[recorder].above[i].law_count =
            whole_ns((uint64_t)(total - at_most));
    }
}

static void fill_law_tally(struct work *work, size_t recorder)
{
    struct recorder_result *out = &work->result->recorders[recorder];
    const struct law *law = &work->recorders[recorder].law;
    if (law->shape == LAW_RANDOM)
        out->law_mean = (struct figure){.kind = FIGURE_REAL, .real = law_mean(law)};
    if (law->shape != LAW_EXACT)
        return;
    const struct correction_rule raw = {.unit_ns = 1};
    u128 total = multiset_total(&law->values, law->rule);
    u128 sum_ns = multiset_sum(&law->values, law->rule);
    out->law_count = whole_ns((uint64_t)total);
    out->law_added = whole_ns((uint64_t)(total - multiset_total(&law->values, raw)));
    out->law_sum = (struct sum_result){true, sum_ns};
    if (total == 0)
        return;
    out->law_mean = mean_of(sum_ns, total);
    out->law_min = whole_ns(multiset_min(&law->values, law->rule));
    out->law_max = whole_ns(multiset_max(&law->values));
}

/* Count, added, sum, minimum and maximum against an exact law: integers, all of them. */
static void check_tally(struct work *work, size_t recorder)
{
    struct recorder_result *out = &work->result->recorders[recorder];
    const struct tally *tally = &work->first.recorders[recorder].found.tally;
    const struct law *law = &work->recorders[recorder].law;
    if (law->shape != LAW_EXACT)
        return;
    const struct correction_rule raw = {.unit_ns = 1};
    u128 total = multiset_total(&law->values, law->rule);
    const char *wrong = NULL;
    if (multiset_total(&law->values, raw) != tally->requests)
        wrong = "the number of real samples";
    else if (total != (u128)tally->requests + tally->added)
        wrong = "the number of added samples";
    else if (multiset_sum(&law->values, law->rule) != tally->sum_ns)
        wrong = "the sum";
    else if (total > 0 && multiset_min(&law->values, law->rule) != tally->min_ns)
        wrong = "the minimum";
    else if (total > 0 && multiset_max(&law->values) != tally->max_ns)
        wrong = "the maximum";
    out->tally_check = CHECK_EXACT;
    out->tally_holds = wrong == NULL ? VERDICT_HOLDS : VERDICT_FAILS;
    if (wrong != NULL)
        out->tally_why = must_format("%s is not what the law says", wrong);
}

void work_fill_recorder(struct work *work, size_t recorder)
{
    struct recorder_result *out = &work->result->recorders[recorder];
    fill_law_tally(work, recorder);
    fill_law_above(work, recorder);
    if (work->result->law_only)
        return;
    const struct recorder *found = &work->first.recorders[recorder].found;
    const struct tally *tally = &found->tally;
    out->count = recorder_samples(found);
    out->added = tally->added;
    out->excluded = tally->excluded;
    out->from_below = tally->censored;
    out->min_from_below = tally->censored > 0 && tally->censored_min_ns <= tally->min_ns;
    uint64_t finite = tally->requests + tally->added;
    if (finite > 0) {
        out->min = whole_ns(tally->min_ns);
        if (tally->infinite == 0)
            out->max = whole_ns(tally->max_ns);
    }
    if (finite > 0 && tally->infinite == 0) {
        out->mean = mean_of(tally->sum_ns, finite);
        out->sum = (struct sum_result){true, tally->sum_ns};
    }
    fill_above(work, recorder);
    check_tally(work, recorder);
}

static double per_second(uint64_t count, u128 length_ns)
{
    return length_ns > 0 ? (double)count * 1e9 / (double)length_ns : NAN;
}

/* Workers of a stage; 0: there is no such stage, or no limit. */
static double workers_of(const struct plan *plan, size_t load, enum stage stage)
{
    const struct server *server = &plan->server;
    const struct generator *generator = &plan->loads[load].generator;
    switch (stage) {
    case STAGE_GENERATOR: return generator->cost_ns > 0 ? (double)generator->threads : 0.0;
    case STAGE_SERVER:
        return server->workers != UNLIMITED ? (double)server->workers * (double)server->replicas
                                            : 0.0;
    case STAGE_BEHIND:
        return server->behind.service.type != NULL && server->behind.workers != UNLIMITED
                   ? (double)server->behind.workers
                   : 0.0;
    case STAGE_NETWORK:
    case STAGE_CLIENT: return 0.0;
    }
    BUG("a stage outside its enum");
}

/* How much of the copies' and the workers' time went where. */
static void fill_efforts(struct work *work, size_t load)
{
    struct load_result *out = &work->result->loads[load];
    const struct pass_load *first = &work->first.loads[load];
    double running_ns[STAGE_COUNT] = {0.0}, end_ns = 0.0;
    for (size_t k = 0; k < first->replications; k++) {
        const struct engine_totals *t = &first->totals[k];
        out->withheld += t->withheld;
        out->cancelled += t->cancelled;
        out->wasted += t->wasted;
        out->throttled += t->throttled;
        out->periods += t->periods;
        /* copies that nobody waits for any more keep a server busy beyond the end */
        end_ns += (double)(t->end_ns > first->ended_ns[k] ? t->end_ns : first->ended_ns[k]);
        for (size_t s = 0; s < STAGE_COUNT; s++)
            running_ns[s] += (double)t->running_ns[s];
    }
    out->amplification = out->sent > 0 ? (double)out->attempts / (double)out->sent : NAN;
    for (size_t s = 0; s < STAGE_COUNT; s++) {
        double workers = workers_of(work->plan, load, (enum stage)s);
        out->utilisation[s] =
            workers > 0.0 && end_ns > 0.0 ? running_ns[s] / (workers * end_ns) : NAN;
    }
    out->lag_p99_ns = row_sums_lag_ns(&first->sums);
}

void work_fill_load(struct work *work, size_t load)
{
    struct load_result *out = &work->result->loads[load];
    const struct pass_load *first = &work->first.loads[load];
    const struct load_watch *watch = work_load_watch(work, load);
    struct choice kind = work->plan->loads[load].kind;
    struct open_load user;
    bool offers = load_kind(kind)->offers(kind.params, &user) && first->totals[0].window_ends;
    u128 window_ns = 0, area = 0, end_ns = 0, last_ns = 0;
    uint64_t due = 0, answered_in_window = 0, due_and_answered = 0;
    for (size_t k = 0; k < first->replications; k++) {
        const struct engine_totals *t = &first->totals[k];
        out->sent += t->sent;
        out->attempts += t->attempts;
        out->answered += t->answered;
        out->timed_out += t->timed_out;
        out->refused += t->refused;
        out->dropped += t->dropped;
        out->in_flight_at_end += t->in_flight_at_end;
        out->stalls += t->stalls;
        if (t->in_flight_max > out->in_flight_max)
            out->in_flight_max = t->in_flight_max;
        if (t->last_answer_ns > out->last_answer_ns)
            out->last_answer_ns = t->last_answer_ns;
        area += t->flight_area;
        end_ns += t->end_ns;
        due += t->due;
        last_ns += t->last_answer_ns;
        answered_in_window += watch[k].answered_in_window;
        for (size_t q = 0; q < WATCH_QUARTERS; q++)
            due_and_answered += watch[k].quarter_count[q];
        if (watch[k].end_ns > watch[k].begin_ns)
            window_ns += watch[k].end_ns - watch[k].begin_ns;
    }
    out->has_answer = out->answered > 0;
    out->offered_per_s = offers ? per_second(due, window_ns) : NAN;
    out->achieved_per_s =
        first->totals[0].window_ends ? per_second(answered_in_window, window_ns) : NAN;
    out->answered_per_s = per_second(out->answered, last_ns);
    out->goodput_per_s =
        first->totals[0].window_ends ? per_second(due_and_answered, window_ns) : NAN;
    fill_efforts(work, load);
    out->in_flight_mean = end_ns > 0 ? (double)area / (double)end_ns : NAN;
}
