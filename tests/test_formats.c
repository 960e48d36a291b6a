/* SPDX-License-Identifier: GPL-3.0-or-later */

/* HdrHistogram's files and traces: written and read back. */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/registry.h"
#include "models/stores/store.h"
#include "sim/formats/histogram.h"
#include "sim/trace.h"
#include "tests/scenario_text.h"
#include "tools/trace_write.h"

static uint64_t next_word(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* The store's parameters, in the order of its table of fields. */
struct hdr_params {
    uint64_t digits;
    ns_t lowest_ns, highest_ns;
    bool clamp;
};

static const struct store_type *hdr_store(void)
{
    for (size_t i = 0; i < set_stores.count; i++)
        if (strcmp(set_stores.variants[i]->name, "hdr") == 0)
            return (const struct store_type *)(const void *)set_stores.variants[i];
    fail();
    return NULL;
}

static void cells_are_those_of_the_store(void **unused)
{
    (void)unused;
    uint64_t state = 1;
    const struct store_type *store = hdr_store();
    assert_int_equal(store->is.params_size, sizeof(struct hdr_params));
    for (int i = 0; i < 100000; i++) {
        struct hdr_params params = {1 + next_word(&state) % 5,
                                    1 + (next_word(&state) >> (44 + next_word(&state) % 20)),
                                    NS_LIMIT - 1, true};
        struct hdr_layout layout;
        assert_true(
            hdr_layout_make((unsigned)params.digits, params.lowest_ns, NS_LIMIT - 1, &layout));
        ns_t value = next_word(&state) >> (3 + next_word(&state) % 61);
        struct stored cell = store->cell(&params, value);
        uint32_t index = hdr_index(&layout, value);
        assert_true(hdr_low(&layout, index) == cell.low_ns);
        assert_true(hdr_high(&layout, index) == cell.high_ns);
        if (index > 0)
            assert_true(hdr_high(&layout, index - 1) + 1 == cell.low_ns);
    }
}

static void what_is_packed_unpacks_to_the_same(void **unused)
{
    (void)unused;
    uint64_t state = 2;
    for (int round = 0; round < 400; round++) {
        struct histogram h = {0}, again;
        unsigned digits = 1 + (unsigned)(next_word(&state) % 5);
        ns_t lowest = 1 + next_word(&state) % 3000;
        assert_true(hdr_layout_make(digits, lowest, 86400 * NS_PER_S, &h.layout));
        uint32_t index = 0, cells = hdr_cells(&h.layout);
        while (true) {
            uint64_t gap = next_word(&state) >> (44 + next_word(&state) % 20);
            if (gap >= cells - index)
                break;
            index += (uint32_t)gap;
            histogram_push(&h, index++, 1 + (next_word(&state) >> (8 + next_word(&state) % 56)));
            if (index >= cells || h.count == 100)
                break;
        }
        char *text = histogram_pack(&h), *why;
        assert_true(histogram_unpack(text, strlen(text), &again, &why));
        assert_true(again.total == h.total && again.count == h.count);
        for (size_t i = 0; i < h.count; i++)
            assert_true(again.counts[i].index == h.counts[i].index &&
                        again.counts[i].count == h.counts[i].count);
        assert_true(again.layout.digits == digits && again.layout.lowest == lowest &&
                    again.layout.highest == h.layout.highest);
        free(text);
        histogram_free(&h);
        histogram_free(&again);
    }
}

/* In the last cell of its range, so that a byte too many would be a cell too many. */
static void the_largest_count_takes_nine_bytes(void **unused)
{
    (void)unused;
    struct histogram h = {0}, again;
    char *why;
    assert_true(hdr_layout_make(1, 1, 2, &h.layout));
    histogram_push(&h, 2, INT64_MAX);
    char *text = histogram_pack(&h);
    assert_true(histogram_unpack(text, strlen(text), &again, &why));
    assert_true(again.count == 1 && again.counts[0].index == 2 && again.total == INT64_MAX);
    histogram_free(&again);
    free(text);
    h.counts[0].index = 1;
    histogram_push(&h, 2, 1);
    text = histogram_pack(&h);
    assert_false(histogram_unpack(text, strlen(text), &again, &why));
    assert_non_null(strstr(why, "2^63"));
    free(why);
    free(text);
    histogram_free(&h);
}

/* Made by HdrHistogram 2.1.11 for Java: 3 of 1500, one of 2049, 90 of 100000, 5 of 150100000 and
   one of 200100000. */
static const char packed[] =
    "HISTFAAAADN42pNpmSzMwMAgyAABzFCaEch0M9ixgMH+A0RguzjbUQ6mjRFbGHevZOT6zsoEANFVCio=";
static const char distribution[] = "       Value     Percentile TotalCount 1/(1-Percentile)\n\n"
                                   "       0.002 0.000000000000          3           1.00\n"
                                   "       0.100 0.100000000000         94           1.11\n"
                                   "       0.100 0.200000000000         94           1.25\n"
                                   "       0.100 0.300000000000         94           1.43\n"
                                   "       0.100 0.400000000000         94           1.67\n"
                                   "       0.100 0.500000000000         94           2.00\n"
                                   "       0.100 0.550000000000         94           2.22\n"
                                   "       0.100 0.600000000000         94           2.50\n"
                                   "       0.100 0.650000000000         94           2.86\n"
                                   "       0.100 0.700000000000         94           3.33\n"
                                   "       0.100 0.750000000000         94           4.00\n"
                                   "       0.100 0.775000000000         94           4.44\n"
                                   "       0.100 0.800000000000         94           5.00\n"
                                   "       0.100 0.825000000000         94           5.71\n"
                                   "       0.100 0.850000000000         94           6.67\n"
                                   "       0.100 0.875000000000         94           8.00\n"
                                   "       0.100 0.887500000000         94           8.89\n"
                                   "       0.100 0.900000000000         94          10.00\n"
                                   "       0.100 0.912500000000         94          11.43\n"
                                   "       0.100 0.925000000000         94          13.33\n"
                                   "       0.100 0.937500000000         94          16.00\n"
                                   "     150.209 0.943750000000         99          17.78\n"
                                   "     150.209 0.950000000000         99          20.00\n"
                                   "     150.209 0.956250000000         99          22.86\n"
                                   "     150.209 0.962500000000         99          26.67\n"
                                   "     150.209 0.968750000000         99          32.00\n"
                                   "     150.209 0.971875000000         99          35.56\n"
                                   "     150.209 0.975000000000         99          40.00\n"
                                   "     150.209 0.978125000000         99          45.71\n"
                                   "     150.209 0.981250000000         99          53.33\n"
                                   "     150.209 0.984375000000         99          64.00\n"
                                   "     150.209 0.985937500000         99          71.11\n"
                                   "     150.209 0.987500000000         99          80.00\n"
                                   "     150.209 0.989062500000         99          91.43\n"
                                   "     200.147 0.990625000000        100         106.67\n"
                                   "     200.147 1.000000000000        100\n"
                                   "#[Mean    =        9.598, StdDeviation   =       37.886]\n"
                                   "#[Max     =      200.147, Total count    =          100]\n"
                                   "#[Buckets =           32, SubBuckets     =         2048]\n";

static void what_another_library_packed_is_read_and_printed_as_it_prints_it(void **unused)
{
    (void)unused;
    struct histogram h;
    char *why, *text = NULL;
    size_t length = 0;
    assert_true(histogram_unpack(packed, strlen(packed), &h, &why));
    assert_int_equal(h.total, 100);
    assert_int_equal(h.count, 5);
    static const struct {
        ns_t value;
        uint64_t count;
    } wanted[] = {{1500, 3}, {2049, 1}, {100000, 90}, {150100000, 5}, {200100000, 1}};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(h.counts[i].index, hdr_index(&h.layout, wanted[i].value));
        assert_int_equal(h.counts[i].count, wanted[i].count);
    }
    FILE *out = open_memstream(&text, &length);
    hgrm_write(&h, NS_PER_MS, out);
    fclose(out);
    assert_string_equal(text, distribution);
    free(text);
    histogram_free(&h);
}

static const char *const unpackable[] = {
    "",
    "HIST",
    "HISTFAAAADN42pNpmSzMwMAgyAABzFCaEch0M9ixgMH+A0RguzjbUQ6mjRFbGHevZOT6zsoEANFVCio", /* cut */
    "HISTFAAAADN42pNpmSzMwMAgyAABzFCaEch0M9ixgMH+A0RguzjbUQ6mjRFbGHevZOT6zsoEANFVCi==",
    "HISTEwAAAAEAAAAAAAAAAwAAAAAAAAABAAAAAAAAAGQ/8AAAAAAAAAE=", /* not compressed */
    "HIST!AAAADN42pNpmSzMwMAgyAABzFCaEch0M9ixgMH+A0RguzjbUQ6mjRFbGHevZOT6zsoEANFVCio=",
};

static void what_is_no_histogram_is_refused_with_a_reason(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof unpackable / sizeof unpackable[0]; i++) {
        struct histogram h;
        char *why = NULL;
        assert_false(histogram_unpack(unpackable[i], strlen(unpackable[i]), &h, &why));
        assert_non_null(why);
        free(why);
    }
}

/* Rows of a run, straight from the engine. */
struct tracing {
    const struct plan *plan;
    size_t load;
    uint64_t next;
    bool json;
    FILE *out;
};

static void take(void *self, const struct batch *b)
{
    struct tracing *t = self;
    for (size_t i = 0; i < b->count; i++) {
        struct trace_row row = trace_row_of(b, i, t->next++);
        trace_write_row(t->out, &row, t->plan->loads[t->load].name, t->json);
    }
}

static char *trace_of(const struct plan *plan, bool json)
{
    char *text = NULL;
    size_t length = 0;
    struct tracing t = {.plan = plan, .json = json, .out = open_memstream(&text, &length)};
    if (!json)
        trace_write_names(t.out);
    for (t.load = 0; t.load < plan->load_count; t.load++) {
        struct trace_request request = {.plan = plan, .load = t.load, .consumer = {take, &t}};
        assert_int_equal(trace_run(&request), ENGINE_DONE);
    }
    fclose(t.out);
    return text;
}

static const char scenario[] =
    "{\"server\": {\"service\": {\"exponential\": \"2ms\"}, \"queue_limit\": 5, \"replicas\": 2, "
    "\"stalls\": [{\"mode\": \"suspend\", \"first\": \"5ms\", \"every\": \"40ms\", \"last\": "
    "\"9ms\"}]}, \"loads\": {\"a, \\\"b\\\" \\u00fc\": {\"open\": {\"rate\": 900, \"arrivals\": "
    "\"poisson\", \"max_in_flight\": 9}, \"timeout\": \"11ms\"}, \"two\": {\"closed\": 3}}, "
    "\"recorders\": {\"r\": {\"load\": \"two\", \"from\": \"due\"}}, \"run\": {\"requests\": "
    "3000, \"replications\": 1, \"start\": \"empty\"}}";

static void a_trace_is_read_back_byte_for_byte(void **unused)
{
    (void)unused;
    struct plan *plan = plan_of(scenario);
    for (int json = 0; json < 2; json++) {
        char *text = trace_of(plan, json), *again = NULL;
        struct trace_rows rows;
        struct errors errors = {0};
        size_t length = 0, of_status[4] = {0};
        assert_true(trace_read("t", text, strlen(text), &rows, &errors));
        assert_true(rows.whole && rows.json == json && rows.count == 6000);
        assert_int_equal(rows.load_count, 2);
        for (size_t i = 0; i < rows.count; i++)
            of_status[rows.rows[i].status]++;
        assert_true(of_status[STATUS_TIMED_OUT] > 0 && of_status[STATUS_REFUSED] > 0);
        FILE *out = open_memstream(&again, &length);
        trace_write(out, &rows);
        fclose(out);
        assert_string_equal(again, text);
        struct requests requests;
        trace_requests(&rows, 0, false, &requests);
        assert_int_equal(requests.count, 3000);
        for (size_t i = 1; i < requests.count; i++)
            assert_true(requests.finished[i - 1] <= requests.finished[i]);
        trace_requests_free(&requests);
        trace_rows_free(&rows);
        free(again);
        free(text);
    }
    plan_free(plan);
}

static void a_trace_of_three_columns_is_enough(void **unused)
{
    (void)unused;
    static const char text[] = "due_ns,sent_ns,finished_ns\r\n5,7,9\r\n0,1,20\r\n2,2,4\r\n3,3,9";
    struct errors errors = {0};
    struct trace_rows rows;
    struct requests requests;
    assert_true(trace_read("t", text, strlen(text), &rows, &errors));
    assert_false(rows.whole);
    trace_requests(&rows, 0, false, &requests);
    assert_int_equal(requests.count, 4);
    static const ns_t finished[] = {4, 9, 9, 20}, due[] = {2, 5, 3, 0};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(requests.finished[i], finished[i]);
        assert_int_equal(requests.due[i], due[i]);
        assert_int_equal(requests.status[i], STATUS_ANSWERED);
    }
    trace_requests_free(&requests);
    trace_rows_free(&rows);
}

static void a_trace_that_contradicts_itself_is_refused(void **unused)
{
    (void)unused;
    static const char *const cases[][2] = {
        {"", "no column"},
        {"due_ns,sent_ns,finished_ns\n", "no request"},
        {"due_ns,finished_ns\n1,2\n", "sent_ns"},
        {"due_ns,sent_ns,finished_ns,due_ns\n1,2,3,1\n", "twice"},
        {"due_ns,sent_ns,finished\n1,2,3\n", "no column"},
        {"due_ns,sent_ns,finished_ns\n1,2,3\n3,2,4\n", "t:3:1: due, acquired"},
        {"due_ns,sent_ns,finished_ns\n1,2\n", "as many columns"},
        {"due_ns,sent_ns,finished_ns\n1,2,3,4\n", "as many columns"},
        {"due_ns,sent_ns,finished_ns\n1,2,-3\n", "whole ns"},
        {"due_ns,sent_ns,finished_ns\n1,2,4611686018427387904\n", "below 2^62"},
        {"due_ns,sent_ns,finished_ns,status\n1,2,3,lost\n", "status"},
        {"due_ns,sent_ns,finished_ns,started_ns\n1,2,3,1\n", "between sent and finished"},
        {"due_ns,sent_ns,finished_ns,started_ns\n1,2,3,4\n", "between sent and finished"},
        {"due_ns,sent_ns,finished_ns,response_ns\n1,2,3,1\n", "response_ns"},
        {"due_ns,sent_ns,finished_ns,load\n1,2,3,\"a\n", "quote"},
        {"due_ns,sent_ns,finished_ns,queue_ns,stall_ns,service_ns\n1,2,9,1,2,3\n", "make up"},
        {"{\"due_ns\": 1, \"sent_ns\": 2}\n", "finished_ns must be there"},
        {"{\"due_ns\": 1, \"sent_ns\": 2, \"finished_ns\": 3, \"x\": 1}\n", "none of a trace's"},
        {"{\"due_ns\": 1, \"sent_ns\": 2, \"finished_ns\": 3}\n{\n", "t:2:1"},
        {"{\"due_ns\": 1, \"sent_ns\": 2.5, \"finished_ns\": 3}\n", "whole ns"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct errors errors = {0};
        struct trace_rows rows;
        assert_false(trace_read("t", cases[i][0], strlen(cases[i][0]), &rows, &errors));
        if (strstr(errors.texts[0], cases[i][1]) == NULL)
            print_message("# %s, not %s\n", errors.texts[0], cases[i][1]);
        assert_non_null(strstr(errors.texts[0], cases[i][1]));
        errors_free(&errors);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_those_of_the_store),
        cmocka_unit_test(what_is_packed_unpacks_to_the_same),
        cmocka_unit_test(the_largest_count_takes_nine_bytes),
        cmocka_unit_test(what_another_library_packed_is_read_and_printed_as_it_prints_it),
        cmocka_unit_test(what_is_no_histogram_is_refused_with_a_reason),
        cmocka_unit_test(a_trace_is_read_back_byte_for_byte),
        cmocka_unit_test(a_trace_of_three_columns_is_enough),
        cmocka_unit_test(a_trace_that_contradicts_itself_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
