/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/takers.h"

#include "models/base/random.h"
#include "tests/claim.h"
#include "tests/odd_store.h"

struct hdr_params {
    uint64_t digits;
    ns_t lowest_ns, highest_ns;
    bool clamp;
};

struct linear_params {
    ns_t width_ns, highest_ns;
    bool clamp;
};

static const struct hdr_params three = {3, 1, DAY_NS, true}, all = {3, 1, NS_LIMIT - 1, false};

static uint64_t word(uint64_t seed, uint64_t i)
{
    return stream_word(stream_open(seed, 0, 0, PURPOSE_SERVICE), i);
}

/* ---- columns ---- */

enum kind { KIND_SMALL, KIND_FEW_BITS, KIND_EDGES, KIND_ONE, KIND_ANY, KIND_LONG, KIND_HUGE };
#define KINDS (KIND_HUGE + 1)
#define TAME (KIND_LONG) /* kinds before it lie within a day */

/* Of all sizes below 2^bits. */
static ns_t of_any_size(uint64_t drawn, unsigned bits)
{
    return (drawn >> 8) >> (64 - 8 - bits + drawn % (bits + 1));
}

static ns_t value_of(enum kind kind, uint64_t seed, uint64_t i)
{
    uint64_t drawn = word(seed, i), one = word(seed, UINT64_C(1) << 40 | i / SPAN_ROWS);
    switch (kind) {
    case KIND_SMALL: return drawn % 1024;
    case KIND_FEW_BITS: return drawn % 5000;
    case KIND_EDGES: return (UINT64_C(1) << drawn % 46) + drawn / 64 % 5 - (drawn % 46 > 0 ? 1 : 0);
    case KIND_ONE: return of_any_size(one, one % 16 == 0 ? 55 : 46);
    case KIND_ANY: return of_any_size(drawn, 46);
    case KIND_LONG: return of_any_size(drawn, 51);
    case KIND_HUGE: return drawn % 50 == 0 ? of_any_size(drawn / 50, 56) : drawn % 9999999;
    }
    return 0;
}

/* A column of blocks of some kinds, some of them not whole. */
static size_t fill(ns_t *values_ns, uint64_t seed, uint64_t column, size_t kinds)
{
    static const size_t rows[] = {1, 2, 255, 256, 257, 511, 700, BATCH_ROWS};
    size_t count = rows[word(seed, column) % 8];
    uint64_t own = seed << 20 | column;
    for (size_t i = 0; i < count; i++) {
        enum kind kind = (enum kind)(word(own, UINT64_C(1) << 41 | i / SPAN_ROWS) % kinds);
        values_ns[i] = value_of(kind, own, i);
        if (kinds == TAME && values_ns[i] > DAY_NS)
            values_ns[i] = DAY_NS;
    }
    return count;
}

/* ---- what each ends with ---- */

#define STORES 10

/* The first three share as long as their samples are within a day; the others never begin to. */
#define SHARING 3

static void name_stores(struct choice *stores)
{
    static const struct hdr_params others[] = {
        {3, 1, DAY_NS, false}, {3, 1, 8191, true},  {1, 1, DAY_NS, true}, {2, 1, 10000, true},
        {4, 1, 100000, true},  {5, 1, 50000, true}, {3, 2, DAY_NS, true}, {3, 1000, NS_PER_S, true},
    };
    static const struct linear_params linear = {777, 3000000, true};
    stores[0] = store_named("hdr", &three);
    stores[1] = store_named("hdr", &all);
    for (size_t i = 0; i < 6; i++)
        stores[2 + i] = store_named("hdr", &others[i < 5 ? i : 7]);
    stores[8] = store_named("linear", &linear);
    stores[9] = store_named("exact", NULL);
}

/* Which of them leads, and which follow. */
static void choose_stores(struct choice *stores, bool *shares, uint64_t seed)
{
    struct choice from[STORES];
    name_stores(from);
    for (size_t i = 0; i < TAKERS; i++) {
        size_t which = (word(seed, i) >> 8) % STORES;
        which = i == seed % TAKERS ? which % SHARING : which;
        stores[i] = from[which];
        shares[i] = which < SHARING;
    }
}

static void expect_each_ends_with_its_own(uint64_t seed, size_t kinds)
{
    struct takers t;
    struct choice stores[TAKERS];
    struct recorder_plan plan = {.from = INSTANT_DUE, .to = INSTANT_FINISHED};
    bool shares[TAKERS];
    choose_stores(stores, shares, seed);
    takers_open(&t, &plan, stores, TAKERS);
    for (uint64_t replication = 0; replication < 3; replication++) {
        sharing_begin(&t.of[0].recorder);
        for (uint64_t column = 0; column < word(seed, 50 + replication) % 4; column++) {
            ns_t values_ns[BATCH_ROWS];
            size_t count = fill(values_ns, seed, replication * 4 + column, kinds);
            for (size_t i = 0; i < TAKERS && kinds == TAME; i++)
                assert_true(t.of[i].recorder.shares == shares[i]);
            takers_take(&t, values_ns, count);
        }
        for (size_t i = 0; i < TAKERS && kinds == TAME; i++)
            assert_true(t.of[i].recorder.shares == shares[i]);
        takers_end(&t);
    }
    if (t.samples > 0)
        takers_expect_alike(&t);
    takers_close(&t);
}

static void each_that_shares_ends_with_the_store_that_adds_every_sample(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++)
        expect_each_ends_with_its_own(seed, TAME);
}

static void so_does_each_whose_samples_are_beyond_a_store_or_what_is_exact(void **state)
{
    (void)state;
    for (uint64_t seed = 101; seed <= 140; seed++)
        expect_each_ends_with_its_own(seed, KINDS);
}

/* ---- stores whose cells are others ---- */

/* Four columns of three pieces: two blocks, one of one value, and one that is not whole. */
#define COLUMNS 4
#define COLUMN_ROWS (3 * SPAN_ROWS + 88)
#define ASKED (COLUMNS * 2) /* pieces of several values */

static void take_columns(struct takers *t, uint64_t seed)
{
    ns_t values_ns[COLUMN_ROWS];
    for (uint64_t column = 0; column < COLUMNS; column++) {
        for (uint64_t i = 0; i < COLUMN_ROWS; i++)
            values_ns[i] = of_any_size(word(seed, column * COLUMN_ROWS + i), 24);
        for (uint64_t i = 2 * SPAN_ROWS; i < 3 * SPAN_ROWS; i++)
            values_ns[i] = values_ns[0];
        takers_take(t, values_ns, COLUMN_ROWS);
    }
}

/* Rows before a piece that stores are asked about, from 1. */
static uint64_t rows_before(uint64_t piece)
{
    return (piece - 1) / 2 * COLUMN_ROWS + (piece - 1) % 2 * 3 * SPAN_ROWS;
}

/* One of them is odd from a piece on, in the first replication, and a true one leads or follows. */
static void expect_none_lost(struct odd_params params, size_t odd, uint64_t told)
{
    struct takers t;
    struct choice stores[2];
    struct recorder_plan plan = {.from = INSTANT_DUE, .to = INSTANT_FINISHED};
    stores[odd] = (struct choice){&odd_store.is, &params};
    stores[1 - odd] = store_named("hdr", &three);
    takers_open(&t, &plan, stores, 2);
    for (uint64_t replication = 0; replication < 2; replication++) {
        sharing_begin(&t.of[0].recorder);
        take_columns(&t, replication);
        assert_true(t.of[1 - odd].recorder.shares);
        assert_true(t.of[odd].recorder.shares == (told == COLUMNS * COLUMN_ROWS || replication));
        takers_end(&t);
        const struct odd *store = t.of[odd].recorder.store;
        assert_int_equal(store->counted, told + replication * COLUMNS * COLUMN_ROWS);
        assert_int_equal(store->counted + store->added, t.samples);
    }
    takers_expect_alike(&t);
    takers_close(&t);
}

static void where_a_piece_differs_sharing_ends_and_no_sample_is_lost(void **state)
{
    (void)state;
    struct odd_params params = {store_named("hdr", &three), UINT64_MAX, 0, ODD_AS_TOLD};
    for (size_t odd = 0; odd < 2; odd++)
        for (params.piece = 0; params.piece <= ASKED; params.piece++)
            expect_none_lost(params, odd,
                             params.piece > 0 ? rows_before(params.piece) : COLUMNS * COLUMN_ROWS);
}

static void canary_a_sample_that_is_lost_or_misplaced_is_found(void **state)
{
    (void)state;
    for (enum odd_told told = ODD_AS_TOLD; told <= ODD_HIGHER; told++) {
        struct odd_params params = {store_named("hdr", &three), UINT64_MAX, 0, told};
        struct choice store = {&odd_store.is, &params};
        struct recorder_plan plan = {.from = INSTANT_DUE, .to = INSTANT_FINISHED};
        struct takers t;
        takers_open(&t, &plan, &store, 1);
        sharing_begin(&t.of[0].recorder);
        take_columns(&t, 7);
        takers_end(&t);
        assert_true(takers_alike(&t, 0, t.samples - (told == ODD_LOSES)) == (told == ODD_AS_TOLD));
        takers_close(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_that_shares_ends_with_the_store_that_adds_every_sample),
        cmocka_unit_test(so_does_each_whose_samples_are_beyond_a_store_or_what_is_exact),
        cmocka_unit_test(where_a_piece_differs_sharing_ends_and_no_sample_is_lost),
        cmocka_unit_test(canary_a_sample_that_is_lost_or_misplaced_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
