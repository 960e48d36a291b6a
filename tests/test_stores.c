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
        hdr()->add(store, &fast, 1);
    for (int i = 0; i < 3; i++)
        hdr()->add(store, &slow, 1);
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
            type->add(stores[i % 2], &v, 1);
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
    for (uint64_t seed = 1; seed <= 8; seed++) {
        hold_against_sorted(&store_exact, NULL, seed);
        hold_against_sorted(hdr(), &p, seed);
        hold_against_sorted(hdr(), &narrow, seed);
    }
}

static void a_long_run_costs_one_entry_and_answers_at_once(void **state)
{
    (void)state;
    void *store = store_exact.open(NULL);
    store_exact.add_run(store, UINT64_C(1) << 50, 1, UINT64_C(1) << 50);
    assert_int_equal(store_exact.select(store, 1).low_ns, 1);
    assert_int_equal(store_exact.select(store, 123456789012345).low_ns, 123456789012345);
    store_exact.close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hdr_cells_are_those_of_the_c_library),
        cmocka_unit_test(hdr_memory_is_flat_in_the_number_of_samples),
        cmocka_unit_test(beyond_the_range_is_counted_and_only_known_from_below),
        cmocka_unit_test(every_order_statistic_is_that_of_the_sorted_samples),
        cmocka_unit_test(a_long_run_costs_one_entry_and_answers_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
