/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <stdlib.h>
#include <string.h>

#include "models/base/batch.h"
#include "models/base/random.h"
#include "models/registry.h"
#include "models/stores/store.h"
#include "sim/counter.h"
#include "tests/claim.h"
#include "tests/whole_run.h"

#define VALUES 5000

static uint64_t word_of(uint64_t i)
{
    return stream_word(stream_open(7, 0, 0, PURPOSE_SERVICE), i);
}

/* Of all sizes: as many leading zeros as the low bits say. */
static ns_t value_of(uint64_t i, unsigned bits_most)
{
    uint64_t word = word_of(i);
    return word >> (64 - 1 - word % bits_most);
}

static void each_value_lies_in_its_cell(void **state)
{
    (void)state;
    assert_int_equal(census_cell(0), 0);
    assert_int_equal(census_cell(NS_LIMIT - 1), CENSUS_CELLS - 1);
    assert_int_equal(census_low_ns(CENSUS_CELLS), NS_LIMIT);
    for (uint64_t i = 0; i < 100000; i++) {
        ns_t value_ns = value_of(i, 62);
        uint32_t cell = census_cell(value_ns);
        assert_true(census_low_ns(cell) <= value_ns && value_ns < census_low_ns(cell + 1));
    }
}

static void kernels_find_the_same_cells(void **state)
{
    (void)state;
    ns_t values_ns[BATCH_ROWS];
    uint32_t cells[BATCH_ROWS];
    for (uint64_t from = 0; from < 100000; from += BATCH_ROWS) {
        for (size_t i = 0; i < BATCH_ROWS; i++)
            values_ns[i] =
                i % 64 == 0 ? (UINT64_C(1) << (i / 64 * 3)) - (from & 1) : value_of(from + i, 52);
        row_kernels()->leading(values_ns, BATCH_ROWS, CENSUS_BITS, 0, cells);
        for (size_t i = 0; i < BATCH_ROWS; i++)
            assert_int_equal(cells[i], census_cell(values_ns[i]));
        row_kernels_plain.leading(values_ns, BATCH_ROWS, CENSUS_BITS, 0, cells);
        for (size_t i = 0; i < BATCH_ROWS; i++)
            assert_int_equal(cells[i], census_cell(values_ns[i]));
    }
}

static void add(struct census *census, const ns_t *values_ns, size_t count)
{
    struct span span = column_of(values_ns, count < BATCH_ROWS ? count : BATCH_ROWS).all;
    for (size_t i = BATCH_ROWS; i < count; i++) {
        span.least_ns = values_ns[i] < span.least_ns ? values_ns[i] : span.least_ns;
        span.greatest_ns = values_ns[i] > span.greatest_ns ? values_ns[i] : span.greatest_ns;
    }
    for (size_t at = 0, some; at < count; at += some) {
        struct census_cells cells;
        some = count - at < SPAN_ROWS ? count - at : SPAN_ROWS;
        census_find(&cells, &(struct piece){values_ns + at, some, span});
        census_add(census, &cells);
    }
}

static uint64_t count_up_to(const ns_t *values_ns, size_t count, ns_t limit_ns)
{
    uint64_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += values_ns[i] <= limit_ns;
    return found;
}

static void what_it_knows_is_so_and_it_knows_every_end_of_a_cell(void **state)
{
    (void)state;
    for (unsigned bits = 1; bits <= 62; bits += 5) {
        ns_t values_ns[VALUES];
        struct census *census = census_open();
        for (size_t i = 0; i < VALUES; i++)
            values_ns[i] = value_of(i, bits);
        add(census, values_ns, VALUES / 2);
        add(census, values_ns + VALUES / 2, VALUES - VALUES / 2);
        struct census_list list = census_take(census);
        assert_int_equal(census_total(&list), VALUES);
        size_t known = 0;
        for (size_t i = 0; i < VALUES; i++) {
            uint64_t found;
            ns_t limit_ns = value_of(VALUES + i, bits);
            ns_t end_ns = census_low_ns(census_cell(limit_ns) + 1) - 1;
            assert_true(census_at_most(&list, end_ns, &found));
            assert_int_equal(found, count_up_to(values_ns, VALUES, end_ns));
            if (!census_at_most(&list, limit_ns, &found))
                continue;
            known++;
            assert_int_equal(found, count_up_to(values_ns, VALUES, limit_ns));
        }
        assert_true(known > 0 && (bits < 40 || known < VALUES));
        free(list.entries);
        census_close(census);
    }
}

static void it_knows_every_cell_of_an_hdr_store_to_three_digits(void **state)
{
    (void)state;
    struct {
        uint64_t digits;
        ns_t lowest_ns, highest_ns;
        bool clamp;
    } params = {3, 1, 24 * 3600 * NS_PER_S, true};
    const struct store_type *store = NULL;
    for (size_t i = 0; i < set_stores.count; i++)
        if (strcmp(set_stores.variants[i]->name, "hdr") == 0)
            store = (const struct store_type *)(const void *)set_stores.variants[i];
    assert_non_null(store);
    for (params.digits = 1; params.digits <= 3; params.digits++)
        for (uint64_t i = 0; i < VALUES; i++) {
            struct stored cell = store->cell(&params, value_of(i, 46));
            assert_int_equal(census_low_ns(census_cell(cell.high_ns + 1)), cell.high_ns + 1);
            assert_int_equal(census_low_ns(census_cell(cell.low_ns)), cell.low_ns);
        }
}

static void more_than_32_bits_of_them_are_counted(void **state)
{
    (void)state;
    struct census *census = census_open();
    for (size_t i = 0; i < 7; i++) {
        census_add_times(census, 100, (size_t)1 << 31);
        census_add_times(census, 5000, i);
    }
    struct census_list list = census_take(census);
    uint64_t found;
    assert_true(census_at_most(&list, 100, &found));
    assert_int_equal(found, 7 * (UINT64_C(1) << 31));
    assert_int_equal(census_total(&list), 7 * (UINT64_C(1) << 31) + 21);
    free(list.entries);
    list = census_take(census);
    assert_int_equal(census_total(&list), 0);
    free(list.entries);
    census_close(census);
}

/* Blocks of all kinds: mixed, one value, and what lies in the thresholds' own cells, throughout or
   in one of four parts. */
static void fill(ns_t *values_ns, size_t block, const ns_t *thresholds_ns, size_t thresholds)
{
    for (size_t i = 0; i < BATCH_ROWS; i++) {
        uint64_t word = word_of(block * BATCH_ROWS + i);
        switch (block % 4) {
        case 0: values_ns[i] = value_of(block * BATCH_ROWS + i, 50); break;
        case 1: values_ns[i] = thresholds_ns[block % thresholds] + block % 2; break;
        case 2: values_ns[i] = thresholds_ns[word % thresholds] + word / 64 % 9; break;
        case 3:
            values_ns[i] =
                i / SPAN_ROWS == 2 ? thresholds_ns[word % thresholds] + word / 64 % 9 : word % 50;
            break;
        }
    }
}

static void take(struct counter *counter, const struct column *column)
{
    for (size_t done = 0; done < column->count;) {
        struct piece piece = column_piece(column, done);
        struct census_cells cells;
        bool mixed = !piece_is_one_value(&piece);
        if (mixed)
            census_find(&cells, &piece);
        counter_take(counter, &piece, mixed ? &cells : NULL);
        done += piece.count;
    }
}

static void a_counter_counts_what_lies_above(void **state)
{
    (void)state;
    enum { THRESHOLDS = 12, BLOCKS = 60 };
    ns_t thresholds_ns[THRESHOLDS] = {0, NS_LIMIT - 2, NS_LIMIT, UINT64_MAX};
    ns_t values_ns[BATCH_ROWS];
    uint64_t above[THRESHOLDS] = {0};
    for (size_t k = 4; k < THRESHOLDS; k++)
        thresholds_ns[k] = value_of(k, 50);
    thresholds_ns[4] = census_low_ns(census_cell(NS_PER_S) + 1) - 2; /* the last but one */
    struct counter counter;
    counter_open(&counter, thresholds_ns, THRESHOLDS);
    for (size_t block = 0; block < BLOCKS; block++) {
        fill(values_ns, block, thresholds_ns + 4, THRESHOLDS - 4);
        struct column column = column_of(values_ns, BATCH_ROWS);
        counter_make_room(&counter, &column);
        take(&counter, &column);
        for (size_t k = 0; k < THRESHOLDS; k++)
            above[k] += BATCH_ROWS - count_up_to(values_ns, BATCH_ROWS, thresholds_ns[k]);
        if (block % 7 == 6 || block == BLOCKS - 1) {
            counter_end_replication(&counter, NULL);
            for (size_t k = 0; k < THRESHOLDS; k++)
                assert_int_equal(counter.above[k], above[k]);
        }
    }
    counter_close(&counter);
}

/* ---- whole runs ---- */

#define QUEUE(load, more, run)                                                                     \
    "{\"server\": {\"service\": {\"exponential\": \"1ms\"}}, \"loads\": {\"l\": {\"open\": {"      \
    "\"rate\": 500, \"arrivals\": \"poisson\"}" load "}}, \"recorders\": {\"r\": {\"load\": \"l\"" \
    ", \"from\": \"due\", \"store\": %s" more "}}, \"run\": {\"start\": \"empty\", " run "}}"

/* The recount finds nothing wrong, and as much is certain as of an exact store. */
static void expect_recount(const char *format)
{
    struct plan *plans[2];
    struct result *results[2];
    for (size_t k = 0; k < 2; k++) {
        char *text = must_format(format, k == 0 ? "{\"hdr\": 3}" : "\"exact\"");
        plans[k] = whole_plan(text);
        results[k] = whole_run(plans[k], NULL);
        free(text);
    }
    for (size_t i = 0; i < plans[0]->report.percentile_count; i++) {
        const struct cell *hdr = &results[0]->recorders[0].cells[i];
        const struct cell *exact = &results[1]->recorders[0].cells[i];
        assert_int_not_equal(hdr->holds, VERDICT_FAILS);
        assert_int_equal(hdr->value.kind, exact->value.kind);
    }
    for (size_t k = 0; k < 2; k++) {
        result_free(results[k]);
        plan_free(plans[k]);
    }
}

/* A correction adds samples, of failures not all is certain, and of too many replications it is not
   kept: 8,000 of them have two million entries. */
static void what_it_does_not_know_of_a_run_another_pass_counts(void **state)
{
    (void)state;
    static const char *const formats[] = {
        QUEUE("", ", \"expected_interval\": \"500us\"", "\"requests\": 500"),
        QUEUE(", \"timeout\": \"4ms\"", ", \"failures\": \"timeout\"", "\"requests\": 500"),
        QUEUE("", "", "\"requests\": 400, \"replications\": 8000"),
    };
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        expect_recount(formats[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_value_lies_in_its_cell),
        cmocka_unit_test(kernels_find_the_same_cells),
        cmocka_unit_test(what_it_knows_is_so_and_it_knows_every_end_of_a_cell),
        cmocka_unit_test(it_knows_every_cell_of_an_hdr_store_to_three_digits),
        cmocka_unit_test(more_than_32_bits_of_them_are_counted),
        cmocka_unit_test(a_counter_counts_what_lies_above),
        cmocka_unit_test(what_it_does_not_know_of_a_run_another_pass_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
