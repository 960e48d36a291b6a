/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A store that numbers its cells counts what it is told of them as it counts their values. */

#include <stdlib.h>

#include "models/base/random.h"
#include "models/registry.h"
#include "models/stores/cell_kernels.h"
#include "models/stores/store.h"
#include "tests/claim.h"

struct hdr_params {
    uint64_t digits;
    ns_t lowest_ns, highest_ns;
    bool clamp;
};

static const struct hdr_params layouts[] = {
    {3, 1, UINT64_C(86400) * NS_PER_S, true},
    {3, 1, NS_LIMIT - 1, false},
    {3, 1, 5000, true},
    {1, 1, NS_LIMIT - 1, true},
    {1, 1000, 10000000, true},
    {2, 30, NS_PER_S, true},
    {4, 1, 10000000, true},
    {5, 3, 300000, true},
};
#define LAYOUTS (sizeof layouts / sizeof layouts[0])

static const struct store_type *hdr(void)
{
    return (const struct store_type *)(const void *)variant_find(&set_stores, "hdr");
}

static uint64_t word(uint64_t seed, uint64_t i)
{
    return stream_word(stream_open(seed, 0, 0, PURPOSE_SERVICE), i);
}

/* Of all sizes up to the highest, and powers of two with what is beside them. */
static ns_t value_of(const struct hdr_params *p, uint64_t seed, uint64_t i)
{
    uint64_t drawn = word(seed, i), size = word(seed, i + 1000000) % 62;
    ns_t value_ns = drawn % 3 == 0 ? (UINT64_C(1) << size) - drawn / 3 % 2 + drawn / 6 % 2
                                   : drawn >> 2 >> (61 - size);
    return value_ns <= p->highest_ns ? value_ns : value_ns % (p->highest_ns + 1);
}

/* Cells one after the other, as they are: the first of each power of two above the first half are
   twice as wide. */
static uint64_t number_by_hand(const struct hdr_params *p, ns_t value_ns)
{
    uint64_t cells = 2, resolution = 2, below = 0, w = value_ns;
    for (uint64_t d = 0; d < p->digits; d++)
        resolution *= 10;
    while (cells < resolution)
        cells *= 2;
    for (ns_t unit_ns = 2; unit_ns <= p->lowest_ns; unit_ns *= 2)
        w /= 2;
    for (; w >= cells; w /= 2)
        below += cells / 2;
    return below + w;
}

static void a_number_is_the_place_of_the_cell(void **state)
{
    (void)state;
    for (size_t k = 0; k < LAYOUTS; k++) {
        void *store = hdr()->open(&layouts[k]);
        for (uint64_t i = 0; i < 20000; i++) {
            ns_t value_ns = i < 5000 ? i : value_of(&layouts[k], k, i);
            if (value_ns <= layouts[k].highest_ns)
                assert_int_equal(hdr()->number(store, value_ns),
                                 number_by_hand(&layouts[k], value_ns));
        }
        assert_int_equal(hdr()->number(store, layouts[k].highest_ns + 1), UINT32_MAX);
        assert_int_equal(hdr()->number(store, NS_LIMIT), UINT32_MAX);
        hdr()->close(store);
    }
}

static bool same(struct stored a, struct stored b)
{
    return a.low_ns == b.low_ns && a.high_ns == b.high_ns && a.beyond == b.beyond;
}

/* What adding a value by a column makes of a store is what its number makes of another. */
static void adding_by_number_adds_to_the_cell_of_the_value(void **state)
{
    (void)state;
    for (size_t k = 0; k < LAYOUTS; k++)
        for (uint64_t i = 0; i < 40; i++) {
            ns_t values_ns[2] = {value_of(&layouts[k], 50 + k, 2 * i),
                                 value_of(&layouts[k], 50 + k, 2 * i + 1)};
            bool swapped = values_ns[0] > values_ns[1];
            ns_t least_ns = values_ns[swapped], greatest_ns = values_ns[!swapped];
            void *added = hdr()->open(&layouts[k]), *told = hdr()->open(&layouts[k]);
            uint64_t times[2] = {1, 1};
            uint32_t numbers[2] = {hdr()->number(told, least_ns), hdr()->number(told, greatest_ns)};
            hdr()->add(added, values_ns, 2, least_ns, greatest_ns);
            hdr()->add_numbered(told, numbers, times, 2);
            for (uint64_t rank = 1; rank <= 2; rank++)
                assert_true(same(hdr()->select(added, rank), hdr()->select(told, rank)));
            hdr()->close(added);
            hdr()->close(told);
        }
}

#define VALUES 600

struct numbered {
    uint32_t number;
    uint64_t times;
};

static int compare(const void *a, const void *b)
{
    uint32_t x = ((const struct numbered *)a)->number, y = ((const struct numbered *)b)->number;
    return (x > y) - (x < y);
}

/* Each number once, in order. */
static void add_by_numbers(void *store, const ns_t *values_ns, const uint64_t *often, size_t count)
{
    struct numbered of[VALUES];
    uint32_t numbers[VALUES];
    uint64_t times[VALUES];
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        of[i] = (struct numbered){hdr()->number(store, values_ns[i]), often[i]};
    qsort(of, count, sizeof *of, compare);
    for (size_t i = 0; i < count; i++) {
        bool again = kept > 0 && numbers[kept - 1] == of[i].number;
        kept += !again;
        numbers[kept - 1] = of[i].number;
        times[kept - 1] = (again ? times[kept - 1] : 0) + of[i].times;
    }
    hdr()->add_numbered(store, numbers, times, kept);
}

/* At every rank, of stores that were told some of it and added some, in any order. */
static bool told_as_added(const struct hdr_params *p, uint64_t seed, bool one_more)
{
    void *added = hdr()->open(p), *told = hdr()->open(p);
    uint64_t total = 0, rank = 1;
    for (uint64_t part = 0; part < 4; part++) {
        ns_t values_ns[VALUES];
        uint64_t often[VALUES];
        size_t count = 1 + word(seed, part) % (VALUES - 1);
        for (size_t i = 0; i < count; i++) {
            values_ns[i] = value_of(p, seed, part * VALUES + i);
            total += often[i] = part == 3 ? 1 : 1 + word(seed, 7000 + i) % 3;
            for (uint64_t n = 0; n < often[i]; n++)
                hdr()->add(added, &values_ns[i], 1, values_ns[i], values_ns[i]);
        }
        if (part % 2 == seed % 2) {
            often[0] += one_more;
            add_by_numbers(told, values_ns, often, count);
            continue;
        }
        for (size_t i = 0; i < count; i++)
            hdr()->add_times(told, values_ns[i], often[i]);
    }
    while (rank <= total && same(hdr()->select(added, rank), hdr()->select(told, rank)))
        rank++;
    hdr()->close(added);
    hdr()->close(told);
    return rank > total;
}

static void cells_that_are_told_count_as_their_values_added(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < LAYOUTS; seed++)
        assert_true(told_as_added(&layouts[seed % LAYOUTS], 200 + seed, false));
}

static void canary_one_more_is_found(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 2; seed++)
        assert_false(told_as_added(&layouts[0], 200 + seed, true));
}

/* Where they are beyond what vectors hold or the store keeps, it cannot say. */
static void values_are_apart_where_each_is(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        const struct hdr_params *p = &layouts[seed % LAYOUTS];
        void *store = hdr()->open(p);
        ns_t values_ns[CELL_BLOCK], least_ns = UINT64_MAX, greatest_ns = 0;
        uint32_t numbers[CELL_BLOCK], apart = (uint32_t)word(seed, 1);
        size_t count = 1 + word(seed, 2) % CELL_BLOCK, changed = word(seed, 3) % count;
        for (size_t i = 0; i < count; i++) {
            values_ns[i] = value_of(p, seed, 10 + i);
            least_ns = values_ns[i] < least_ns ? values_ns[i] : least_ns;
            greatest_ns = values_ns[i] > greatest_ns ? values_ns[i] : greatest_ns;
            numbers[i] = hdr()->number(store, values_ns[i]) - apart;
        }
        bool knows = greatest_ns <= CELL_VALUE_MOST;
        assert_true(hdr()->are_apart(store, values_ns, count, least_ns, greatest_ns, numbers,
                                     apart) == knows);
        assert_false(
            hdr()->are_apart(store, values_ns, count, least_ns, greatest_ns, numbers, apart + 1));
        numbers[changed] ^= UINT32_C(1) << word(seed, 4) % 32;
        assert_false(
            hdr()->are_apart(store, values_ns, count, least_ns, greatest_ns, numbers, apart));
        hdr()->close(store);
    }
}

static void values_above_the_highest_are_never_apart(void **state)
{
    (void)state;
    const struct hdr_params p = {3, 1, 10000, true};
    void *store = hdr()->open(&p);
    ns_t values_ns[2] = {1, 10000};
    uint32_t numbers[2] = {1, hdr()->number(store, 10000)};
    assert_true(hdr()->are_apart(store, values_ns, 2, 1, 10000, numbers, 0));
    values_ns[1] = 10001; /* of the same cell, were it kept */
    assert_false(hdr()->are_apart(store, values_ns, 2, 1, 10001, numbers, 0));
    hdr()->close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_is_the_place_of_the_cell),
        cmocka_unit_test(adding_by_number_adds_to_the_cell_of_the_value),
        cmocka_unit_test(cells_that_are_told_count_as_their_values_added),
        cmocka_unit_test(canary_one_more_is_found),
        cmocka_unit_test(values_are_apart_where_each_is),
        cmocka_unit_test(values_above_the_highest_are_never_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
