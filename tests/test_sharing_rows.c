/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sharing where not every row is a sample, where threads take their part each, and where it ends
   early or never begins. */

#include <stdlib.h>

#include "models/base/random.h"
#include "models/stores/store.h"
#include "tests/claim.h"
#include "tests/odd_store.h"
#include "tests/takers.h"

struct hdr_params {
    uint64_t digits;
    ns_t lowest_ns, highest_ns;
    bool clamp;
};

static const struct hdr_params three = {3, 1, DAY_NS, true}, two = {2, 1, DAY_NS, true};

static uint64_t word(uint64_t seed, uint64_t i)
{
    return stream_word(stream_open(seed, 0, 0, PURPOSE_SERVICE), i);
}

static ns_t of_any_size(uint64_t drawn, unsigned bits)
{
    return (drawn >> 8) >> (64 - 8 - bits + drawn % (bits + 1));
}

/* ---- rows of all kinds ---- */

struct rows {
    ns_t due_ns[BATCH_ROWS], finished_ns[BATCH_ROWS];
    uint8_t status[BATCH_ROWS];
    uint32_t replica[BATCH_ROWS];
    uint64_t client[BATCH_ROWS];
    struct batch batch;
};

/* One in eight was given up; 1 us after the other. */
static void make_rows(struct rows *rows, uint64_t seed, uint64_t number)
{
    size_t count = 1 + word(seed, number) % BATCH_ROWS;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t drawn = word(seed + number, i);
        rows->due_ns[i] = (number * BATCH_ROWS + i) * 1000;
        rows->finished_ns[i] = rows->due_ns[i] + of_any_size(drawn, 30);
        rows->status[i] = drawn >> 61 == 0 ? STATUS_TIMED_OUT : STATUS_ANSWERED;
        rows->replica[i] = drawn >> 32 & 1;
    }
    rows->batch = (struct batch){.count = count,
                                 .in_order = true,
                                 .due = rows->due_ns,
                                 .acquired = rows->due_ns,
                                 .sent = rows->due_ns,
                                 .started = rows->due_ns,
                                 .finished = rows->finished_ns,
                                 .ended = rows->finished_ns,
                                 .status = rows->status,
                                 .client = rows->client,
                                 .replica = rows->replica};
}

static void take_rows(struct takers *t, const struct rows *rows)
{
    const struct recorder_plan *plan = &t->of[0].plan;
    columns_begin(t->columns, &rows->batch);
    recorder_take(&t->of[0].recorder, t->columns);
    for (size_t i = 0; i < rows->batch.count; i++) {
        bool kept = rows->status[i] == STATUS_ANSWERED || plan->failures == FAILURES_TIMEOUT ||
                    plan->failures == FAILURES_END;
        if (kept && rows->due_ns[i] >= plan->warmup_ns)
            takers_beside(t, rows->finished_ns[i] - rows->due_ns[i]);
    }
}

static void expect_rows(const struct recorder_plan *plan, size_t count, uint64_t seed)
{
    struct rows *rows = must_alloc(1, sizeof *rows);
    const struct choice stores[] = {store_named("hdr", &three), store_named("hdr", &two),
                                    store_named("exact", NULL), store_named("hdr", &three)};
    struct takers t;
    takers_open(&t, plan, stores, count);
    t.of[0].recorder.counts_certain = seed % 2;
    t.of[0].recorder.certain_limit_ns = 5000;
    for (uint64_t replication = 0; replication < 2; replication++) {
        sharing_begin(&t.of[0].recorder);
        for (uint64_t number = 0; number < 5; number++) {
            make_rows(rows, seed + replication, number);
            take_rows(&t, rows);
        }
        for (size_t i = 0; i < count; i++)
            assert_true(t.of[i].recorder.shares == (i % 3 == 0));
        takers_end(&t);
    }
    takers_expect_alike(&t);
    takers_close(&t);
    free(rows);
}

static void rows_that_failed_or_are_left_out_are_no_samples_or_as_the_recorder_says(void **state)
{
    (void)state;
    struct recorder_plan plan = {.from = INSTANT_DUE, .to = INSTANT_FINISHED};
    for (plan.failures = FAILURES_DROPPED; plan.failures <= FAILURES_INFINITE; plan.failures++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            plan.warmup_ns = seed * 777777;
            expect_rows(&plan, TAKERS, seed);
        }
}

static void one_that_also_keeps_groups_shares(void **state)
{
    (void)state;
    struct recorder_plan plan = {.from = INSTANT_DUE, .to = INSTANT_FINISHED, .per = PER_REPLICA};
    expect_rows(&plan, 1, 1);
    plan.part = PART_NONE;
    plan.per = PER_WINDOW;
    plan.window_ns = 100000;
    expect_rows(&plan, 1, 2);
}

/* ---- stores with cells of their own above some value ---- */

#define COLUMNS 6
#define COLUMN_ROWS 600

/* Every third block is one value. */
static void draw_column(ns_t *values_ns, uint64_t seed, uint64_t column)
{
    for (uint64_t i = 0; i < COLUMN_ROWS; i++) {
        bool one = (column + i / SPAN_ROWS) % 3 == 0;
        values_ns[i] =
            of_any_size(word(seed, (column * COLUMN_ROWS + i) / (one ? SPAN_ROWS : 1)), 24);
    }
}

/* How many of a replication's samples are in blocks before the first with one above the limit. */
static uint64_t told_of(uint64_t seed, ns_t above_ns)
{
    uint64_t told = 0;
    for (uint64_t column = 0; column < COLUMNS; column++) {
        ns_t values_ns[COLUMN_ROWS];
        draw_column(values_ns, seed, column);
        struct column c = column_of(values_ns, COLUMN_ROWS);
        for (size_t block = 0; block < SPANS_OF(COLUMN_ROWS); block++) {
            if (c.blocks[block].greatest_ns > above_ns)
                return told;
            told += column_block_rows(&c, block);
        }
    }
    return told;
}

static void take_replication(struct takers *t, uint64_t seed)
{
    ns_t values_ns[COLUMN_ROWS];
    sharing_begin(&t->of[0].recorder);
    for (uint64_t column = 0; column < COLUMNS; column++) {
        draw_column(values_ns, seed, column);
        takers_take(t, values_ns, COLUMN_ROWS);
    }
    takers_end(t);
}

/* Two odd ones that part from the census at values of their own, and a true one, in any order; the
   numbers that begin to differ where they are looked at are never shared. */
static void each_shares_until_a_value_whose_cell_is_another(void **state)
{
    (void)state;
    static const ns_t limits_ns[] = {0, 1000, 8191, 8192, 50000, 1000000, 12000000};
    const size_t limits = sizeof limits_ns / sizeof limits_ns[0];
    struct recorder_plan plan = {.from = INSTANT_DUE, .to = INSTANT_FINISHED};
    struct odd_params params[3] = {{store_named("hdr", &three), UINT64_MAX, 0, ODD_AS_TOLD}};
    params[1] = params[2] = params[0];
    for (uint64_t seed = 0; seed < 3 * limits; seed++) {
        struct takers t;
        struct choice stores[3];
        uint64_t told[3] = {0, 0, 0};
        for (size_t i = 0; i < 3; i++)
            stores[(i + seed) % 3] = (struct choice){&odd_store.is, &params[i]};
        params[1].above_ns = limits_ns[seed % limits];
        params[2].above_ns = limits_ns[(seed + 1 + seed / limits) % limits];
        takers_open(&t, &plan, stores, 3);
        for (uint64_t replication = 0; replication < 2; replication++) {
            take_replication(&t, 10 * seed + replication);
            for (size_t i = 0; i < 3; i++) {
                ns_t above_ns = params[i].above_ns;
                told[i] += above_ns < 8192 ? 0 : told_of(10 * seed + replication, above_ns);
                const struct odd *odd = t.of[(i + seed) % 3].recorder.store;
                assert_int_equal(odd->counted, told[i]);
                assert_int_equal(odd->added + odd->counted, t.samples);
            }
        }
        takers_expect_alike(&t);
        takers_close(&t);
    }
}

/* ---- threads ---- */

static void what_two_threads_took_is_merged(void **state)
{
    (void)state;
    struct recorder_plan plan = {.from = INSTANT_DUE, .to = INSTANT_FINISHED};
    struct odd_params params = {store_named("hdr", &three), 60000, 0, ODD_AS_TOLD};
    const struct choice stores[] = {
        store_named("hdr", &three), {&odd_store.is, &params}, store_named("exact", NULL)};
    struct takers t[3]; /* the last takes nothing */
    for (size_t k = 0; k < 3; k++) {
        takers_open(&t[k], &plan, stores, 3);
        for (uint64_t replication = 0; replication < 2 - k; replication++)
            take_replication(&t[k], 100 * k + replication);
    }
    takers_merge(&t[2], &t[0]);
    takers_merge(&t[2], &t[1]);
    assert_int_equal(t[2].samples, 3 * COLUMNS * COLUMN_ROWS);
    takers_expect_alike(&t[2]);
    for (size_t k = 0; k < 3; k++)
        takers_close(&t[k]);
}

/* ---- those that never share, and a stop ---- */

static void without_thresholds_or_with_a_correction_nothing_is_shared(void **state)
{
    (void)state;
    struct recorder_plan plan = {.from = INSTANT_DUE, .to = INSTANT_FINISHED};
    plan.store = store_named("hdr", &three);
    for (unsigned which = 0; which < 4; which++) {
        struct recorder r;
        struct correction_rule rule = {1, which == 1 ? 1000 : 0, which == 1 ? 1000 : 0};
        recorder_open(&r, &plan, rule, which != 2, taken_thresholds_ns, which == 0 ? 0 : 1);
        sharing_begin(&r);
        assert_true(r.shares == (which == 3));
        recorder_end_replication(&r, NULL);
        assert_false(r.shares);
        recorder_close(&r);
    }
}

/* A census of so many that a column more does not fit: it makes room before the column, not while
   it is looked at which cells a block has added to. */
static void a_census_that_is_full_spills_between_columns(void **state)
{
    (void)state;
    struct recorder_plan plan = {.from = INSTANT_DUE, .to = INSTANT_FINISHED};
    const struct choice store = store_named("hdr", &three);
    const ns_t above_ns = taken_thresholds_ns[1] + 1; /* in the threshold's own cell */
    const ns_t values_ns[] = {1, above_ns, above_ns, above_ns};
    struct takers t;
    takers_open(&t, &plan, &store, 1);
    struct recorder *r = &t.of[0].recorder;
    sharing_begin(r);
    takers_take(&t, values_ns, 4);
    census_add_times(r->counter.census, 1, (size_t)1 << 31);
    census_add_times(r->counter.census, 1, ((size_t)1 << 31) - 6);
    assert_int_equal(r->counter.census->fresh, UINT32_MAX - 1);
    takers_take(&t, values_ns, 4);
    assert_int_equal(r->counter.census->fresh, 4);
    recorder_end_replication(r, NULL);
    assert_int_equal(r->counter.above[1], 6);
    const struct store_type *hdr = store_kind(store);
    const uint64_t ones = 2 + (UINT64_C(1) << 32) - 6;
    assert_int_equal(hdr->select(r->store, ones).high_ns, 1);
    assert_true(hdr->select(r->store, ones + 1).low_ns > 1);
    assert_true(hdr->select(r->store, ones + 6).high_ns >= above_ns);
    takers_close(&t);
}

static void a_run_that_is_stopped_keeps_what_was_taken(void **state)
{
    (void)state;
    struct rows *rows = must_alloc(1, sizeof *rows);
    struct recorder_plan plan = {.from = INSTANT_DUE, .to = INSTANT_FINISHED, .warmup_ns = 1};
    const struct choice stores[] = {store_named("hdr", &three), store_named("hdr", &three)};
    volatile sig_atomic_t stop = 0;
    struct takers t;
    takers_open(&t, &plan, stores, 2);
    t.of[0].recorder.stop = &stop;
    sharing_begin(&t.of[0].recorder);
    for (uint64_t number = 0; number < 3; number++) {
        make_rows(rows, 5, number);
        take_rows(&t, rows);
    }
    stop = 1;
    columns_begin(t.columns, &rows->batch);
    recorder_take(&t.of[0].recorder, t.columns); /* none of them */
    takers_end(&t);
    takers_expect_alike(&t);
    takers_close(&t);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_failed_or_are_left_out_are_no_samples_or_as_the_recorder_says),
        cmocka_unit_test(one_that_also_keeps_groups_shares),
        cmocka_unit_test(each_shares_until_a_value_whose_cell_is_another),
        cmocka_unit_test(what_two_threads_took_is_merged),
        cmocka_unit_test(without_thresholds_or_with_a_correction_nothing_is_shared),
        cmocka_unit_test(a_census_that_is_full_spills_between_columns),
        cmocka_unit_test(a_run_that_is_stopped_keeps_what_was_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
