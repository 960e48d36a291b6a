/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Experiments that repeat or pair runs, on figures that the test makes up. */

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

/* 10 ms times the rate, and the seed in ms on top; the warm-up is far out. */
static void by_seed(struct made_lab *made, const char *group, const char *const *values,
                    struct seen *seen)
{
    double seed = strtod(values[0] + 1, NULL), rate = strtod(values[1], NULL);
    bool warm = strcmp(group, "warm-up") == 0;
    made_times(seen, made->lab.plan, OPEN, warm ? 1e12 : rate * 1e7 + seed * 1e6);
    made_times(seen, made->lab.plan, CLOSED, 1e6);
}

static void repeats_of(unsigned runs, struct made_lab *made)
{
    char *text = must_format("{\"repeats\": {\"runs\": %u, \"warmup\": 1, \"vary\": "
                             "\"/loads/open/open/rate\", \"values\": [1, 2]}}",
                             runs);
    struct plan *plan = made_plan(text);
    made_lab_run(made, plan);
    plan_free(plan);
    free(text);
}

static void two_repeats_give_a_range_and_no_verdict(void **state)
{
    struct made_lab made = {.show = by_seed};
    (void)state;
    repeats_of(2, &made);
    made_value_is(&made, "from due, p99: 1 against 2", "no verdict");
    made_value_is(&made, "from due, 1: noisiest figure", "no verdict");
    assert_non_null(strstr(made.found, "n = 2 each, too few"));
    made_lab_free(&made);
}

static void repeats_have_seeds_of_their_own_and_the_warm_up_does_not_count(void **state)
{
    struct made_lab made = {.show = by_seed};
    (void)state;
    repeats_of(3, &made);
    assert_string_equal(made.values, "\"1\" 1\n\"2\" 1\n\"3\" 1\n\"4\" 1\n"
                                     "\"1\" 2\n\"2\" 2\n\"3\" 2\n\"4\" 2\n");
    made_value_is(&made, "from due, p99: 1 against 2", "apart");
    assert_non_null(strstr(made.rows, "times|1|from due|p99|3|12000000|13000000|14000000|"
                                      "13000000|2000000|0.07692307692\n"));
    made_value_is(&made, "from send, 1: noisiest figure", "none");
    assert_null(strstr(made.rows, "1e+12"));
    made_lab_free(&made);
}

static void ranges_that_overlap_are_no_difference(void **state)
{
    struct made_lab made = {.show = by_seed};
    (void)state;
    repeats_of(20, &made);
    made_value_is(&made, "from due, p99: 1 against 2", "overlap");
    /* Seeds a and b with 10 + a > 20 + b: 10 of 20 x 20 differ by more than 10, in 45 ways. */
    assert_non_null(strstr(made.found, "45 of 400 pairs of runs say the opposite"));
    made_lab_free(&made);
}

/* A run's own value, or (number 0) what the seed makes of it. */
static void drawn_or_not(struct made_lab *made, const char *group, const char *const *values,
                         struct seen *seen)
{
    (void)group;
    double value = strtod(values[0] + 1, NULL), seed = strtod(values[1] + 1, NULL);
    double odd = fmod(seed, 2.0);
    double ns = made->number > 0.0 ? value * 1e6 + odd * 1e3 : odd * 1e6;
    for (size_t k = 0; k < seen->recorder_count; k++)
        made_times(seen, made->lab.plan, k, ns);
}

static void what_is_drawn_once_a_run_only_restarts_average_out(void **state)
{
    struct plan *plan =
        made_plan("{\"drawn\": {\"path\": \"/server/service/constant\", \"values\": [\"1ms\", "
                  "\"2ms\", \"4ms\"], \"runs\": 12, \"again\": 4}}");
    (void)state;
    struct made_lab made = {.show = drawn_or_not, .number = 1.0};
    made_lab_run(&made, plan);
    made_value_is(&made, "p99", "restart");
    made_value_is(&made, "n counts", "runs");
    assert_int_equal(made.points, 48);
    /* One draw for the four figures of a run, and not one for all runs. */
    assert_true(made_count(made.values, "\"1ms\"") % 4 == 0 &&
                made_count(made.values, "\"1ms\"") < 48);
    made_lab_free(&made);
    made = (struct made_lab){.show = drawn_or_not};
    made_lab_run(&made, plan);
    made_value_is(&made, "p99", "longer helps");
    made_lab_free(&made);
    plan_free(plan);
}

/* The service in us, and B (the value 2) is 7 us slower. */
static void drifts(struct made_lab *made, const char *group, const char *const *values,
                   struct seen *seen)
{
    (void)group;
    double b = strtod(values[0], NULL) > 1.0 ? 7.0 : 0.0, service = strtod(values[3] + 1, NULL);
    for (size_t k = 0; k < seen->recorder_count; k++)
        made_times(seen, made->lab.plan, k, (service + b) * 1e3);
    if (made->number > 0.0 && (double)seen->number == made->number) {
        free(seen->recorders[OPEN].gates);
        seen->recorders[OPEN].gates = must_copy("rate");
    }
}

#define PAIRED(mode)                                                                              \
    "{\"paired\": {\"vary\": \"/server/workers\", \"values\": [1, 2], \"mode\": \"" mode          \
    "\", \"rates\": [10, 20], \"pairs\": 4, \"drift\": \"/server/service/constant\", \"start\": " \
    "\"100us\", \"step\": \"3us\"}}"

static void both_orders_cancel_an_even_drift(void **state)
{
    struct plan *plan = made_plan(PAIRED("paired"));
    struct made_lab made = {.show = drifts};
    (void)state;
    made_lab_run(&made, plan);
    assert_int_equal(made.points, 32);
    /* Two rates apart: 6 us of drift with the order A B, against it with B A. */
    assert_non_null(strstr(made.rows, "differences|1|10|13000|1000|7000|yes\n"));
    made_value_is(&made, "B - A of p99 at 20", "7 us");
    made_value_is(&made, "mode", "paired");
    assert_int_equal(strncmp(made.values,
                             "1 \"1\" 10 \"100us\"\n1 \"1\" 20 \"103us\"\n"
                             "2 \"1\" 10 \"106us\"\n2 \"1\" 20 \"109us\"\n"
                             "2 \"1\" 10 \"112us\"\n2 \"1\" 20 \"115us\"\n"
                             "1 \"1\" 10 \"118us\"\n1 \"1\" 20 \"121us\"\n1 \"2\" 10 \"100us\"\n",
                             strlen("1 \"1\" 10 \"100us\"\n") * 9),
                     0);
    made_lab_free(&made);
    plan_free(plan);
}

static void isolated_runs_share_neither_streams_nor_drift(void **state)
{
    struct plan *plan = made_plan(PAIRED("isolated"));
    struct made_lab made = {.show = drifts};
    (void)state;
    made_lab_run(&made, plan);
    assert_int_equal(made_count(made.values, "\"100us\""), 32);
    for (unsigned seed = 1; seed <= 32; seed++) {
        char *text = must_format(" \"%u\" ", seed);
        assert_int_equal(made_count(made.values, text), 1);
        free(text);
    }
    made_value_is(&made, "mode", "isolated");
    made_lab_free(&made);
    plan_free(plan);
}

static void a_pair_with_one_bad_run_is_lost_whole(void **state)
{
    struct plan *plan = made_plan(PAIRED("paired"));
    struct made_lab made = {.show = drifts, .number = 10.0}; /* the second of pair 2 */
    (void)state;
    made_lab_run(&made, plan);
    made_value_is(&made, "quarantined", "pair 2");
    assert_non_null(strstr(made.found, "with it points 9, 10, 11, 12, 13, 14, 15, 16"));
    assert_non_null(strstr(made.found, "over n = 3 pairs that stand"));
    assert_int_equal(made_count(made.rows, "|no\n"), 2);
    made_lab_free(&made);
    plan_free(plan);
}

/* The closed loop gets 1000.5; the open one what it offers. */
static void three(struct made_lab *made, const char *group, const char *const *values,
                  struct seen *seen)
{
    (void)group;
    double rate = values[0] != NULL ? strtod(values[0], NULL) : 100.0;
    seen->loads[CLOSED] = (struct seen_load){NAN, 1000.5};
    seen->loads[OPEN] = (struct seen_load){rate, rate};
    made_times(seen, made->lab.plan, CLOSED, 1e6);
    made_times(seen, made->lab.plan, OPEN, rate * 1e4);
}

static void the_open_rate_is_a_fraction_of_what_the_closed_loop_got(void **state)
{
    struct plan *plan = made_plan("{\"triple\": {\"fractions\": [0.526, 1]}}");
    struct made_lab made = {.show = three};
    (void)state;
    made_lab_run(&made, plan);
    assert_string_equal(made.values, "-\n526.263\n1000.5\n");
    assert_non_null(strstr(made.rows, "three|526.263|p99|1000000|5262630|nan|5.26263|nan\n"));
    made_value_is(&made, "at saturation", "1000.5");
    made_value_is(&made, "fields in which the loads differ", "0 1");
    made_value_is(&made, "corrected", "none");
    assert_int_equal(made_count(made.found, "open offered of closed achieved"), 2);
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
        {"{\"repeats\": {\"runs\": 3, \"vary\": \"/x\", \"values\": [1]}}", by_seed},
        {"{\"drawn\": {\"path\": \"/x\", \"values\": [\"1ms\"]}}", drawn_or_not},
        {PAIRED("paired"), drifts},
        {"{\"triple\": {\"fractions\": [0.5, 0.7]}}", three},
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
        cmocka_unit_test(two_repeats_give_a_range_and_no_verdict),
        cmocka_unit_test(repeats_have_seeds_of_their_own_and_the_warm_up_does_not_count),
        cmocka_unit_test(ranges_that_overlap_are_no_difference),
        cmocka_unit_test(what_is_drawn_once_a_run_only_restarts_average_out),
        cmocka_unit_test(both_orders_cancel_an_even_drift),
        cmocka_unit_test(isolated_runs_share_neither_streams_nor_drift),
        cmocka_unit_test(a_pair_with_one_bad_run_is_lost_whole),
        cmocka_unit_test(the_open_rate_is_a_fraction_of_what_the_closed_loop_got),
        cmocka_unit_test(every_experiment_stops_where_a_point_does_and_finds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
