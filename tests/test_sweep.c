/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sweeps: exact values, their paths, and every word about what is wrong with one. */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "sim/scenario/sweep.h"
#include "tests/equal_plans.h"
#include "tests/scenario_text.h"

#define DURATION \
    "a duration, as \"1.5ms\": decimal digits and one of ns us ms s min, or a whole number of ns"

/* The values of the first path, with blanks between.  Owned by the caller. */
static char *values_of_sweep(const char *sweep)
{
    char *more = must_format(", \"sweep\": %s", sweep);
    char *text = scenario_of((struct parts){.more = more});
    struct plan *plan = plan_of(text);
    char *all = must_copy("");
    for (size_t i = 0; i < plan->sweeps[0].value_count; i++) {
        char *longer = must_format("%s%s%s", all, i > 0 ? " " : "", plan->sweeps[0].values[i]);
        free(all);
        all = longer;
    }
    plan_free(plan);
    free(text);
    free(more);
    return all;
}

static void values_are_exact_and_end_where_the_range_does(void **state)
{
    (void)state;
    static const struct {
        const char *range, *values;
    } cases[] = {
        {"{\"/server/workers\": [1, 2, 4]}", "1 2 4"},
        {"{\"/server/workers\": [1, \"unlimited\"]}", "1 \"unlimited\""},
        {"{\"/server/service\": [{\"constant\":\n 5}, {\"exponential\": 5}]}",
         "{\"constant\":  5} {\"exponential\": 5}"},
        {"{\"/loads/a/open/rate\": {\"from\": 50, \"to\": 190, \"step\": 40}}", "50 90 130 170"},
        {"{\"/loads/a/open/rate\": {\"from\": 0.1, \"to\": 0.4, \"step\": 0.1}}",
         "0.1 0.2 0.3 0.4"},
        {"{\"/loads/a/open/rate\": {\"from\": 1, \"to\": 2, \"count\": 5}}", "1 1.25 1.5 1.75 2"},
        {"{\"/loads/a/open/rate\": {\"from\": 7, \"to\": 7, \"count\": 1}}", "7"},
        {"{\"/loads/a/open/rate\": {\"from\": 7, \"to\": 7, \"step\": 1}}", "7"},
        {"{\"/loads/a/open/rate\": {\"from\": 1e3, \"to\": 3.0e3, \"step\": 1e3}}",
         "1000 2000 3000"},
        {"{\"/server/service/constant\": {\"from\": \"1ms\", \"to\": \"2ms\", \"step\": "
         "\"500us\"}}",
         "\"1ms\" \"1.5ms\" \"2ms\""},
        {"{\"/server/service/constant\": {\"from\": \"0ns\", \"to\": \"2ns\", \"count\": 3}}",
         "\"0ns\" \"1ns\" \"2ns\""},
        {"{\"/loads/a/open/rate\": {\"from\": 0.000001, \"to\": 0.000003, \"step\": 0.000001}}",
         "0.000001 0.000002 0.000003"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *values = values_of_sweep(cases[i].range);
        assert_string_equal(values, cases[i].values);
        free(values);
    }
}

static void several_paths_keep_their_order_and_come_back(void **state)
{
    (void)state;
    char *text = scenario_of((struct parts){
        .loads = "{\"a/b\": {\"open\": {\"rate\": 100}}}",
        .recorders = "{\"r\": {\"load\": \"a/b\", \"from\": \"due\"}}",
        .more = ", \"sweep\": {\"/server/workers\": {\"from\": 1, \"to\": 3, \"step\": 1}, "
                "\"/loads/a~1b/open/rate\": [0.25, 7], \"/report/unit\": [\"ms\"]}"});
    struct plan *plan = plan_of(text);
    assert_int_equal(plan->sweep_count, 3);
    assert_string_equal(plan->sweeps[0].path, "/server/workers");
    assert_string_equal(plan->sweeps[1].path, "/loads/a~1b/open/rate");
    assert_string_equal(plan->sweeps[2].values[0], "\"ms\"");
    char *back = written(plan);
    struct plan *again = plan_of(back);
    equal_plans(plan, again);
    plan_free(again);
    free(back);
    plan_free(plan);
    free(text);
}

static void as_many_combinations_as_are_allowed_are_read(void **state)
{
    (void)state;
    char *text = scenario_of((struct parts){
        .more = ", \"sweep\": {\"/server/workers\": {\"from\": 1, \"to\": 100, \"step\": 1}, "
                "\"/server/queue_limit\": {\"from\": 1, \"to\": 100, \"step\": 1}}"});
    struct plan *plan = plan_of(text);
    assert_int_equal(plan->sweeps[0].value_count * plan->sweeps[1].value_count, SWEEP_MOST);
    plan_free(plan);
    free(text);
}

/* Values of different paths may need each other: only together are they a scenario. */
static void the_first_values_are_judged_together(void **state)
{
    (void)state;
    char *text = scenario_of((struct parts){
        .more = ", \"sweep\": {\"/server/replicas\": [3], \"/server/routing\": [\"round-robin\"], "
                "\"/loads/a/fan_out\": [3, 2]}"});
    plan_free(plan_of(text));
    free(text);
    text = scenario_of((struct parts){.more = ", \"sweep\": {\"/loads/a/fan_out\": [3, 2]}"});
    char *faults = faults_of(text, strlen(text));
    assert_non_null(strstr(faults, "/sweep: its first combination is no scenario"));
    assert_non_null(strstr(faults, "found 3 parts"));
    free(faults);
    free(text);
}

static void a_setting_reaches_into_a_sweep_and_under_it(void **state)
{
    (void)state;
    static const struct setting settings[] = {
        {"/sweep", "{\"/server/workers\": [2, 3]}", NULL},
        {"/server/quota/budget", "5ms", NULL},
        {"/server/quota/period", "7ms", NULL},
        {"/recorders/r/per", "{\"window\": \"1s\"}", NULL},
        {"/recorders/r/per/window", "2s", NULL},
        {"/loads/a/generator/cost", "5", NULL},
        {"/loads/a/generator/threads", "3", NULL},
    };
    struct errors errors = {0};
    char *text = scenario_of((struct parts){0});
    struct plan *plan =
        plan_read("s", text, strlen(text), settings, sizeof settings / sizeof settings[0], &errors);
    assert_non_null(plan);
    assert_string_equal(plan->sweeps[0].values[1], "3");
    assert_int_equal(plan->server.quota.period_ns, 7 * NS_PER_MS);
    assert_int_equal(plan->recorders[0].window_ns, 2 * NS_PER_S);
    assert_int_equal(plan->loads[0].generator.threads, 3);
    plan_free(plan);
    errors_free(&errors);
    free(text);
}

static const struct {
    struct parts parts;
    const char *faults;
} cases[] = {
    {{.more = ", \"sweep\": 5"},
     "s:4:35: /sweep: found 5; allowed: an object of at least one path with its values, as "
     "{\"/server/workers\": [1, 2]}\n"},
    {{.more = ", \"sweep\": {}"},
     "s:4:35: /sweep: found an object; allowed: an object of at least one path with its values, as "
     "{\"/server/workers\": [1, 2]}\n"},
    {{.more = ", \"sweep\": {\"/server/workers\": []}"},
     "s:4:55: /sweep/~1server~1workers: found an empty list; allowed: at least one value\n"},
    {{.more = ", \"sweep\": {\"/server/workers\": 5}"},
     "s:4:55: /sweep/~1server~1workers: found 5; allowed: a list of values, or {\"from\", \"to\", "
     "\"step\"} or {\"from\", \"to\", \"count\"}\n"},
    {{.more = ", \"sweep\": {\"server/workers\": [1]}"},
     "s:4:36: /sweep/server~1workers: found \"server/workers\"; allowed: the path of a value in "
     "this scenario, as /server/workers\n"},
    {{.more = ", \"sweep\": {\"/sweep/x\": [1]}"},
     "s:4:36: /sweep/~1sweep~1x: found \"/sweep/x\"; allowed: the path of a value in this "
     "scenario, as /server/workers\n"},
    {{.more = ", \"sweep\": {\"/experiment\": [1]}"},
     "s:4:36: /sweep/~1experiment: found \"/experiment\"; allowed: the path of a value in this "
     "scenario, as /server/workers\n"},
    {{.more = ", \"sweep\": {\"/server/wrokers\": [1]}"},
     "s:4:35: /sweep: its first combination is no scenario: s: /server/wrokers: unknown key "
     "\"wrokers\"; nearest: \"workers\"; allowed: \"service\", \"workers\", \"queue\", "
     "\"queue_limit\", \"stalls\", \"replicas\", \"routing\", \"load_dependence\", \"quota\", "
     "\"behind\", \"network\"\n"},
    {{.more = ", \"sweep\": {\"/loads/zz/open/rate\": [1]}"},
     "s:4:35: /sweep: its first combination is no scenario: /loads/zz/open/rate: the "
     "scenario has no \"zz\" at /loads; allowed: \"a\"\n"},
    {{.more = ", \"sweep\": {\"/server/workers\": [0, 1]}"},
     "s:4:35: /sweep: its first combination is no scenario: s: /server/workers: found 0; "
     "allowed: a whole number, at least 1, or \"unlimited\"\n"},
    {{.more = ", \"sweep\": {\"/server/workers\": {}}"},
     "s:4:55: /sweep/~1server~1workers: found a range without both its ends and one measure; "
     "allowed: \"from\", \"to\" and either \"step\" or \"count\"\n"},
    {{.more = ", \"sweep\": {\"/server/workers\": {\"from\": 1, \"to\": 5}}"},
     "s:4:55: /sweep/~1server~1workers: found a range without both its ends and one measure; "
     "allowed: \"from\", \"to\" and either \"step\" or \"count\"\n"},
    {{.more = ", \"sweep\": {\"/server/workers\": {\"from\": 1, \"to\": 5, \"step\": 1, \"count\": "
              "5}}"},
     "s:4:55: /sweep/~1server~1workers: found a range without both its ends and one measure; "
     "allowed: \"from\", \"to\" and either \"step\" or \"count\"\n"},
    {{.more = ", \"sweep\": {\"/server/workers\": {\"from\": 1, \"to\": 5, \"setp\": 1}}"},
     "s:4:76: /sweep/~1server~1workers/setp: unknown key \"setp\"; nearest: \"step\"; allowed: "
     "\"from\", \"to\", \"step\", \"count\"\n"},
    {{.more = ", \"sweep\": {\"/server/workers\": {\"from\": 5, \"to\": 1, \"step\": 1}}"},
     "s:4:55: /sweep/~1server~1workers: found a range that ends before it begins; allowed: "
     "\"from\" at most \"to\"\n"},
    {{.more = ", \"sweep\": {\"/server/workers\": {\"from\": 1, \"to\": 5, \"step\": 0}}"},
     "s:4:84: /sweep/~1server~1workers/step: found 0; allowed: a step above 0\n"},
    {{.more = ", \"sweep\": {\"/server/workers\": {\"from\": 1, \"to\": \"5ms\", \"step\": 1}}"},
     "s:4:55: /sweep/~1server~1workers: found numbers and durations in one range; allowed: one of "
     "them\n"},
    {{.more = ", \"sweep\": {\"/server/workers\": {\"from\": 1, \"to\": 2, \"count\": 4}}"},
     "s:4:55: /sweep/~1server~1workers: found points that are no exact decimals or whole ns; "
     "allowed: a \"count\" of which all are, or \"step\"\n"},
    {{.more = ", \"sweep\": {\"/server/workers\": {\"from\": 1, \"to\": 2, \"count\": 1}}"},
     "s:4:85: /sweep/~1server~1workers/count: found 1; allowed: at least 2 points, as the ends "
     "differ\n"},
    {{.more = ", \"sweep\": {\"/server/workers\": {\"from\": 1, \"to\": 2, \"count\": 0}}"},
     "s:4:85: /sweep/~1server~1workers/count: found 0; allowed: a whole number, at least 1, at "
     "most 10000\n"},
    {{.more = ", \"sweep\": {\"/server/workers\": {\"from\": 1, \"to\": 10001, \"step\": 1}}"},
     "s:4:55: /sweep/~1server~1workers: found a range of more than 10000 values; allowed: a larger "
     "step\n"},
    {{.more = ", \"sweep\": {\"/server/workers\": {\"from\": 1, \"to\": 200, \"step\": 1}, "
              "\"/server/queue_limit\": {\"from\": 1, \"to\": 100, \"step\": 1}}"},
     "s:4:35: /sweep: found more than 10000 combinations; allowed: fewer values\n"},
    {{.more = ", \"sweep\": {\"/server/workers\": {\"from\": 0.123456789012345678, \"to\": "
              "100000000000000000, \"step\": 1e-17}}"},
     "s:4:55: /sweep/~1server~1workers: found a range of too many digits; allowed: fewer "
     "decimals\n"},
    {{.more = ", \"sweep\": {\"/server/workers\": {\"from\": -1, \"to\": 1, \"step\": 1}}"},
     "s:4:64: /sweep/~1server~1workers/from: found -1; allowed: a number of at most 18 digits, at "
     "least 0\n"},
    {{.more = ", \"sweep\": {\"/server/workers\": {\"from\": 1e999, \"to\": 1, \"step\": 1}}"},
     "s:4:64: /sweep/~1server~1workers/from: found 1e999; allowed: numbers below 1.8e308\n"},
    {{.more = ", \"sweep\": {\"/server/workers\": [1], \"/server/workers\": [2]}"},
     "s:4:60: /sweep/~1server~1workers: found the key \"/server/workers\" again; allowed: each key "
     "once (the first is at 4:36)\n"},
};

static void each_fault_of_a_sweep_is_answered_in_full(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_faults(cases[i].parts, cases[i].faults);
}

/* The scenario is read anew for each path: their number is small whatever a file says. */
static void a_sweep_of_thousands_of_paths_is_refused_at_once(void **state)
{
    (void)state;
    char *more = must_copy(", \"sweep\": {\"/server/workers\": [1]");
    for (int i = 0; i < 5000; i++) {
        char *longer = must_format("%s, \"/%d\": [1]", more, i);
        free(more);
        more = longer;
    }
    char *closed = must_format("%s}", more);
    char *text = scenario_of((struct parts){.more = closed}),
         *faults = faults_of(text, strlen(text));
    assert_string_equal(faults, "s:4:35: /sweep: found 5001 paths; allowed: at most 16\n");
    free(faults);
    free(text);
    free(closed);
    free(more);
}

/* Else the reading of all points would take the square of their number. */
static void a_point_does_not_read_the_sweep_again(void **state)
{
    (void)state;
    char *text = scenario_of((struct parts){
        .more =
            ", \"sweep\": {\"/loads/a/open/rate\": {\"from\": 1, \"to\": 10000, \"step\": 1}}"});
    struct errors errors = {0};
    struct plan *whole = plan_of(text);
    struct plan *point = plan_try("s", text, strlen(text), NULL, 0, &errors);
    assert_non_null(point);
    assert_int_equal(whole->sweeps[0].value_count, 10000);
    assert_int_equal(point->sweep_count, 0);
    plan_free(whole);
    plan_free(point);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_exact_and_end_where_the_range_does),
        cmocka_unit_test(several_paths_keep_their_order_and_come_back),
        cmocka_unit_test(as_many_combinations_as_are_allowed_are_read),
        cmocka_unit_test(the_first_values_are_judged_together),
        cmocka_unit_test(a_setting_reaches_into_a_sweep_and_under_it),
        cmocka_unit_test(a_sweep_of_thousands_of_paths_is_refused_at_once),
        cmocka_unit_test(each_fault_of_a_sweep_is_answered_in_full),
        cmocka_unit_test(a_point_does_not_read_the_sweep_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
