/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What of each response time was send lag, queue, stall and service: worked by hand, and found out
   where the parts do not make up the whole. */

#include <stdlib.h>
#include <string.h>

#include "sim/recorder.h"
#include "sim/watch.h"
#include "tests/claim.h"
#include "tests/whole_run.h"

/* Four requests of 4 ms at 0, 2, 9 and 12 ms; the server is not itself from 10 to 15 ms. */
static struct plan *plan_with(const char *mode, const char *load)
{
    char *text = must_format(
        "{\"server\": {\"service\": {\"constant\": \"4ms\"},"
        "\"stalls\": [{\"mode\": \"%s\", \"first\": \"10ms\", \"last\": \"5ms\"}]},"
        "\"loads\": {\"l\": {\"open\": {\"arrivals\": {\"times\": [\"0ms\", \"2ms\", \"9ms\","
        "\"12ms\"]}%s}}},"
        "\"recorders\": {\"queue\": {\"load\": \"l\", \"part\": \"queue\"},"
        "\"stall\": {\"load\": \"l\", \"part\": \"stall\"},"
        "\"service\": {\"load\": \"l\", \"part\": \"service\"},"
        "\"lag\": {\"load\": \"l\", \"from\": \"due\", \"to\": \"sent\"},"
        "\"response\": {\"load\": \"l\", \"from\": \"due\"}},"
        "\"run\": {\"requests\": 4}}",
        mode, load);
    struct plan *plan = whole_plan(text);
    free(text);
    return plan;
}

static void assert_sums(const char *mode, const char *load, const ns_t sums_ms[5])
{
    struct plan *plan = plan_with(mode, load);
    struct result *result = whole_run(plan, NULL);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal((uint64_t)result->recorders[i].sum.ns, sums_ms[i] * NS_PER_MS);
    bool found = false;
    for (size_t i = 0; i < result->identity_count; i++) {
        assert_true(result->identities[i].holds);
        found |= strcmp(result->identities[i].name, "parts") == 0;
    }
    assert_true(found);
    result_free(result);
    plan_free(plan);
}

static void parts_are_those_worked_by_hand_in_each_kind_of_stall(void **state)
{
    (void)state;
    static const ns_t suspend_ms[] = {5, 8, 16, 0, 29};  /* the third is extended by 5 */
    static const ns_t gate_ms[] = {2, 3, 16, 0, 21};     /* the fourth waits for the lock alone */
    static const ns_t blackout_ms[] = {2, 5, 16, 0, 23}; /* the third's answer is held back for 2 */
    assert_sums("suspend", "", suspend_ms);
    assert_sums("gate", "", gate_ms);
    assert_sums("blackout", "", blackout_ms);
}

/* One at a time: the second leaves at 4 ms, the fourth at 18, when all stalls are over. */
static void what_the_client_holds_back_is_send_lag(void **state)
{
    (void)state;
    static const ns_t windowed_ms[] = {0, 5, 16, 8, 29};
    assert_sums("suspend", ", \"max_in_flight\": 1", windowed_ms);
}

static void a_request_without_an_answer_has_no_parts(void **state)
{
    (void)state;
    struct plan *plan =
        whole_plan("{\"server\": {\"service\": {\"constant\": \"4ms\"}},"
                   "\"loads\": {\"l\": {\"open\": {\"arrivals\": {\"times\": [\"0ms\", \"0ms\"]}},"
                   "\"timeout\": \"5ms\"}},"
                   "\"recorders\": {\"dropped\": {\"load\": \"l\", \"part\": \"queue\"},"
                   "\"infinite\": {\"load\": \"l\", \"part\": \"queue\", \"failures\": "
                   "\"infinite\"}}, \"run\": {\"requests\": 2}}");
    struct result *result = whole_run(plan, NULL);
    assert_int_equal(result->recorders[0].count, 1);
    assert_int_equal(result->recorders[0].excluded, 1);
    assert_int_equal(result->recorders[1].count, 2);
    assert_true(result->recorders[1].cells[plan->report.percentile_count - 1].infinite);
    result_free(result);
    plan_free(plan);
}

/* due, sent, started, finished, waited and served in stalls, waited behind */
static void sums_of(const ns_t row[7], struct row_sums *sums)
{
    static const uint64_t client[1];
    static const uint32_t replica[1];
    static const uint8_t answered[1];
    struct batch batch = {1,       true,    true,    0,       row,      row,
                          row + 1, row + 2, row + 3, row + 3, answered, client,
                          replica, row + 4, row + 5, row + 6, 0,        0};
    *sums = (struct row_sums){.takes_parts = true};
    struct columns columns;
    columns_begin(&columns, &batch);
    row_sums_take(sums, &columns);
    row_sums_free(sums);
}

static void parts_below_zero_are_found_out(void **state)
{
    (void)state;
    static const ns_t rows[][7] = {
        {1, 2, 5, 9, 3, 4, 0}, /* all of it in stalls */
        {1, 2, 5, 9, 3, 1, 3}, /* and behind */
        {1, 2, 5, 9, 4, 0, 0}, /* more stalls than wait */
        {1, 2, 5, 9, 0, 5, 0}, /* more stalls than service */
        {1, 2, 5, 9, 0, 2, 3}, /* and waits behind */
        {3, 2, 5, 9, 0, 0, 0}, /* sent before it was due */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct row_sums sums;
        sums_of(rows[i], &sums);
        assert_int_equal(sums.parts_ns == sums.response_ns, i < 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_those_worked_by_hand_in_each_kind_of_stall),
        cmocka_unit_test(what_the_client_holds_back_is_send_lag),
        cmocka_unit_test(a_request_without_an_answer_has_no_parts),
        cmocka_unit_test(parts_below_zero_are_found_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
