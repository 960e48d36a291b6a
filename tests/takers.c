/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/takers.h"

#include <stdlib.h>

#include "models/registry.h"
#include "models/stores/store.h"
#include "tests/claim.h"
#include "tests/odd_store.h"

struct choice store_named(const char *name, const void *params)
{
    return (struct choice){variant_find(&set_stores, name), (void *)(uintptr_t)params};
}

void takers_open(struct takers *t, const struct recorder_plan *plan, const struct choice *stores,
                 size_t count)
{
    *t = (struct takers){.count = count, .columns = must_alloc_lines(1, sizeof *t->columns)};
    for (size_t i = 0; i < count; i++) {
        struct taker *taker = &t->of[i];
        taker->plan = *plan;
        taker->plan.store = taker->of = stores[i];
        if (store_kind(stores[i]) == &odd_store)
            taker->of = ((const struct odd_params *)stores[i].params)->of;
        taker->beside = store_kind(taker->of)->open(taker->of.params);
        recorder_open(&taker->recorder, &taker->plan, (struct correction_rule){.unit_ns = 1}, true,
                      taken_thresholds_ns, TAKEN_THRESHOLDS);
        if (i > 0)
            recorder_follow(&taker->recorder, &t->of[0].recorder);
    }
}

void takers_close(struct takers *t)
{
    for (size_t i = 0; i < t->count; i++) {
        store_kind(t->of[i].of)->close(t->of[i].beside);
        recorder_close(&t->of[i].recorder);
    }
    free(t->columns);
}

void takers_beside(struct takers *t, ns_t value_ns)
{
    for (size_t i = 0; i < t->count; i++)
        store_kind(t->of[i].of)->add(t->of[i].beside, &value_ns, 1, value_ns, value_ns);
    for (size_t k = 0; k < TAKEN_THRESHOLDS; k++)
        t->above[k] += value_ns > taken_thresholds_ns[k];
    t->samples++;
}

void takers_take(struct takers *t, const ns_t *values_ns, size_t count)
{
    static const ns_t due_ns[BATCH_ROWS] = {0};
    struct batch batch = {
        .count = count, .answered = true, .due = due_ns, .sent = due_ns, .finished = values_ns};
    columns_begin(t->columns, &batch);
    recorder_take(&t->of[0].recorder, t->columns);
    for (size_t i = 0; i < count; i++)
        takers_beside(t, values_ns[i]);
}

static bool same(struct stored a, struct stored b)
{
    return a.low_ns == b.low_ns && a.high_ns == b.high_ns && a.beyond == b.beyond;
}

/* What two stores say of a rank. */
struct said {
    uint64_t rank;
    struct stored a, b;
};

struct pair {
    const struct store_type *kind_of_a, *kind_of_b;
    void *a, *b;
};

static struct said say(struct pair p, uint64_t rank)
{
    return (struct said){rank, p.kind_of_a->select(p.a, rank), p.kind_of_b->select(p.b, rank)};
}

/* At all ranks between two: where these are of one cell, so are all. */
static bool alike(struct pair p, struct said first, struct said last)
{
    if (!same(first.a, first.b) || !same(last.a, last.b))
        return false;
    if (same(first.a, last.a) || last.rank - first.rank < 2)
        return true;
    struct said middle = say(p, first.rank + (last.rank - first.rank) / 2);
    return alike(p, first, middle) && alike(p, middle, last);
}

bool takers_alike(const struct takers *t, size_t i, uint64_t samples)
{
    const struct taker *taker = &t->of[i];
    struct pair pair = {store_kind(taker->plan.store), store_kind(taker->of), taker->recorder.store,
                        taker->beside};
    return alike(pair, say(pair, 1), say(pair, samples));
}

void takers_end(struct takers *t)
{
    struct census_list list;
    recorder_end_replication(&t->of[0].recorder, &list);
    assert_int_equal(census_total(&list), t->samples - t->ended);
    t->ended = t->samples;
    free(list.entries);
    for (size_t i = 0; i < t->count; i++) {
        assert_false(t->of[i].recorder.shares);
        assert_int_equal(t->of[i].recorder.tally.requests, t->samples);
        for (size_t k = 0; k < TAKEN_THRESHOLDS; k++)
            assert_int_equal(t->of[i].recorder.counter.above[k], t->above[k]);
    }
}

void takers_expect_alike(const struct takers *t)
{
    for (size_t i = 0; i < t->count; i++)
        assert_true(takers_alike(t, i, t->samples));
}

void takers_merge(struct takers *into, struct takers *from)
{
    for (size_t i = 0; i < into->count; i++) {
        struct taker *to = &into->of[i], *other = &from->of[i];
        recorder_merge(&to->recorder, &other->recorder);
        store_kind(to->of)->merge(to->beside, other->beside);
    }
    into->samples += from->samples;
    for (size_t k = 0; k < TAKEN_THRESHOLDS; k++)
        into->above[k] += from->above[k];
}
