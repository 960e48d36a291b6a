/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/recorder.h"

#include <stdlib.h>

#include "models/stores/store.h"
#include "sim/corrected.h"
#include "sim/sharing.h"

void recorder_open(struct recorder *recorder, const struct recorder_plan *plan,
                   struct correction_rule rule, bool stores, const ns_t *thresholds_ns,
                   size_t threshold_count)
{
    *recorder = (struct recorder){.plan = plan, .rule = rule};
    recorder->tally.min_ns = recorder->tally.censored_min_ns = UINT64_MAX;
    counter_open(&recorder->counter, thresholds_ns, threshold_count);
    if (!stores)
        return;
    recorder->store = store_kind(plan->store)->open(plan->store.params);
    if (plan->per == PER_RUN)
        return;
    recorder->groups = must_alloc(1, sizeof *recorder->groups);
    groups_open(recorder->groups, plan, rule);
}

void recorder_close(struct recorder *recorder)
{
    if (recorder->store != NULL)
        store_kind(recorder->plan->store)->close(recorder->store);
    if (recorder->groups != NULL)
        groups_close(recorder->groups);
    free(recorder->groups);
    counter_close(&recorder->counter);
    corrected_close(recorder->corrected);
    *recorder = (struct recorder){0};
}

const ns_t *recorder_column(const struct batch *batch, enum instant instant)
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
    case PART_NONE: return recorder_column(b, plan->to)[i] - recorder_column(b, plan->from)[i];
    case PART_QUEUE: return batch_queue_ns(b, i);
    case PART_STALL: return batch_stall_ns(b, i);
    case PART_SERVICE: return batch_service_ns(b, i);
    }
    BUG("a part outside its enum");
}

/* One value costs one step, where the store has one for it. */
static void store_piece(struct recorder *r, const struct piece *piece)
{
    const struct store_type *store = store_kind(r->plan->store);
    if (piece_is_one_value(piece) && store->add_times != NULL)
        store->add_times(r->store, piece->span.least_ns, piece->count);
    else
        store->add(r->store, piece->values_ns, piece->count, piece->span.least_ns,
                   piece->span.greatest_ns);
}

static void take_piece(struct recorder *r, const struct piece *piece)
{
    struct census_cells found, *cells = NULL;
    if (r->counter.census != NULL && !piece_is_one_value(piece)) {
        cells = &found;
        census_find(cells, piece);
    }
    for (struct recorder *each = r; each != NULL; each = each->followed_by) {
        if (each->shares && !sharing_agrees(each, piece, cells))
            sharing_end(each, r->counter.census);
        if (each->store != NULL && !each->shares)
            store_piece(each, piece);
    }
    counter_take(&r->counter, piece, cells);
}

static void take_values(struct recorder *r, const struct column *c)
{
    struct tally *t = &r->tally;
    if (c->count == 0)
        return;
    t->min_ns = c->all.least_ns < t->min_ns ? c->all.least_ns : t->min_ns;
    t->max_ns = c->all.greatest_ns > t->max_ns ? c->all.greatest_ns : t->max_ns;
    t->sum_ns += column_sum_ns(c, 0, c->count);
    t->requests += c->count;
    counter_make_room(&r->counter, c);
    for (size_t done = 0; done < c->count;) {
        struct piece piece = column_piece(c, done);
        take_piece(r, &piece);
        done += piece.count;
    }
    if (r->rule.interval != 0)
        corrected_take(r, c);
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
        if (failure_end_ns(r, batch, i) < recorder_column(batch, r->plan->from)[i]) {
            r->tally.excluded++; /* given up before the stopwatch began: it has no such time */
            return false;
        }
        *value_ns = failure_end_ns(r, batch, i) - recorder_column(batch, r->plan->from)[i];
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

static bool all_due_from(const struct batch *b, ns_t from_ns)
{
    if (from_ns == 0 || b->count == 0)
        return true;
    if (b->in_order)
        return b->due[0] >= from_ns;
    return from_ns < NS_LIMIT &&
           row_kernels()->within(b->due, b->count, from_ns, NS_LIMIT - from_ns) == b->count;
}

bool recorder_takes_all(const struct batch *b, ns_t recorded_from_ns)
{
    return b->answered && all_due_from(b, recorded_from_ns);
}

bool recorder_suits_census(const struct recorder_plan *plan)
{
    ns_t high_ns = store_kind(plan->store)->cell(plan->store.params, NS_PER_S + 1).high_ns;
    return plan->correction.type == NULL && census_low_ns(census_cell(high_ns + 1)) == high_ns + 1;
}

unsigned recorder_wants(const struct recorder_plan *plan)
{
    unsigned wants = 0;
    if (plan->from == INSTANT_STARTED || plan->to == INSTANT_STARTED)
        wants |= WANTS_STARTED;
    if (plan->part != PART_NONE)
        wants |= WANTS_STARTED | WANTS_PARTS;
    switch (plan->per) {
    case PER_RUN:
    case PER_WINDOW: return wants;
    case PER_CLIENT: return wants | WANTS_CLIENT;
    case PER_REPLICA: return wants | WANTS_REPLICA;
    }
    BUG("a per outside its enum");
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
    uint64_t added = correction_adds(r->rule, value_ns);
    if (added > 0 && added <= SAMPLES_MOST)
        groups_add_run(r->groups, group, value_ns);
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

/* Row by row: where some are left out or failed, or more is asked of each than its value. */
static size_t take_rows(struct recorder *r, const struct batch *batch, ns_t recorded_from_ns,
                        ns_t *values_ns)
{
    size_t count = 0;
    for (size_t i = 0; i < batch->count && (r->stop == NULL || !*r->stop); i++) {
        if (batch->due[i] < recorded_from_ns)
            continue;
        ns_t value_ns = recorder_value_ns(r->plan, batch, i);
        if (take_row(r, batch, i, &value_ns))
            values_ns[count++] = value_ns;
    }
    return count;
}

void recorder_take(struct recorder *r, struct columns *columns)
{
    _Alignas(LINE_BYTES) ns_t values_ns[BATCH_ROWS];
    const struct batch *batch = columns->batch;
    ns_t recorded_from_ns = batch_recorded_from_ns(batch, r->plan->warmup_ns);
    if (recorded_from_ns >= NS_LIMIT)
        return;
    if (r->plan->part == PART_NONE && !r->counts_certain && r->groups == NULL &&
        recorder_takes_all(batch, recorded_from_ns)) {
        take_values(r, columns_between(columns, recorder_column(batch, r->plan->to),
                                       recorder_column(batch, r->plan->from)));
        return;
    }
    size_t count = take_rows(r, batch, recorded_from_ns, values_ns);
    struct column column = column_of(values_ns, count);
    take_values(r, &column);
}

bool recorder_samples_alike(const struct recorder_plan *a, const struct recorder_plan *b)
{
    return a->load == b->load && a->from == b->from && a->to == b->to && a->part == b->part &&
           a->failures == b->failures && a->warmup_ns == b->warmup_ns && a->per == PER_RUN &&
           b->per == PER_RUN && a->correction.type == NULL && b->correction.type == NULL;
}

void recorder_follow(struct recorder *r, struct recorder *leader)
{
    r->followed_by = leader->followed_by;
    leader->followed_by = r;
    counter_drop_census(&r->counter);
}

void recorder_end_replication(struct recorder *r, struct census_list *census)
{
    sharing_end_all(r);
    counter_end_replication(&r->counter, census);
    for (struct recorder *other = r->followed_by; other != NULL; other = other->followed_by) {
        other->tally = r->tally;
        counter_copy(&other->counter, &r->counter);
    }
}

static ns_t least(ns_t a, ns_t b)
{
    return a < b ? a : b;
}

static void merge_stores(struct recorder *into, struct recorder *from)
{
    corrected_settle(into);
    corrected_settle(from);
    store_kind(into->plan->store)->merge(into->store, from->store);
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
        merge_stores(into, from);
    if (into->groups != NULL)
        groups_merge(into->groups, from->groups);
}
