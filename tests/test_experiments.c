/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Experiments along a load or a length, on figures that the test makes up. */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/made_lab.h"
#include "tests/scenario_text.h"

enum { CLOSED, OPEN }; /* loads and recorders */

/* 100 answers a second for each client, up to 249.8; latency is clients / throughput. */
static void saturates(struct made_lab *made, const char *group, const char *const *values,
                      struct seen *seen)
{
    (void)group;
    if (values[0] == NULL)
        return;
    double clients = strtod(values[0], NULL);
    seen->loads[CLOSED].achieved_per_s = fmin(100.0 * clients, 249.8) - (clients > 4.0 ? 1.0 : 0.0);
    made_times(seen, made->lab.plan, CLOSED, clients / seen->loads[CLOSED].achieved_per_s * 1e9);
}

static void clients_double_until_throughput_no_longer_gains(void **state)
{
    struct plan *plan = made_plan("{\"capacity\": {\"whole\": true, \"fractions\": [0.75, 1.1]}}");
    struct made_lab made = {.show = saturates};
    (void)state;
    made_lab_run(&made, plan);
    assert_string_equal(made.values, "1 -\n2 -\n4 -\n8 -\n- 187\n- 275\n");
    made_value_is(&made, "capacity", "250");
    made_value_is(&made, "latency is clients / throughput", "yes");
    assert_non_null(strstr(made.found, "with 4 clients"));
    made_lab_free(&made);
    plan_free(plan);
}

/* As saturates, but the answers take as long as ever: the rest is think time. */
static void thinks(struct made_lab *made, const char *group, const char *const *values,
                   struct seen *seen)
{
    saturates(made, group, values, seen);
    if (values[0] != NULL)
        made_times(seen, made->lab.plan, CLOSED, 1e6);
}

static void clients_that_think_are_not_taken_for_a_closed_loop_alone(void **state)
{
    struct plan *plan = made_plan("{\"capacity\": {\"clients\": [1, 4, 2]}}");
    struct made_lab made = {.show = thinks};
    (void)state;
    made_lab_run(&made, plan);
    assert_string_equal(made.values, "1\n4\n2\n");
    made_value_is(&made, "capacity", "249.8");
    made_value_is(&made, "latency is clients / throughput", "no");
    made_lab_free(&made);
    plan_free(plan);
}

/* p99 in ms is the rate: the highest rate under a limit is the limit. */
static void is_the_rate(struct made_lab *made, const char *group, const char *const *values,
                        struct seen *seen)
{
    (void)group;
    made_times(seen, made->lab.plan, OPEN, strtod(values[0], NULL) * 1e6);
}

static void limit_finds(const char *below, const char *wanted, size_t points_most)
{
    char *text = must_format("{\"limit\": {\"below\": \"%s\", \"low\": 10.5, \"high\": 300, "
                             "\"step\": 0.1}}",
                             below);
    struct plan *plan = made_plan(text);
    struct made_lab made = {.show = is_the_rate};
    made_lab_run(&made, plan);
    made_value_is(&made, "highest rate", wanted);
    assert_true(made.points <= points_most);
    made_lab_free(&made);
    plan_free(plan);
    free(text);
}

static void the_limit_is_found_to_the_last_step_in_as_few_points_as_halving_needs(void **state)
{
    (void)state;
    limit_finds("123.4ms", "123.4", 14);
    limit_finds("123.49ms", "123.4", 14);
    limit_finds("10.5ms", "10.5", 14);
    limit_finds("299.9ms", "299.9", 14);
    limit_finds("300ms", "300", 2);
    limit_finds("5s", "300", 2);
    limit_finds("10ms", "none", 1);
    for (unsigned tenths = 106; tenths < 3000; tenths += 97) {
        char *below = must_format("%u.%ums", tenths / 10, tenths % 10);
        char *wanted = tenths % 10 == 0 ? must_format("%u", tenths / 10)
                                        : must_format("%u.%u", tenths / 10, tenths % 10);
        limit_finds(below, wanted, 14);
        free(below);
        free(wanted);
    }
}

/* Flat at 10 ms to 70 per second, then 5 ms more for each. */
static void bends_at_70(struct made_lab *made, const char *group, const char *const *values,
                        struct seen *seen)
{
    (void)group;
    double rate = strtod(values[0], NULL);
    made_times(seen, made->lab.plan, OPEN, 1e7 + (rate > 70.0 ? (rate - 70.0) * 5e6 : 0.0));
}

static void straight(struct made_lab *made, const char *group, const char *const *values,
                     struct seen *seen)
{
    (void)group;
    made_times(seen, made->lab.plan, OPEN, strtod(values[0], NULL) * 1e6);
}

static void the_knee_is_where_the_curve_bends(void **state)
{
    struct plan *plan =
        made_plan("{\"knee\": {\"fractions\": [0.1, 0.3, 0.5, 0.7, 0.8, 0.9], \"of\": 100}}");
    struct made_lab made = {.show = bends_at_70};
    (void)state;
    made_lab_run(&made, plan);
    made_value_is(&made, "knee by chord", "70");
    made_value_is(&made, "knee by doubling", "80");
    assert_non_null(strstr(made.found, "(0.7 of the capacity)"));
    made_lab_free(&made);
    made = (struct made_lab){.show = straight};
    made_lab_run(&made, plan);
    made_value_is(&made, "knee by chord", "none");
    made_value_is(&made, "knee by doubling", "30");
    made_lab_free(&made);
    plan_free(plan);
}

/* 5 ms at each rate but those between 1100 and 1900, where a gate fails too. */
static void broken_in_the_middle(struct made_lab *made, const char *group,
                                 const char *const *values, struct seen *seen)
{
    (void)group;
    double rate = strtod(values[0], NULL);
    bool broken = rate > 1100.0 && rate < 1900.0;
    made_times(seen, made->lab.plan, OPEN, broken ? rate * 1e6 : 5e6);
    if (broken) {
        free(seen->recorders[OPEN].gates);
        seen->recorders[OPEN].gates = must_copy("rate");
    }
}

static void a_ladder_is_judged_as_a_whole_and_set_aside_as_a_whole(void **state)
{
    struct plan *plan = made_plan("{\"ladder\": [600, 1200, 1800, 2400]}");
    struct made_lab made = {.show = broken_in_the_middle};
    (void)state;
    made_lab_run(&made, plan);
    made_value_is(&made, "shape of p99", "non-monotone");
    assert_non_null(strstr(made.found, "it falls at 2400 per second, 4. in the ladder"));
    made_value_is(&made, "quarantined", "ladder");
    assert_non_null(strstr(made.found, "2 of its 4 points: 2 (rate), 3 (rate)"));
    assert_non_null(strstr(made.found, "points 1, 2, 3, 4"));
    made_lab_free(&made);
    made = (struct made_lab){.show = straight};
    made_lab_run(&made, plan);
    made_value_is(&made, "shape of p99", "monotone");
    made_value_is(&made, "quarantined", "none");
    made_lab_free(&made);
    plan_free(plan);
}

/* p99 grows with the length to the power of `number` (0, 1/2 or 1). */
static void grows(struct made_lab *made, const char *group, const char *const *values,
                  struct seen *seen)
{
    (void)group;
    double length = strtod(values[0] + 1, NULL);
    double ns = made->number > 0.75 ? length : made->number > 0.25 ? sqrt(length) : 1.0;
    made_times(seen, made->lab.plan, OPEN, ns * 1e9);
}

static void what_grows_with_the_run_is_past_capacity_and_what_settles_is_not(void **state)
{
    struct plan *plan = made_plan("{\"durations\": [\"1s\", \"4s\", \"16s\"]}");
    (void)state;
    struct made_lab made = {.show = grows, .number = 1.0};
    made_lab_run(&made, plan);
    made_value_is(&made, "p99", "past capacity");
    made_lab_free(&made);
    made = (struct made_lab){.show = grows, .number = 0.5}; /* just at capacity: no more than it */
    made_lab_run(&made, plan);
    made_value_is(&made, "p99", "settles");
    made_lab_free(&made);
    made = (struct made_lab){.show = grows};
    made_lab_run(&made, plan);
    made_value_is(&made, "p99", "settles");
    made_lab_free(&made);
    plan_free(plan);
}

static void every_experiment_stops_where_a_point_does_and_finds_nothing(void **state)
{
    static const struct {
        const char *text;
        void (*show)(struct made_lab *made, const char *group, const char *const *values,
                     struct seen *seen);
    } all[] = {
        {"{\"capacity\": {\"fractions\": [0.5]}}", saturates},
        {"{\"ladder\": [1, 2, 3]}", straight},
        {"{\"knee\": [1, 2, 3]}", straight},
        {"{\"limit\": {\"below\": \"5ms\", \"low\": 1, \"high\": 100}}", straight},
        {"{\"durations\": [\"1s\", \"2s\", \"4s\"]}", grows},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct plan *plan = made_plan(all[i].text);
        struct made_lab made = {.show = all[i].show, .stop_after = 2};
        made_lab_run(&made, plan);
        assert_string_equal(made.found, "");
        assert_string_equal(made.rows, "");
        assert_int_equal(made.points, 2);
        made_lab_free(&made);
        plan_free(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clients_double_until_throughput_no_longer_gains),
        cmocka_unit_test(clients_that_think_are_not_taken_for_a_closed_loop_alone),
        cmocka_unit_test(the_limit_is_found_to_the_last_step_in_as_few_points_as_halving_needs),
        cmocka_unit_test(the_knee_is_where_the_curve_bends),
        cmocka_unit_test(a_ladder_is_judged_as_a_whole_and_set_aside_as_a_whole),
        cmocka_unit_test(what_grows_with_the_run_is_past_capacity_and_what_settles_is_not),
        cmocka_unit_test(every_experiment_stops_where_a_point_does_and_finds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
