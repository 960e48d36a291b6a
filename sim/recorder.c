/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/recorder.h"

#include <stdlib.h>

#include "models/stores/store.h"

void recorder_open(struct recorder *recorder, const struct recorder_plan *plan,
                   struct correction_rule rule, bool stores, const ns_t *thresholds_ns,
                   size_t threshold_count)
{
    *recorder = (struct recorder){.plan = plan, .rule = rule};
    recorder->tally.min_ns = recorder->tally.censored_min_ns = UINT64_MAX;
    recorder->counter = (struct counter){thresholds_ns, threshold_count,
                                         must_alloc(threshold_count, sizeof(uint64_t))};
    if (!stores)
        return;
    recorder->store = store_kind(plan->store)->open(plan->store.params);
    if (plan->per == PER_RUN)
        return;
    recorder->groups = must_alloc(1, sizeof *recorder->groups);
    groups_open(recorder->groups, plan);
}

void recorder_close(struct recorder *recorder)
{
    if (recorder->store != NULL)
        store_kind(recorder->plan->store)->close(recorder->store);
    if (recorder->groups != NULL)
        groups_close(recorder->groups);
    free(recorder->groups);
    free(recorder->counter.above);
    *recorder = (struct recorder){0};
}

static const ns_t *column(const struct batch *batch, enum instant instant)
{
    switch (instant) {
    case INSTANT_DUE: return batch->due;
    case INSTANT_ACQUIRED: return batch->acquired;
    case INSTANT_SENT: return batch->sent;
    case INSTANT_STARTED: return batch->started;
    case INSTANT_FINISHED: return batch->finished;
    }
    BUG("an instant outside its enum");
}

ns_t recorder_value_ns(const struct recorder_plan *plan, const struct batch *b, size_t i)
{
    switch (plan->part) {
    case PART_NONE: return column(b, plan->to)[i] - column(b, plan->from)[i];
    case PART_QUEUE: return batch_queue_ns(b, i);
    case PART_STALL: return batch_stall_ns(b, i);
    case PART_SERVICE: return batch_service_ns(b, i);
    }
    BUG("a part outside its enum");
}

/* Values are below 2^62, so v > t exactly when t - v wraps: no branch, and the loop vectorises. */
static void count_above(struct counter *counter, const ns_t *values_ns, size_t count)
{
    for (size_t k = 0; k < counter->count; k++) {
        ns_t threshold_ns = counter->thresholds_ns[k];
        uint64_t above = 0;
        for (size_t i = 0; i < count; i++)
            above += (threshold_ns - values_ns[i]) >> 63;
        counter->above[k] += above;
    }
}

/* Of the values added below v = unit * w, those above x are w - e, ... down to, but not including,
   x in units. */
static void count_added_above(struct recorder *r, uint64_t w, uint64_t added)
{
    for (size_t k = 0; k < r->counter.count; k++) {
        uint64_t x = r->counter.thresholds_ns[k] / r->rule.unit_ns;
        uint64_t above = w > x ? (w - x - 1) / r->rule.interval : 0;
        r->counter.above[k] += above < added ? above : added;
    }
}

static void correct(struct recorder *r, ns_t value_ns)
{
    uint64_t added = correction_adds(r->rule, value_ns);
    if (added == 0)
        return;
    if (added > SAMPLES_MOST - r->tally.added) {
        r->tally.overflow = true;
        return;
    }
    uint64_t unit = r->rule.unit_ns, e = r->rule.interval, w = value_ns / unit;
    ns_t least_ns = (w - added * e) * unit;
    r->tally.added += added;
    r->tally.sum_ns += ((u128)added * w - (u128)e * ((u128)added * (added + 1) / 2)) * unit;
    r->tally.min_ns = least_ns < r->tally.min_ns ? least_ns : r->tally.min_ns;
    count_added_above(r, w, added);
    if (r->counts_certain && least_ns <= r->certain_limit_ns) {
        uint64_t below = (r->certain_limit_ns - least_ns) / (e * unit) + 1;
        r->certain += below < added ? below : added;
    }
    if (r->store != NULL)
        store_kind(r->plan->store)->add_run(r->store, (w - e) * unit, e * unit, added);
}

static void take_values(struct recorder *r, const ns_t *values_ns, size_t count)
{
    struct tally *t = &r->tally;
    ns_t min_ns = t->min_ns, max_ns = t->max_ns;
    u128 sum_ns = 0;
    for (size_t i = 0; i < count; i++) {
        min_ns = values_ns[i] < min_ns ? values_ns[i] : min_ns;
        max_ns = values_ns[i] > max_ns ? values_ns[i] : max_ns;
        sum_ns += values_ns[i];
    }
    t->min_ns = min_ns;
    t->max_ns = max_ns;
    t->sum_ns += sum_ns;
    t->requests += count;
    if (r->store != NULL)
        store_kind(r->plan->store)->add(r->store, values_ns, count);
    count_above(&r->counter, values_ns, count);
    if (r->rule.interval == 0)
        return;
    for (size_t i = 0; i < count && (r->stop == NULL || !*r->stop); i++)
        correct(r, values_ns[i]);
}

/* The end that a failure is given: where the client gave up, or where the server was done. */
static ns_t failure_end_ns(const struct recorder *r, const struct batch *batch, size_t i)
{
    return r->plan->failures == FAILURES_END ? batch->ended[i] : batch->finished[i];
}

/* What a request that was not answered counts as; false: as no value. */
static bool take_failure(struct recorder *r, const struct batch *batch, size_t i, ns_t *value_ns)
{
    if (r->plan->part == PART_NONE && r->plan->to == INSTANT_SENT)
        return true; /* it was sent all the same: its send lag is known */
    if (r->plan->part != PART_NONE && r->plan->failures != FAILURES_INFINITE) {
        r->tally.excluded++; /* without an answer it has no such parts */
        return false;
    }
    switch (r->plan->failures) {
    case FAILURES_DROPPED: r->tally.excluded++; return false;
    case FAILURES_INFINITE: r->tally.infinite++; return false;
    case FAILURES_TIMEOUT:
    case FAILURES_END:
        if (failure_end_ns(r, batch, i) < column(batch, r->plan->from)[i]) {
            r->tally.excluded++; /* given up before the stopwatch began: it has no such time */
            return false;
        }
        *value_ns = failure_end_ns(r, batch, i) - column(batch, r->plan->from)[i];
        break;
    }
    bool known = r->plan->failures == FAILURES_END && batch->status[i] == STATUS_TIMED_OUT;
    if (!known) {
        r->tally.censored++;
        if (*value_ns < r->tally.censored_min_ns)
            r->tally.censored_min_ns = *value_ns;
    }
    return true;
}

static bool is_plain(const struct recorder *r, const struct batch *batch)
{
    uint8_t failed = 0;
    for (size_t i = 0; i < batch->count; i++)
        failed |= batch->status[i];
    return failed == STATUS_ANSWERED && r->plan->warmup_ns == 0 && batch->record_from_ns == 0;
}

static bool is_certain(const struct recorder *r, const struct batch *batch, size_t i)
{
    return batch->status[i] == STATUS_ANSWERED || r->plan->to == INSTANT_SENT ||
           (r->plan->failures == FAILURES_END && batch->status[i] == STATUS_TIMED_OUT);
}

/* A value into its group, with all that a correction adds below it. */
static void take_grouped(struct recorder *r, const struct batch *batch, size_t i, ns_t value_ns)
{
    size_t group = groups_of(r->groups, batch, i);
    if (group == SIZE_MAX)
        return;
    groups_add(r->groups, group, value_ns, is_certain(r, batch, i));
    uint64_t added = correction_adds(r->rule, value_ns), unit = r->rule.unit_ns;
    if (added > 0 && added <= SAMPLES_MOST)
        groups_add_run(r->groups, group, (value_ns / unit - r->rule.interval) * unit,
                       r->rule.interval * unit, added);
}

/* A row that is no plain answer into its counts; false: it has no value. */
static bool take_row(struct recorder *r, const struct batch *batch, size_t i, ns_t *value_ns)
{
    bool answered = batch->status[i] == STATUS_ANSWERED;
    uint64_t infinite = r->tally.infinite;
    if (answered || take_failure(r, batch, i, value_ns)) {
        r->certain +=
            r->counts_certain && is_certain(r, batch, i) && *value_ns <= r->certain_limit_ns;
        if (r->groups != NULL)
            take_grouped(r, batch, i, *value_ns);
        return true;
    }
    if (r->groups != NULL && r->tally.infinite > infinite) {
        size_t group = groups_of(r->groups, batch, i);
        if (group != SIZE_MAX)
            groups_add_infinite(r->groups, group);
    }
    return false;
}

void recorder_take(struct recorder *r, const struct batch *batch)
{
    ns_t values_ns[BATCH_ROWS];
    const ns_t *from_ns = column(batch, r->plan->from), *to_ns = column(batch, r->plan->to);
    bool plain = is_plain(r, batch) && !r->counts_certain && r->groups == NULL;
    if (plain && r->plan->part == PART_NONE) {
        for (size_t i = 0; i < batch->count; i++)
            values_ns[i] = to_ns[i] - from_ns[i];
        take_values(r, values_ns, batch->count);
        return;
    }
    size_t count = 0;
    ns_t recorded_from_ns = batch_recorded_from_ns(batch, r->plan->warmup_ns);
    for (size_t i = 0; i < batch->count && (r->stop == NULL || !*r->stop); i++) {
        if (batch->due[i] < recorded_from_ns)
            continue;
        ns_t value_ns = recorder_value_ns(r->plan, batch, i);
        if (take_row(r, batch, i, &value_ns))
            values_ns[count++] = value_ns;
    }
    take_values(r, values_ns, count);
}

static ns_t least(ns_t a, ns_t b)
{
    return a < b ? a : b;
}

void recorder_merge(struct recorder *into, struct recorder *from)
{
    struct tally *t = &into->tally;
    const struct tally *other = &from->tally;
    t->requests += other->requests;
    t->added += other->added;
    t->excluded += other->excluded;
    t->infinite += other->infinite;
    t->censored += other->censored;
    t->sum_ns += other->sum_ns;
    t->overflow |= other->overflow || t->added > SAMPLES_MOST;
    t->censored_min_ns = least(t->censored_min_ns, other->censored_min_ns);
    t->min_ns = least(t->min_ns, other->min_ns);
    t->max_ns = t->max_ns > other->max_ns ? t->max_ns : other->max_ns;
    into->certain += from->certain;
    for (size_t k = 0; k < into->counter.count; k++)
        into->counter.above[k] += from->counter.above[k];
    if (into->store != NULL)
        store_kind(into->plan->store)->merge(into->store, from->store);
    if (into->groups != NULL)
        groups_merge(into->groups, from->groups);
}
