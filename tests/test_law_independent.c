/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "tests/claim.h"
#include "tests/whole_run.h"

#define SCENE(n, run)                                                                              \
    "{\"server\": {\"service\": {\"samples\": [5, 900, 40, 7, 7]}, \"workers\": " n "}, "          \
    "\"loads\": {\"l\": {\"open\": {\"every\": 10}}, \"t\": {\"open\": {\"arrivals\": "            \
    "{\"times\": "                                                                                 \
    "[0, 0, 3, 50, 51, 80, 99]}}}}, \"recorders\": {\"l\": {\"load\": \"l\", \"from\": \"due\"}, " \
    "\"t\": {\"load\": \"t\", \"from\": \"sent\"}, \"lag\": {\"load\": \"l\", \"from\": \"due\", " \
    "\"to\": \"sent\"}}, \"run\": " run ", \"report\": {\"above\": [\"7ns\", \"40ns\"]}}"

static void expect_exact(const char *text, enum check want)
{
    struct plan *plan = whole_plan(text);
    struct result *result = whole_run(plan, NULL);
    for (size_t r = 0; r < plan->recorder_count; r++) {
        assert_int_equal(result->recorders[r].tally_check, want);
        for (size_t i = 0; i < plan->report.percentile_count; i++)
            assert_int_equal(result->recorders[r].cells[i].check, want);
    }
    assert_int_equal(result->holds, want == CHECK_EXACT ? VERDICT_HOLDS : VERDICT_UNKNOWN);
    result_free(result);
    plan_free(plan);
}

static void the_list_is_the_law_where_nobody_waits(void **state)
{
    (void)state;
    expect_exact(SCENE("\"unlimited\"", "{\"requests\": 7}"), CHECK_EXACT);
    expect_exact(SCENE("\"unlimited\"", "{\"requests\": 6, \"warmup\": 20}"), CHECK_EXACT);
    expect_exact(SCENE("\"unlimited\"", "{\"duration\": 80}"), CHECK_EXACT);
    expect_exact(SCENE("\"unlimited\"", "{\"duration\": 81, \"requests\": 100}"), CHECK_EXACT);
}

static void one_worker_makes_requests_wait_and_has_no_such_law(void **state)
{
    (void)state;
    struct plan *plan = whole_plan(SCENE("1", "{\"requests\": 7}"));
    struct result *result = whole_run(plan, NULL);
    assert_int_equal(result->recorders[0].cells[0].check, CHECK_NONE);
    assert_string_equal(result->recorders[0].law_why, "The service time is not constant.");
    result_free(result);
    plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_is_the_law_where_nobody_waits),
        cmocka_unit_test(one_worker_makes_requests_wait_and_has_no_such_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
