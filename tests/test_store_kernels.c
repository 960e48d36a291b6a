/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "models/base/error.h"
#include "models/base/random.h"
#include "models/registry.h"
#include "models/stores/cell_kernels.h"
#include "models/stores/radix.h"
#include "models/stores/store.h"
#include "sim/run_kernels.h"
#include "tests/claim.h"

static const struct cell_kernels *const cells_of[VECTOR_COUNT] = {
    &cell_kernels_plain, &cell_kernels_avx2, &cell_kernels_avx512};
static const struct run_kernels *const runs_of[VECTOR_COUNT] = {
    &run_kernels_plain, &run_kernels_avx2, &run_kernels_avx512};

/* Those that this processor can run. */
static size_t levels(void)
{
    return (size_t)vector_level() + 1;
}

/* A number whose size itself is drawn: below 2^bits, each power of two as often. */
static uint64_t of_any_size(struct stream s, uint64_t i, unsigned bits)
{
    uint64_t size = below(stream_word(s, 2 * i + 1), bits + 1);
    return size == 0 ? 0 : stream_word(s, 2 * i) >> (64 - size);
}

static size_t draw_block(ns_t *values_ns, uint64_t seed, unsigned bits)
{
    struct stream s = stream_open(seed, 0, 0, PURPOSE_SERVICE);
    size_t count = 1 + below(stream_word(s, 9999), CELL_BLOCK);
    for (size_t i = 0; i < count; i++) {
        ns_t value_ns = of_any_size(s, i, bits);
        /* powers of two and what is beside them, where cells change their width */
        ns_t edge_ns = (UINT64_C(1) << below(value_ns, bits)) - stream_word(s, i) % 2;
        values_ns[i] = stream_word(s, 5000 + i) % 4 == 0 ? edge_ns : value_ns;
        values_ns[i] &= (UINT64_C(1) << bits) - 1;
    }
    return count;
}

/* Widths double with each power of two above the first; half as many cells each. */
static uint64_t hdr_cell(ns_t value_ns, unsigned unit_bits, unsigned half_bits)
{
    uint64_t w = value_ns >> unit_bits, skipped = 0;
    while (w >= UINT64_C(2) << half_bits) {
        w /= 2;
        skipped += UINT64_C(1) << half_bits;
    }
    return skipped + w;
}

/* From the least of them on, and from 0 on, which is slower where none is so small. */
static void cells_are_those_that_integers_give(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        ns_t values_ns[CELL_BLOCK], fewer_ns[CELL_BLOCK], least_ns = UINT64_MAX;
        uint32_t cells[CELL_BLOCK];
        size_t count = draw_block(values_ns, seed, 1 + (unsigned)(seed % 52));
        unsigned unit_bits = seed % 5 == 0 ? 0 : (unsigned)(seed % 7);
        unsigned half_bits = seed % 5 == 0 ? 10 : 4 + (unsigned)(seed % 15);
        ns_t width_ns = 1 + of_any_size(stream_open(seed, 0, 1, PURPOSE_SERVICE), 0, 21) +
                        (UINT64_C(1) << (seed % 52 > 30 ? seed % 52 - 30 : 0));
        for (size_t i = 0; i < count; i++) {
            values_ns[i] += seed % 2 * ((UINT64_C(1) << half_bits << unit_bits) - seed / 2 % 2);
            values_ns[i] &= CELL_VALUE_MOST;
            least_ns = values_ns[i] < least_ns ? values_ns[i] : least_ns;
        }
        for (size_t level = 0; level < levels(); level++) {
            for (unsigned from = 0; from < 2; from++) {
                cells_of[level]->hdr(values_ns, count, unit_bits, half_bits, from * least_ns,
                                     cells);
                for (size_t i = 0; i < count; i++)
                    assert_int_equal(cells[i], hdr_cell(values_ns[i], unit_bits, half_bits));
            }
            for (size_t i = 0; i < count; i++) /* cells below 2^31, as it wants them */
                fewer_ns[i] = values_ns[i] % (width_ns << 30);
            cells_of[level]->linear(fewer_ns, count, width_ns, cells);
            for (size_t i = 0; i < count; i++)
                assert_int_equal(cells[i], fewer_ns[i] / width_ns);
        }
    }
}

/* Whether each is as far from its number, whatever the least of them is said to be: from there on,
   or from 0 on.  One that is not, at either end or between, is seen, by whichever bit it differs.
 */
static void cells_are_apart_where_each_of_them_is(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        struct stream s = stream_open(seed, 0, 2, PURPOSE_SERVICE);
        ns_t values_ns[CELL_BLOCK], least_ns = UINT64_MAX;
        uint32_t numbers[CELL_BLOCK], apart = (uint32_t)stream_word(s, 0) >> seed % 32;
        unsigned unit_bits = seed % 3 == 0 ? 0 : (unsigned)(seed % 7);
        unsigned half_bits = seed % 3 == 0 ? 10 : 4 + (unsigned)(seed % 14);
        size_t count = draw_block(values_ns, seed, 1 + (unsigned)(seed % 52));
        for (size_t i = 0; i < count; i++) {
            values_ns[i] += seed / 3 % 2 * ((UINT64_C(1) << half_bits << unit_bits) - seed / 6 % 2);
            values_ns[i] &= CELL_VALUE_MOST;
            least_ns = values_ns[i] < least_ns ? values_ns[i] : least_ns;
            numbers[i] = (uint32_t)hdr_cell(values_ns[i], unit_bits, half_bits) - apart;
        }
        const size_t changed[] = {0, count - 1, below(stream_word(s, 1), count)};
        for (size_t level = 0; level < levels(); level++)
            for (unsigned from = 0; from < 2; from++) {
                const struct cell_kernels *k = cells_of[level];
                ns_t from_ns = from * least_ns;
                assert_true(
                    k->hdr_apart(values_ns, count, unit_bits, half_bits, from_ns, numbers, apart));
                for (size_t c = 0; c < 3; c++) {
                    uint32_t bit = UINT32_C(1) << stream_word(s, 2 + c) % 32;
                    numbers[changed[c]] ^= bit;
                    assert_false(k->hdr_apart(values_ns, count, unit_bits, half_bits, from_ns,
                                              numbers, apart));
                    numbers[changed[c]] ^= bit;
                }
            }
    }
}

static void runs_are_split_and_cut_as_integers_do(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        struct stream s = stream_open(seed, 0, 1, PURPOSE_SERVICE);
        ns_t values_ns[RUN_BLOCK];
        uint64_t times[RUN_BLOCK], rests[RUN_BLOCK];
        size_t count = draw_block(values_ns, seed, 1 + (unsigned)(seed % 52));
        uint64_t interval = 1 + of_any_size(s, 0, 1 + (unsigned)(seed % 51));
        struct correction_rule rule = {seed % 2 ? 1 : 1000, interval,
                                       seed % 3 == 0 ? 1 : interval + seed % 3 - 1};
        uint64_t level = of_any_size(s, 1, 52), within = stream_word(s, 7) % interval;
        for (size_t v = 0; v < levels(); v++) {
            struct run_block all = runs_of[v]->split(rule, values_ns, count, times, rests);
            uint64_t added = 0, least = UINT64_MAX, lower = 0, samples_rests = 0, squares = 0;
            for (size_t i = 0; i < count; i++) {
                uint64_t n = correction_adds(rule, values_ns[i]), w = values_ns[i] / rule.unit_ns;
                assert_int_equal(times[i], n);
                if (n == 0)
                    continue;
                assert_int_equal(rests[i], w - rule.lowest - n * interval);
                added += n;
                samples_rests += n * rests[i];
                squares += n * n;
                least = rests[i] < least ? rests[i] : least;
                uint64_t most = level + (rests[i] < within);
                lower += n < most ? n : most;
            }
            assert_int_equal(all.times, added);
            assert_int_equal(all.rest, least);
            assert_int_equal(all.rests, samples_rests);
            assert_int_equal(all.squares, squares);
            assert_int_equal(runs_of[v]->below(times, rests, count, level, within), lower);
        }
    }
}

/* ---- sorting ---- */

static int compare_ns(const void *a, const void *b)
{
    ns_t x = *(const ns_t *)a, y = *(const ns_t *)b;
    return (x > y) - (x < y);
}

static void sorting_gives_what_comparing_does(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        struct stream s = stream_open(seed, 0, 0, PURPOSE_SERVICE);
        size_t count = (size_t)of_any_size(s, 1000000, seed % 10 == 0 ? 18 : 13);
        ns_t *a = must_alloc(count, sizeof *a), *b = must_alloc(count, sizeof *b);
        ns_t *scratch = must_alloc(count, sizeof *scratch);
        unsigned bits = 1 + (unsigned)(seed * 7 % 64), low = (unsigned)(seed % 3) * bits / 4;
        for (size_t i = 0; i < count; i++) {
            ns_t draw = seed % 2 ? stream_word(s, i) >> (64 - bits) : of_any_size(s, i, bits);
            a[i] = b[i] = draw >> low << low;
        }
        radix_sort(a, scratch, count);
        if (count > 0) {
            qsort(b, count, sizeof *b, compare_ns);
            assert_memory_equal(a, b, count * sizeof *a);
        }
        free(a);
        free(b);
        free(scratch);
    }
}

/* More than its buffer holds, of many and of few different values, and of two stores. */
static void the_exact_store_keeps_many_samples(void **state)
{
    (void)state;
    for (unsigned bits = 6; bits <= 30; bits += 8) {
        size_t count = 400000;
        struct stream s = stream_open(bits, 0, 0, PURPOSE_SERVICE);
        ns_t *all = must_alloc(count, sizeof *all);
        void *stores[2] = {store_exact.open(NULL), store_exact.open(NULL)};
        for (size_t i = 0; i < count; i++) { /* mixed; or upwards, or downwards, by and by */
            uint64_t place = bits == 6 ? i / 999 : bits == 14 ? (count - i) / 999 : 0;
            all[i] = of_any_size(s, i, bits) + (place << bits);
        }
        for (size_t i = 0, n = 1; i < count; i += n, n = 1 + i % 1023) {
            n = n < count - i ? n : count - i;
            ns_t least_ns = all[i], greatest_ns = all[i];
            for (size_t k = i; k < i + n; k++) {
                least_ns = all[k] < least_ns ? all[k] : least_ns;
                greatest_ns = all[k] > greatest_ns ? all[k] : greatest_ns;
            }
            store_exact.add(stores[i >= count / 3], all + i, n, least_ns, greatest_ns);
        }
        store_exact.merge(stores[0], stores[1]);
        qsort(all, count, sizeof *all, compare_ns);
        for (size_t rank = 1; rank <= count; rank += rank + 500 < count ? 1 + rank / 97 : 1)
            assert_int_equal(store_exact.select(stores[0], rank).high_ns, all[rank - 1]);
        store_exact.close(stores[0]);
        store_exact.close(stores[1]);
        free(all);
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
        cmocka_unit_test(cells_are_those_that_integers_give),
        cmocka_unit_test(cells_are_apart_where_each_of_them_is),
        cmocka_unit_test(runs_are_split_and_cut_as_integers_do),
        cmocka_unit_test(sorting_gives_what_comparing_does),
        cmocka_unit_test(the_exact_store_keeps_many_samples),
        cmocka_unit_test(a_long_run_costs_one_entry_and_answers_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
