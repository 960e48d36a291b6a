/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/corrected.h"

#include <stdlib.h>

#include "models/stores/store.h"
#include "sim/ladder.h"
#include "sim/recorder.h"
#include "sim/run_kernels.h"

/* Runs up to it are added sample by sample. */
#define SHORT_MOST 24
#define SHORTS 512 /* samples of short runs that are added together */
#define SHORTS_AT_ONCE 4

/* Longer ones are added as runs until that took so many steps that a ladder pays. */
#define STEPS_LEAST ((size_t)1 << 15)
#define STEPS_A_RUN ((size_t)1 << 14)

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

/* The runs of a block of values, borrowed. */
struct runs {
    size_t count;
    const uint64_t *times, *rests;
};

static void tell(struct recorder *r, const struct runs *runs, struct run_block all)
{
    struct correction_rule rule = r->rule;
    u128 units = 0, levels = 0;
    for (size_t i = 0; i < runs->count; i++) {
        uint64_t n = runs->times[i];
        units += (u128)n * (rule.lowest + runs->rests[i]);
        levels += (u128)n * (n - 1) / 2;
    }
    ns_t least_ns = (rule.lowest + all.rest) * rule.unit_ns;
    r->tally.added += all.times;
    r->tally.sum_ns += (units + levels * rule.interval) * rule.unit_ns;
    r->tally.min_ns = least_ns < r->tally.min_ns ? least_ns : r->tally.min_ns;
    const struct run_kernels *kernels = run_kernels();
    for (size_t k = 0; k < r->counter.count; k++) {
        struct cut cut = cut_after(rule, r->counter.thresholds_ns[k]);
        r->counter.above[k] += all.times - kernels->below(runs->times, runs->rests, runs->count,
                                                          cut.level, cut.within);
    }
    if (!r->counts_certain)
        return;
    struct cut cut = cut_after(rule, r->certain_limit_ns);
    r->certain += kernels->below(runs->times, runs->rests, runs->count, cut.level, cut.within);
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

/* Only where the ladder reaches a value: its cells are made when so many steps were taken that they
   cost no more. */
static bool climbs(struct recorder *r, ns_t value_ns)
{
    struct corrected *c = r->corrected;
    if (c->steps < c->again_at_steps && c->ladder == NULL)
        return false;
    if (c->ladder == NULL)
        c->ladder = ladder_open(store_of(r)->cell, r->plan->store.params, r->rule);
    size_t cells_most = c->steps < c->again_at_steps ? 0 : c->steps;
    if (ladder_reaches(c->ladder, value_ns, cells_most))
        return true;
    if (cells_most > 0)
        c->again_at_steps = 2 * c->steps;
    return false;
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

static void add_long(struct recorder *r, uint64_t times, uint64_t rest)
{
    ns_t value_ns = (r->rule.lowest + rest + times * r->rule.interval) * r->rule.unit_ns;
    if (r->corrected == NULL && !has_cells(r, value_ns)) {
        add_run(r, times, rest);
        return;
    }
    if (r->corrected == NULL) {
        r->corrected = must_alloc(1, sizeof *r->corrected);
        *r->corrected = (struct corrected){.again_at_steps = STEPS_LEAST};
    }
    if (climbs(r, value_ns)) {
        ladder_add(r->corrected->ladder, times, rest);
        return;
    }
    add_run(r, times, rest);
    r->corrected->steps += times < STEPS_A_RUN ? (size_t)times : STEPS_A_RUN;
}

/* The samples of short runs are written some at a time, whether there are so many or not: how many
   there are is as good as random, and a branch on it would be guessed wrongly each time. */
static void store_runs(struct recorder *r, const struct runs *runs)
{
    ns_t shorts_ns[SHORTS + SHORTS_AT_ONCE];
    size_t shorts = 0;
    ns_t step_ns = r->rule.interval * r->rule.unit_ns;
    for (size_t i = 0; i < runs->count; i++) {
        if (runs->times[i] > SHORT_MOST) {
            add_long(r, runs->times[i], runs->rests[i]);
            continue;
        }
        ns_t sample_ns = (r->rule.lowest + runs->rests[i]) * r->rule.unit_ns;
        for (size_t done = 0; done < runs->times[i]; done += SHORTS_AT_ONCE)
            for (size_t k = 0; k < SHORTS_AT_ONCE; k++)
                shorts_ns[shorts + done + k] = sample_ns + (done + k) * step_ns;
        shorts += (size_t)runs->times[i];
        if (shorts > SHORTS - SHORT_MOST) {
            store_of(r)->add(r->store, shorts_ns, shorts);
            shorts = 0;
        }
    }
    if (shorts > 0)
        store_of(r)->add(r->store, shorts_ns, shorts);
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
    struct runs run = {1, &added, &rest};
    tell(r, &run, (struct run_block){.times = added, .rest = rest});
    if (r->store != NULL)
        add_run(r, added, rest);
}

/* Moves the runs of at least one sample to the front: how many they are. */
static size_t without_empty(uint64_t *times, uint64_t *rests, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        times[kept] = times[i];
        rests[kept] = rests[i];
        kept += times[i] > 0;
    }
    return kept;
}

static void take_block(struct recorder *r, const ns_t *values_ns, size_t count)
{
    uint64_t times[RUN_BLOCK], rests[RUN_BLOCK];
    struct runs runs = {count, times, rests};
    struct run_block all = run_kernels()->split(r->rule, values_ns, count, times, rests);
    if (all.large || all.times > SAMPLES_MOST - r->tally.added) {
        for (size_t i = 0; i < count; i++)
            take_one(r, values_ns[i]);
        return;
    }
    if (all.times == 0)
        return;
    runs.count = without_empty(times, rests, count);
    tell(r, &runs, all);
    if (r->store != NULL)
        store_runs(r, &runs);
}

void corrected_take(struct recorder *r, const ns_t *values_ns, size_t count)
{
    for (size_t done = 0; done < count && (r->stop == NULL || !*r->stop); done += RUN_BLOCK)
        take_block(r, values_ns + done, count - done < RUN_BLOCK ? count - done : RUN_BLOCK);
}

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
