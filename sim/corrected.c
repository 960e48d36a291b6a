/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/corrected.h"

#include <stdlib.h>

#include "models/stores/store.h"
#include "sim/ladder.h"
#include "sim/recorder.h"
#include "sim/run_kernels.h"

/* Runs up to it are added sample by sample, where a ladder does not count them. */
#define SHORT_MOST 24
#define SHORTS 512 /* samples of short runs that are added together */
#define SHORTS_AT_ONCE 4

/* A ladder counts runs of any length at the cost of about so many samples. */
#define LADDER_SAMPLES 4

/* It pays when runs took so many steps without it. */
#define STEPS_LEAST ((size_t)1 << 15)
#define STEPS_A_RUN ((size_t)1 << 14)

/* No square of fewer samples wraps. */
#define SQUARE_MOST (UINT64_C(1) << 32)

struct corrected {
    struct ladder *ladder; /* NULL: not yet */
    size_t steps;          /* that runs took without it, about */
    size_t again_at_steps; /* when to ask the ladder again whether it reaches */
};

void corrected_close(struct corrected *c)
{
    if (c != NULL)
        ladder_close(c->ladder);
    free(c);
}

/* Where an instant cuts the runs: so many whole levels below the unit after it, and the rest. */
struct cut {
    uint64_t level, within;
};

static struct cut cut_after(struct correction_rule rule, ns_t limit_ns)
{
    uint64_t units = (limit_ns < NS_LIMIT ? limit_ns : NS_LIMIT) / rule.unit_ns + 1;
    units = units > rule.lowest ? units - rule.lowest : 0;
    return (struct cut){units / rule.interval, units % rule.interval};
}

/* The runs of a block of values, borrowed; those of values that nothing is added to are empty. */
struct runs {
    size_t count;
    const uint64_t *times, *rests;
    ns_t most_ns; /* the greatest of the values */
};

/* The sum of n (n - 1) / 2 over runs of n: how many intervals are below their samples, together. */
static u128 levels_below(const struct runs *runs, struct run_block all)
{
    u128 levels = 0;
    if (all.times < SQUARE_MOST)
        return (all.squares - all.times) / 2;
    for (size_t i = 0; i < runs->count; i++)
        levels += runs->times[i] == 0 ? 0 : (u128)runs->times[i] * (runs->times[i] - 1) / 2;
    return levels;
}

static uint64_t count_up_to(struct correction_rule rule, const struct runs *runs,
                            struct run_block all, ns_t limit_ns)
{
    if (limit_ns >= runs->most_ns)
        return all.times;
    struct cut cut = cut_after(rule, limit_ns);
    return run_kernels()->below(runs->times, runs->rests, runs->count, cut.level, cut.within);
}

static void tell(struct recorder *r, const struct runs *runs, struct run_block all)
{
    struct correction_rule rule = r->rule;
    u128 units = (u128)all.times * rule.lowest + all.rests;
    ns_t least_ns = (rule.lowest + all.rest) * rule.unit_ns;
    r->tally.added += all.times;
    r->tally.sum_ns += (units + levels_below(runs, all) * rule.interval) * rule.unit_ns;
    r->tally.min_ns = least_ns < r->tally.min_ns ? least_ns : r->tally.min_ns;
    for (size_t k = 0; k < r->counter.count; k++)
        r->counter.above[k] +=
            all.times - count_up_to(rule, runs, all, r->counter.thresholds_ns[k]);
    if (r->counts_certain)
        r->certain += count_up_to(rule, runs, all, r->certain_limit_ns);
}

static const struct store_type *store_of(const struct recorder *r)
{
    return store_kind(r->plan->store);
}

static void add_run(struct recorder *r, uint64_t times, uint64_t rest)
{
    uint64_t first = r->rule.lowest + rest + (times - 1) * r->rule.interval;
    store_of(r)->add_run(r->store, first * r->rule.unit_ns, r->rule.interval * r->rule.unit_ns,
                         times);
}

/* Where every ns has a cell of its own there would be too many. */
static bool has_cells(const struct recorder *r, ns_t value_ns)
{
    const struct store_type *store = store_of(r);
    if (store->add_times == NULL || r->rule.interval >= LADDER_INTERVAL_MOST)
        return false;
    struct stored cell = store->cell(r->plan->store.params, value_ns);
    return cell.beyond || cell.low_ns < cell.high_ns;
}

/* The ladder, where it reaches a value; else NULL.  Its cells are made when so many steps were
   taken that they cost no more. */
static struct ladder *ladder_for(struct recorder *r, ns_t value_ns)
{
    struct corrected *c = r->corrected;
    if (c == NULL && !has_cells(r, value_ns))
        return NULL;
    if (c == NULL) {
        c = r->corrected = must_alloc(1, sizeof *c);
        *c = (struct corrected){.again_at_steps = STEPS_LEAST};
    }
    if (c->steps < c->again_at_steps && c->ladder == NULL)
        return NULL;
    if (c->ladder == NULL)
        c->ladder = ladder_open(store_of(r)->cell, r->plan->store.params, r->rule);
    size_t cells_most = c->steps < c->again_at_steps ? 0 : c->steps;
    if (ladder_reaches(c->ladder, value_ns, cells_most))
        return c->ladder;
    if (cells_most > 0)
        c->again_at_steps = 2 * c->steps;
    return NULL;
}

static void add_long(struct recorder *r, struct ladder *ladder, uint64_t times, uint64_t rest)
{
    if (ladder != NULL) {
        ladder_add(ladder, &times, &rest, 1);
        return;
    }
    add_run(r, times, rest);
    if (r->corrected != NULL)
        r->corrected->steps += times < STEPS_A_RUN ? (size_t)times : STEPS_A_RUN;
}

static void add_shorts(struct recorder *r, const ns_t *shorts_ns, size_t count)
{
    struct column shorts = column_of(shorts_ns, count);
    if (count > 0)
        store_of(r)->add(r->store, shorts_ns, count, shorts.all.least_ns, shorts.all.greatest_ns);
    if (r->corrected != NULL)
        r->corrected->steps += count;
}

/* The samples of short runs are written some at a time, whether there are so many or not: how many
   there are is as good as random, and a branch on it would be guessed wrongly each time. */
static void store_runs(struct recorder *r, const struct runs *runs, struct run_block all)
{
    _Alignas(LINE_BYTES) ns_t shorts_ns[SHORTS + SHORTS_AT_ONCE];
    size_t shorts = 0;
    ns_t step_ns = r->rule.interval * r->rule.unit_ns;
    struct ladder *ladder = ladder_for(r, runs->most_ns);
    if (ladder != NULL && all.times >= LADDER_SAMPLES * runs->count) {
        ladder_add(ladder, runs->times, runs->rests, runs->count);
        return;
    }
    for (size_t i = 0; i < runs->count; i++) {
        if (runs->times[i] > SHORT_MOST) {
            add_long(r, ladder, runs->times[i], runs->rests[i]);
            continue;
        }
        ns_t sample_ns = (r->rule.lowest + runs->rests[i]) * r->rule.unit_ns;
        for (size_t done = 0; done < runs->times[i]; done += SHORTS_AT_ONCE)
            for (size_t k = 0; k < SHORTS_AT_ONCE; k++)
                shorts_ns[shorts + done + k] = sample_ns + (done + k) * step_ns;
        shorts += (size_t)runs->times[i];
        if (shorts > SHORTS - SHORT_MOST) {
            add_shorts(r, shorts_ns, shorts);
            shorts = 0;
        }
    }
    add_shorts(r, shorts_ns, shorts);
}

/* A single value, of any size: in integers. */
static void take_one(struct recorder *r, ns_t value_ns)
{
    uint64_t added = correction_adds(r->rule, value_ns);
    if (added == 0)
        return;
    if (added > SAMPLES_MOST - r->tally.added) {
        r->tally.overflow = true;
        return;
    }
    uint64_t w = value_ns / r->rule.unit_ns, rest = w - r->rule.lowest - added * r->rule.interval;
    struct runs run = {1, &added, &rest, value_ns};
    tell(r, &run, (struct run_block){added, rest, added * rest, added * added});
    if (r->store != NULL)
        add_run(r, added, rest);
}

static void take_block(struct recorder *r, const ns_t *values_ns, size_t count, struct span span)
{
    _Alignas(LINE_BYTES) uint64_t times[RUN_BLOCK], rests[RUN_BLOCK];
    struct run_block all = {0, 0, 0, 0};
    if (correction_adds(r->rule, span.greatest_ns) == 0)
        return;
    bool large = span.greatest_ns > RUN_VALUE_MOST;
    if (!large)
        all = run_kernels()->split(r->rule, values_ns, count, times, rests);
    if (large || all.times > SAMPLES_MOST - r->tally.added) {
        for (size_t i = 0; i < count; i++)
            take_one(r, values_ns[i]);
        return;
    }
    struct runs runs = {count, times, rests, span.greatest_ns};
    tell(r, &runs, all);
    if (r->store != NULL)
        store_runs(r, &runs, all);
}

void corrected_take(struct recorder *r, const struct column *column)
{
    for (size_t k = 0; k < SPANS_OF(column->count) && (r->stop == NULL || !*r->stop); k++) {
        size_t left = column->count - k * SPAN_ROWS;
        take_block(r, column->values_ns + k * SPAN_ROWS, left < SPAN_ROWS ? left : SPAN_ROWS,
                   column->blocks[k]);
    }
}

_Static_assert(SPAN_ROWS <= RUN_BLOCK && RUN_BLOCK <= LADDER_RUNS_AT_ONCE, "blocks are one");

static void put(void *self, ns_t value_ns, uint64_t times)
{
    struct recorder *r = self;
    store_of(r)->add_times(r->store, value_ns, times);
}

void corrected_settle(struct recorder *r)
{
    if (r->corrected != NULL && r->corrected->ladder != NULL)
        ladder_empty(r->corrected->ladder, put, r);
}
