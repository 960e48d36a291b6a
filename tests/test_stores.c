/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "models/base/random.h"
#include "models/registry.h"
#include "models/stores/store.h"
#include "tests/claim.h"

struct hdr_params {
    uint64_t digits;
    ns_t lowest_ns, highest_ns;
    bool clamp;
};

static const struct store_type *hdr(void)
{
    return (const struct store_type *)(const void *)variant_find(&set_stores, "hdr");
}

static struct hdr_params three_digits(void)
{
    return (struct hdr_params){3, 1, 3600 * NS_PER_S, true};
}

struct linear_params {
    ns_t width_ns, highest_ns;
    bool clamp;
};

static const struct store_type *linear(void)
{
    return (const struct store_type *)(const void *)variant_find(&set_stores, "linear");
}

static void expect_cell(uint64_t digits, ns_t value, ns_t low, ns_t high)
{
    struct hdr_params p = three_digits();
    p.digits = digits;
    struct stored cell = hdr()->cell(&p, value);
    assert_false(cell.beyond);
    assert_int_equal(cell.low_ns, low);
    assert_int_equal(cell.high_ns, high);
}

/* FR-25 and the published layout of HdrHistogram. */
static void hdr_cells_are_those_of_the_c_library(void **state)
{
    (void)state;
    expect_cell(2, 34567, 34560, 34815);
    expect_cell(3, 71933, 71872, 71935);
    expect_cell(3, 2047, 2047, 2047);
    expect_cell(3, 2048, 2048, 2049);
    expect_cell(3, 4095, 4094, 4095);
    expect_cell(3, 4096, 4096, 4099);
    expect_cell(3, 48211, 48192, 48223);
    expect_cell(3, 7654321, 7651328, 7655423);
    expect_cell(3, 195100, 195072, 195199);
    expect_cell(3, 200100, 200064, 200191);
    expect_cell(1, 777, 768, 799);
    expect_cell(1, 9876, 9728, 10239);
    expect_cell(3, 0, 0, 0);
}

/* 1 us to 1 h at three digits is 23,552 counters in C, of which it can reach those up to 1 h. */
static void hdr_memory_is_flat_in_the_number_of_samples(void **state)
{
    (void)state;
    struct hdr_params p = {3, 1, 3600000000, true};
    assert_int_equal(hdr()->memory(&p, 1), hdr()->memory(&p, UINT64_C(1) << 40));
    assert_in_range(hdr()->memory(&p, 1), 22528 * 8, 23552 * 8);
}

/* FR-23: above the stated limit is beyond, though the cells would reach further. */
static void beyond_the_range_is_counted_and_only_known_from_below(void **state)
{
    (void)state;
    struct hdr_params p = {3, 1, 10000, true};
    static const struct {
        ns_t value;
        bool beyond;
    } cases[] = {{10000, false}, {10001, true}, {16383, true}, {16384, true}};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(hdr()->cell(&p, cases[i].value).beyond, cases[i].beyond);
    void *store = hdr()->open(&p);
    ns_t fast = 100, slow = 50000;
    for (int i = 0; i < 97; i++)
        hdr()->add(store, &fast, 1, fast, fast);
    for (int i = 0; i < 3; i++)
        hdr()->add(store, &slow, 1, slow, slow);
    assert_int_equal(hdr()->select(store, 97).high_ns, 100);
    for (uint64_t rank = 98; rank <= 100; rank++) {
        assert_true(hdr()->select(store, rank).beyond);
        assert_int_equal(hdr()->select(store, rank).low_ns, 10000);
    }
    hdr()->close(store);
}

static int compare_ns(const void *a, const void *b)
{
    ns_t x = *(const ns_t *)a, y = *(const ns_t *)b;
    return (x > y) - (x < y);
}

/* Random values and runs, in two stores that are merged, against a sorted array. */
static void hold_against_sorted(const struct store_type *type, const void *params, uint64_t seed)
{
    struct stream s = stream_open(seed, 0, 0, PURPOSE_SERVICE);
    size_t n = 1 + below(stream_word(s, 0), 3000), count = 0;
    ns_t *all = must_alloc(n + 100000, sizeof *all);
    void *stores[2] = {type->open(params), type->open(params)};
    for (size_t i = 0; i < n; i++) {
        ns_t v = stream_word(s, 2 * i + 1) >> (14 + below(stream_word(s, 2 * i + 2), 45));
        if (i % 50 == 0) {
            ns_t step = v / 300 + 1;
            uint64_t run = v / step;
            type->add_run(stores[i % 2], v, step, run);
            for (uint64_t k = 0; k < run; k++)
                all[count++] = v - k * step;
        } else {
            type->add(stores[i % 2], &v, 1, v, v);
            all[count++] = v;
        }
    }
    type->merge(stores[0], stores[1]);
    qsort(all, count, sizeof *all, compare_ns);
    for (uint64_t rank = 1; rank <= count; rank++) {
        struct stored got = type->select(stores[0], rank), want = type->cell(params, all[rank - 1]);
        assert_int_equal(got.low_ns, want.low_ns);
        assert_int_equal(got.high_ns, want.high_ns);
        assert_int_equal(got.beyond, want.beyond);
    }
    type->close(stores[0]);
    type->close(stores[1]);
    free(all);
}

static void every_order_statistic_is_that_of_the_sorted_samples(void **state)
{
    (void)state;
    struct hdr_params p = three_digits(), narrow = {1, 1000, 100000000, true};
    struct linear_params fine = {777, 1000000, true}, coarse = {NS_PER_S, 5000 * NS_PER_S, true};
    for (uint64_t seed = 1; seed <= 8; seed++) {
        hold_against_sorted(&store_exact, NULL, seed);
        hold_against_sorted(hdr(), &p, seed);
        hold_against_sorted(hdr(), &narrow, seed);
        hold_against_sorted(linear(), &fine, seed);
        hold_against_sorted(linear(), &coarse, seed);
    }
}

/* ---- linear buckets ---- */

/* S4-57: of buckets of 10 ms the first tells 5 ms as nearly 10 ms, which is 100 % off. */
static void a_linear_bucket_may_be_off_by_all_of_its_width(void **state)
{
    (void)state;
    struct linear_params p = {10 * NS_PER_MS, NS_PER_S, true};
    static const struct {
        ns_t value, low, high;
    } cases[] = {{0, 0, 9999999},
                 {5000000, 0, 9999999},
                 {9999999, 0, 9999999},
                 {10000000, 10000000, 19999999},
                 {999999999, 990000000, 999999999},
                 {1000000000, 1000000000, 1009999999}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct stored cell = linear()->cell(&p, cases[i].value);
        assert_int_equal(cell.low_ns, cases[i].low);
        assert_int_equal(cell.high_ns, cases[i].high);
        assert_false(cell.beyond);
    }
    struct stored beyond = linear()->cell(&p, 1000000001);
    assert_true(beyond.beyond);
    assert_int_equal(beyond.low_ns, NS_PER_S);
}

/* FR-41: 80 samples of 104 ns in a bucket from 100 to 200; with the exact maximum known it is cut
   to that, and cannot be told otherwise. */
static void one_wide_bucket_is_cut_to_the_exact_maximum(void **state)
{
    (void)state;
    struct linear_params cut = {100, 1000, true}, uncut = {100, 1000, false};
    void *store = linear()->open(&cut);
    ns_t value = 104;
    for (int i = 0; i < 80; i++)
        linear()->add(store, &value, 1, value, value);
    for (uint64_t rank = 1; rank <= 80; rank++)
        assert_int_equal(linear()->select(store, rank).high_ns, 199);
    assert_true(linear()->clamps(&cut));
    assert_false(linear()->clamps(&uncut));
    linear()->close(store);
}

static void linear_memory_is_that_of_its_buckets(void **state)
{
    (void)state;
    struct linear_params p = {NS_PER_MS, 60 * NS_PER_S, true};
    assert_int_equal(linear()->memory(&p, 1), 60001 * 8);
    assert_int_equal(linear()->memory(&p, UINT64_C(1) << 40), 60001 * 8);
    assert_null(linear()->is.refuses(&p));
    p.width_ns = 1;
    assert_non_null(linear()->is.refuses(&p));
}

/* ---- merging: S4-60, FR-21, FR-43 ---- */

struct kind {
    const struct store_type *type;
    const void *params;
};

static void *store_of(struct kind kind, uint64_t seed, size_t count)
{
    struct stream s = stream_open(seed, 0, 0, PURPOSE_SERVICE);
    void *store = kind.type->open(kind.params);
    for (size_t i = 0; i < count; i++) {
        ns_t v = stream_word(s, i) >> (36 + below(stream_word(s, i + count), 24));
        if (i % 9 == 0)
            kind.type->add_run(store, v, v / 5 + 1, 4);
        else
            kind.type->add(store, &v, 1, v, v);
    }
    return store;
}

/* add_run gives four values of the nine-th part of the adds. */
static uint64_t values_in(size_t count)
{
    return count + 3 * ((count + 8) / 9);
}

static void expect_equal(struct kind kind, void *a, void *b, uint64_t count)
{
    for (uint64_t rank = 1; rank <= count; rank++) {
        struct stored x = kind.type->select(a, rank), y = kind.type->select(b, rank);
        assert_true(x.low_ns == y.low_ns && x.high_ns == y.high_ns && x.beyond == y.beyond);
    }
}

/* (a + b) + c and (c + a) + b, with an empty one on either side. */
static void merge_in_both_orders(struct kind kind)
{
    static const size_t n[3] = {90, 300, 7};
    void *first[3], *second[3], *empty[2];
    for (size_t i = 0; i < 3; i++) {
        first[i] = store_of(kind, 40 + i, n[i]);
        second[i] = store_of(kind, 40 + i, n[i]);
    }
    for (size_t i = 0; i < 2; i++)
        empty[i] = kind.type->open(kind.params);
    kind.type->merge(first[0], empty[0]);
    kind.type->merge(first[0], first[1]);
    kind.type->merge(first[0], first[2]);
    kind.type->merge(empty[1], second[2]);
    kind.type->merge(empty[1], second[0]);
    kind.type->merge(empty[1], second[1]);
    expect_equal(kind, first[0], empty[1], values_in(n[0]) + values_in(n[1]) + values_in(n[2]));
    for (size_t i = 0; i < 3; i++) {
        kind.type->close(first[i]);
        kind.type->close(second[i]);
    }
    kind.type->close(empty[0]);
    kind.type->close(empty[1]);
}

static void merging_adds_counts_in_any_order_and_empty_ones_add_nothing(void **state)
{
    (void)state;
    struct hdr_params p = three_digits(), narrow = {2, 1, 100000, true};
    struct linear_params l = {1000, 3000000, true};
    const struct kind kinds[] = {
        {&store_exact, NULL}, {hdr(), &p}, {hdr(), &narrow}, {linear(), &l}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        merge_in_both_orders(kinds[k]);
}

/* S4-60: a histogram a window, added up, is the histogram of the whole run, cell by cell. */
static void windows_add_up_to_the_whole_run(void **state)
{
    (void)state;
    struct hdr_params p = three_digits();
    struct linear_params l = {50000, 20000000, true};
    const struct kind kinds[] = {{&store_exact, NULL}, {hdr(), &p}, {linear(), &l}};
    struct stream s = stream_open(6, 0, 0, PURPOSE_SERVICE);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        const struct store_type *type = kinds[k].type;
        void *whole = type->open(kinds[k].params), *merged = type->open(kinds[k].params);
        for (uint64_t window = 0; window < 60; window++) {
            void *own = type->open(kinds[k].params);
            for (uint64_t i = 0; i < window * window; i++) { /* the first holds nothing */
                ns_t v = stream_word(s, window << 32 | i) >> 39;
                type->add(own, &v, 1, v, v);
                type->add(whole, &v, 1, v, v);
            }
            type->merge(merged, own);
            type->close(own);
        }
        expect_equal(kinds[k], whole, merged, 59 * 60 * 119 / 6);
        type->close(whole);
        type->close(merged);
    }
}

/* FR-43: what is beyond the range in one is beyond it in the sum, and none is lost. */
static void what_is_beyond_the_range_stays_counted(void **state)
{
    (void)state;
    struct linear_params l = {1000, 10000, true};
    struct hdr_params h = {3, 1, 10000, true};
    const struct kind kinds[] = {{linear(), &l}, {hdr(), &h}};
    for (size_t k = 0; k < 2; k++) {
        const struct store_type *type = kinds[k].type;
        void *a = type->open(kinds[k].params), *b = type->open(kinds[k].params);
        ns_t fast = 100;
        for (int i = 0; i < 97; i++)
            type->add(a, &fast, 1, fast, fast);
        type->add_run(b, 50000, 20000, 3); /* 50000, 30000 and 10000 */
        type->merge(a, b);
        assert_true(type->select(a, 97).low_ns <= 100);
        assert_false(type->select(a, 98).beyond);
        assert_true(type->select(a, 99).beyond && type->select(a, 100).beyond);
        assert_int_equal(type->select(a, 100).low_ns, 10000);
        type->close(a);
        type->close(b);
    }
}

/* In columns that lie within some powers of two, or hold one value, some too large for any vector;
   sums that are asked for between are of all so far. */
static void columns_of_values_are_stored_as_the_values_one_by_one_are(void **state)
{
    (void)state;
    struct hdr_params p = three_digits(), narrow = {2, 1, 100000, true},
                      coarse = {4, 30, 1 << 30, true};
    struct linear_params l = {1000, 3000000, true};
    const struct kind kinds[] = {
        {&store_exact, NULL}, {hdr(), &p}, {hdr(), &narrow}, {hdr(), &coarse}, {linear(), &l}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        const struct store_type *type = kinds[k].type;
        void *whole = type->open(kinds[k].params), *single = type->open(kinds[k].params);
        uint64_t total = 0;
        for (uint64_t column = 0; column < 120; column++) {
            struct stream s = stream_open(column, 0, 0, PURPOSE_SERVICE);
            ns_t values_ns[700], least_ns = UINT64_MAX, greatest_ns = 0;
            uint64_t count = 1 + below(stream_word(s, 9999), 700);
            unsigned low = (unsigned)below(stream_word(s, 9998), 55);
            for (uint64_t i = 0; i < count; i++) {
                values_ns[i] = (UINT64_C(1) << low) + (stream_word(s, i) >> (58 - column % 4 * 12));
                values_ns[i] = column % 7 == 0 ? low : values_ns[i];
                least_ns = values_ns[i] < least_ns ? values_ns[i] : least_ns;
                greatest_ns = values_ns[i] > greatest_ns ? values_ns[i] : greatest_ns;
                type->add(single, &values_ns[i], 1, values_ns[i], values_ns[i]);
            }
            type->add(whole, values_ns, count, least_ns, greatest_ns);
            total += count;
            if (column % 40 == 39)
                expect_equal(kinds[k], whole, single, total);
        }
        type->close(whole);
        type->close(single);
    }
}

/* A histogram's smaller counters are emptied before they are full. */
static void more_values_than_its_small_counters_hold_are_all_counted(void **state)
{
    (void)state;
    struct hdr_params p = three_digits();
    void *store = hdr()->open(&p);
    ns_t values_ns[1000];
    uint64_t columns = 20000;
    for (size_t i = 0; i < 1000; i++)
        values_ns[i] = 1 + i % 2;
    for (uint64_t k = 0; k < columns; k++)
        hdr()->add(store, values_ns, 1000, 1, 2);
    assert_int_equal(hdr()->select(store, columns * 500).high_ns, 1);
    assert_int_equal(hdr()->select(store, columns * 500 + 1).low_ns, 2);
    assert_int_equal(hdr()->select(store, columns * 1000).high_ns, 2);
    hdr()->close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hdr_cells_are_those_of_the_c_library),
        cmocka_unit_test(hdr_memory_is_flat_in_the_number_of_samples),
        cmocka_unit_test(beyond_the_range_is_counted_and_only_known_from_below),
        cmocka_unit_test(every_order_statistic_is_that_of_the_sorted_samples),
        cmocka_unit_test(a_linear_bucket_may_be_off_by_all_of_its_width),
        cmocka_unit_test(one_wide_bucket_is_cut_to_the_exact_maximum),
        cmocka_unit_test(linear_memory_is_that_of_its_buckets),
        cmocka_unit_test(merging_adds_counts_in_any_order_and_empty_ones_add_nothing),
        cmocka_unit_test(windows_add_up_to_the_whole_run),
        cmocka_unit_test(what_is_beyond_the_range_stays_counted),
        cmocka_unit_test(columns_of_values_are_stored_as_the_values_one_by_one_are),
        cmocka_unit_test(more_values_than_its_small_counters_hold_are_all_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
