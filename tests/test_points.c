/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Scenarios of points: settings, sweeps, and where two of them differ. */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "models/loads/load.h"
#include "sim/experiments/points.h"
#include "sim/scenario/difference.h"
#include "tests/scenario_text.h"

static void paths_are(char **paths, size_t count, const char *wanted)
{
    char *all = must_copy("");
    for (size_t i = 0; i < count; i++) {
        char *longer = must_format("%s%s\n", all, paths[i]);
        free(all);
        all = longer;
    }
    assert_string_equal(all, wanted);
    free(all);
    differences_free(paths, count);
}

static void differ(struct parts a, struct parts b, const char *wanted)
{
    char *text_a = scenario_of(a), *text_b = scenario_of(b);
    struct plan *plan_a = plan_of(text_a), *plan_b = plan_of(text_b);
    size_t count;
    char **paths = plan_differences(plan_a, plan_b, &count);
    paths_are(paths, count, wanted);
    plan_free(plan_a);
    plan_free(plan_b);
    free(text_a);
    free(text_b);
}

static void plans_differ_where_a_value_does_whatever_the_way_it_is_written(void **state)
{
    (void)state;
    differ((struct parts){0}, (struct parts){0}, "");
    differ((struct parts){0},
           (struct parts){.server = "{\"service\": {\"constant\": 1000000}, \"workers\": 1}"}, "");
    differ((struct parts){0},
           (struct parts){.server = "{\"service\": {\"constant\": \"2ms\"}, \"workers\": 2}"},
           "/server/service/constant\n/server/workers\n");
    differ((struct parts){.run = "{\"requests\": 5}"}, (struct parts){.run = "{\"requests\": 50}"},
           "/run/requests\n");
}

static void a_value_that_only_one_plan_has_is_a_difference(void **state)
{
    (void)state;
    differ((struct parts){.server = "{\"service\": {\"constant\": \"1ms\"}}"},
           (struct parts){.server = "{\"service\": {\"samples\": [\"1ms\"]}}"},
           "/server/service/constant\n/server/service/samples/0\n");
}

static void what_only_tells_of_a_scenario_is_no_difference(void **state)
{
    (void)state;
    differ((struct parts){.more = ", \"title\": \"one\", \"claims\": [\"S1-1\"]"},
           (struct parts){.more = ", \"title\": \"two\", \"about\": [\"it\"], \"report\": "
                                  "{\"percentiles\": [50]}, \"expect\": {\"r\": {\"count\": 10}}, "
                                  "\"sweep\": {\"/run/requests\": [1, 2]}"},
           "");
}

static void loads_differ_in_their_own_fields_whatever_they_are_called(void **state)
{
    char *text = scenario_of(
        (struct parts){.loads = "{\"a\": {\"open\": {\"rate\": 100}}, \"x/y~\\\"\\\\\": {\"open\": "
                                "{\"rate\": 200}, \"timeout\": \"1s\"}, \"c\": {\"open\": "
                                "{\"rate\": 100, \"arrivals\": \"even\"}}}"});
    struct plan *plan = plan_of(text);
    size_t count;
    (void)state;
    char **paths = load_differences(plan, 0, 2, &count);
    paths_are(paths, count, "");
    paths = load_differences(plan, 0, 1, &count);
    assert_true(count >= 2);
    assert_string_equal(paths[0], "/open/rate");
    assert_string_equal(paths[1], "/timeout");
    differences_free(paths, count);
    plan_free(plan);
    free(text);
}

/* The plan of one value of one knob in a text. */
static struct plan *point(const char *text, struct knob knob, const char *value,
                          struct errors *errors)
{
    const struct source source = {.file = "s", .text = text, .length = strlen(text)};
    struct plan *base = plan_of(text);
    struct plan *plan = point_plan(&source, base, &knob, &value, 1, errors);
    plan_free(base);
    return plan;
}

/* Whether there is such a plan. */
static bool same_reading(const char *text, const struct setting *settings, size_t shared,
                         size_t own)
{
    struct errors plain_errors = {0}, errors = {0};
    struct plan *plain = plan_try("s", text, strlen(text), settings, shared + own, &plain_errors);
    struct template *made = template_new("s", text, strlen(text), settings, shared);
    if (made == NULL) {
        assert_null(plain);
        errors_free(&plain_errors);
        return false;
    }
    struct plan *plan = template_read(made, settings + shared, own, &errors);
    assert_int_equal(errors.count, plain_errors.count);
    for (size_t i = 0; i < errors.count; i++)
        assert_string_equal(errors.texts[i], plain_errors.texts[i]);
    assert_int_equal(plan != NULL, plain != NULL);
    if (plan != NULL) {
        char *a = written(plan), *b = written(plain);
        assert_string_equal(a, b);
        assert_string_equal(plan->sha256, plain->sha256);
        free(a);
        free(b);
    }
    bool good = plan != NULL;
    plan_free(plan);
    plan_free(plain);
    template_free(made);
    errors_free(&plain_errors);
    errors_free(&errors);
    return good;
}

static void a_text_made_ready_is_read_as_the_plain_one_with_every_fault_at_its_place(void **state)
{
    static const char *const texts[] = {
        "{\"server\": {\"service\": {\"constant\": \"1ms\"}}, \"loads\": {\"a\": {\"open\": "
        "100}}, \"sweep\": {\"/run/seed\": [1, 2,\n3]}, \"recorders\": {\"r\": {\"load\": \"a\", "
        "\"from\": \"due\", \"warmup\": \"1s\"}}, \"run\": {\"requests\": 10}}",
        "{\n\"sweep\": [],\n \"server\": {\"service\": {\"constant\": \"1ms\"}}, \"loads\": "
        "{\"a\": {\"open\": 100},\n\"b\": {\"closed\": {\"clients\": 2}}}, \"recorders\": {\"r\": "
        "{\"load\": \"a\", \"from\": \"due\"}}, \"run\": {\"requests\": 10}, \"report\": {}}",
        "{\"server\": {\"service\": {\"constant\": \"1ms\"}}, \"loads\": {\"a\": {\"open\": "
        "100}}, \"recorders\": {\"r\": {\"load\": \"a\", \"from\": \"deu\"}},\n\"run\": "
        "{\"requests\": 10}, \"sweep\": {\"/run/seed\": [\n1]}, \"tilte\": 1}",
        "[1]",
        "{\"server\": ",
    };
    static const struct setting settings[] = {
        {"/run/requests", "20", NULL},
        {"/run/requests", "0", NULL},
        {"/run/seed", "7", NULL},
        {"/run/sede", "7", "--seed"},
        {"/run", "{\"duration\":\n\"50ms\"}", NULL},
        {"/run/warmup", "\"60ms\"", "--vary"},
        {"/server/workers", "3", NULL},
        {"/server/quota/period", "\"1ms\"", NULL},
        {"/loads/a/open", "{\"every\": \"3ms\", \"rate\": 5}", NULL},
        {"/loads/a/open", "250", NULL},
        {"/loads/c/open", "250", NULL},
        {"/recorders/r/warmup", "1s", NULL},
        {"/recorders/r/store", "{\"hdr\": 3}", NULL},
        {"/report/percentiles", "[50, 50]", NULL},
        {"/title", "\"\\u00e4", NULL},
        {"no path", "1", NULL},
        {"/sweep", "{\"/run/seed\": [4]}", NULL},
    };
    (void)state;
    uint64_t word = 1, good = 0;
    for (int i = 0; i < 4000; i++) {
        struct setting chosen[6];
        size_t shared = (size_t)(i % 3), own = (size_t)(i / 3 % 4);
        for (size_t k = 0; k < shared + own; k++) {
            word = word * UINT64_C(6364136223846793005) + 1442695040888963407u;
            chosen[k] = settings[(word >> 33) % (sizeof settings / sizeof settings[0])];
        }
        good += same_reading(texts[(word >> 20) % (sizeof texts / sizeof texts[0])], chosen, shared,
                             own);
    }
    assert_in_range(good, 200, 3000);
}

static double rate_of(const struct plan *plan)
{
    const struct open_load *open = plan->loads[0].kind.params;
    return ratio_double(open->rate_per_s);
}

static void a_knob_of_an_experiment_turns_what_the_file_writes_in_another_way(void **state)
{
    static const char *const ways[] = {"{\"a\": {\"open\": 100}}",
                                       "{\"a\": {\"open\": {\"every\": \"10ms\"}}}",
                                       "{\"a\": {\"open\": {\"rate\": 100}}}"};
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        char *text = scenario_of((struct parts){.loads = ways[i]});
        struct errors errors = {0};
        struct plan *plan =
            point(text, (struct knob){"rate", "/loads/a/open/rate", false}, "12.5", &errors);
        assert_non_null(plan);
        assert_true(rate_of(plan) == 12.5);
        assert_string_equal(plan->file, "s");
        plan_free(plan);
        free(text);
    }
}

static void a_knob_of_the_user_turns_the_file_as_it_was_written(void **state)
{
    char *text = scenario_of((struct parts){.loads = "{\"a\": {\"open\": 100}}"});
    struct errors errors = {0};
    (void)state;
    struct plan *plan = point(text, (struct knob){"x", "/loads/a/open", true}, "7", &errors);
    assert_non_null(plan);
    assert_true(rate_of(plan) == 7.0);
    plan_free(plan);
    assert_null(point(text, (struct knob){"x", "/server/workers", true}, "0", &errors));
    assert_int_equal(errors.count, 1);
    assert_null(point(text, (struct knob){"x", "/report/percentiles", true}, "[50]", &errors));
    assert_int_equal(errors.count, 2);
    assert_non_null(strstr(errors.texts[1], "the point of /report/percentiles = [50] has other"));
    errors_free(&errors);
    free(text);
}

static void the_last_path_of_a_sweep_turns_fastest_and_no_combination_is_missed(void **state)
{
    char *text = scenario_of((struct parts){
        .more = ", \"sweep\": {\"/run/requests\": [1, 2], \"/server/workers\": [3, 4, 5]}"});
    struct plan *plan = plan_of(text);
    static const char *const wanted[][2] = {{"1", "3"}, {"1", "4"}, {"1", "5"},
                                            {"2", "3"}, {"2", "4"}, {"2", "5"}};
    (void)state;
    assert_int_equal(sweep_points(plan), 6);
    for (uint64_t i = 0; i < 6; i++) {
        const char *values[2];
        sweep_values(plan, i, values);
        assert_string_equal(values[0], wanted[i][0]);
        assert_string_equal(values[1], wanted[i][1]);
    }
    plan_free(plan);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_differ_where_a_value_does_whatever_the_way_it_is_written),
        cmocka_unit_test(a_value_that_only_one_plan_has_is_a_difference),
        cmocka_unit_test(what_only_tells_of_a_scenario_is_no_difference),
        cmocka_unit_test(loads_differ_in_their_own_fields_whatever_they_are_called),
        cmocka_unit_test(a_text_made_ready_is_read_as_the_plain_one_with_every_fault_at_its_place),
        cmocka_unit_test(a_knob_of_an_experiment_turns_what_the_file_writes_in_another_way),
        cmocka_unit_test(a_knob_of_the_user_turns_the_file_as_it_was_written),
        cmocka_unit_test(the_last_path_of_a_sweep_turns_fastest_and_no_combination_is_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
