/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A run that is as long as its checks need it to be. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/loads/load.h"
#include "sim/detect.h"
#include "sim/scenario/reader.h"
#include "tests/claim.h"

#define SCENE                                                                                   \
    "{\"server\": {\"service\": {\"%s\": \"10ms\"}}, \"loads\": {\"l\": {\"open\": {\"rate\": " \
    "%d, \"arrivals\": \"poisson\"}}}, \"recorders\": {\"r\": {\"load\": \"l\", \"from\": "     \
    "\"due\", \"store\": {\"hdr\": 3}%s}}, \"run\": {\"requests\": 1000%s}, \"report\": "       \
    "{\"percentiles\": [50, 99]}}"

struct asked_run {
    const char *service, *recorder, *run, *percentile, *within;
    int rate;
};

static struct ratio percent(const char *text)
{
    struct ratio r;
    assert_true(ratio_parse(text, strlen(text), &r));
    return ratio_make(r.num, r.den * 100);
}

/* The plan with the question put to it: no length of its own. */
static struct plan *plan_of(const struct asked_run *a)
{
    struct errors errors = {0};
    char *text = must_format(SCENE, a->service, a->rate, a->recorder, a->run);
    struct plan *plan = plan_read("detect", text, strlen(text), NULL, 0, &errors);
    for (size_t i = 0; i < errors.count; i++)
        print_error("%s\n", errors.texts[i]);
    assert_non_null(plan);
    plan->run.requests = 0;
    plan->run.detect_p = percent(a->percentile);
    plan->run.detect_within = percent(a->within);
    errors_free(&errors);
    free(text);
    return plan;
}

static struct plan_sizing size_of(const struct plan *plan)
{
    struct errors errors = {0};
    struct run_options options = {.threads = 2};
    struct plan_sizing sizing = {0};
    bool interrupted;
    assert_true(detect_size(plan, &options, &sizing, &interrupted, &errors));
    assert_false(interrupted);
    assert_int_equal(errors.count, 0);
    return sizing;
}

/* What the run of that length says it would detect at p99. */
static double detects(struct plan *plan, uint64_t requests, uint64_t seed)
{
    struct errors errors = {0};
    struct run_options options = {.threads = 2};
    struct ratio asked = plan->run.detect_p;
    plan->run.detect_p = (struct ratio){0, 1};
    plan->run.requests = requests;
    plan->run.seed = seed;
    struct result *result = run_scenario(plan, &options, &errors);
    assert_non_null(result);
    double detectable = result->recorders[0].cells[1].detectable;
    result_free(result);
    errors_free(&errors);
    plan->run.requests = 0;
    plan->run.detect_p = asked;
    return detectable;
}

static const struct asked_run mm1 = {"exponential", "", "", "99", "5", 50};

static bool is_round(uint64_t n)
{
    while (n % 10 == 0)
        n /= 10;
    return n == 1 || n == 2 || n == 5;
}

static void by_the_laws_inflation_the_run_detects_what_was_asked(void **state)
{
    (void)state;
    struct asked_run a = mm1;
    a.within = "5";
    struct plan *plan = plan_of(&a);
    struct plan_sizing sizing = size_of(plan);
    assert_true(is_round(sizing.requests));
    assert_false(sizing.capped);
    assert_non_null(strstr(sizing.text, "its law's variance inflation of 8.6"));
    assert_true(detects(plan, sizing.requests, 1) <= 0.05);
    assert_true(detects(plan, sizing.requests / 5, 1) > 0.05); /* and not much longer than that */
    plan_free(plan);
}

static void a_tighter_question_takes_a_longer_run(void **state)
{
    (void)state;
    struct asked_run a = mm1;
    uint64_t last = 0;
    static const char *const within[] = {"20", "5", "1"};
    for (size_t i = 0; i < 3; i++) {
        a.within = within[i];
        struct plan *plan = plan_of(&a);
        uint64_t requests = size_of(plan).requests;
        assert_true(requests > last);
        last = requests;
        plan_free(plan);
    }
}

/* M/D/1 has no inflation in closed form: a pilot gives it. */
static void by_a_pilot_the_run_detects_what_was_asked(void **state)
{
    (void)state;
    const struct asked_run a = {"constant", "", "", "99", "5", 60};
    struct plan *plan = plan_of(&a);
    struct plan_sizing sizing = size_of(plan);
    assert_non_null(strstr(sizing.text, "of a pilot of 128 times"));
    assert_non_null(strstr(sizing.text, "thrown away"));
    for (uint64_t seed = 1; seed <= 3; seed++)
        assert_true(detects(plan, sizing.requests, seed) <= 0.05);
    plan_free(plan);
}

static void the_pilot_and_so_the_length_depend_on_nothing_but_the_scenario(void **state)
{
    (void)state;
    const struct asked_run a = {"constant", "", "", "99", "5", 60};
    struct plan *plan = plan_of(&a);
    struct plan_sizing once = size_of(plan);
    (void)detects(plan, 1000, 1); /* a run in between changes nothing */
    struct plan_sizing twice = size_of(plan);
    assert_string_equal(once.text, twice.text);
    plan_free(plan);
}

static void at_the_cap_it_says_that_only_larger_errors_show(void **state)
{
    (void)state;
    struct asked_run a = mm1;
    a.within = "0.01";
    struct plan *plan = plan_of(&a);
    struct plan_sizing sizing = size_of(plan);
    assert_true(sizing.capped);
    assert_int_equal(sizing.requests, 2000000); /* the next step, 5 million, times 32 is too many */
    assert_non_null(strstr(sizing.text, "capped"));
    plan_free(plan);
}

/* On an even schedule: with random arrivals a warm-up and a count are not judged together. */
static void a_warm_up_comes_on_top(void **state)
{
    (void)state;
    struct asked_run a = mm1;
    a.within = "20";
    struct plan *plan = plan_of(&a);
    struct open_load *open = plan->loads[0].kind.params;
    open->arrivals = (struct choice){&arrivals_even.is, NULL};
    uint64_t without = size_of(plan).requests;
    plan->recorders[0].warmup_ns = 100 * NS_PER_S; /* 5,000 requests */
    assert_true(size_of(plan).requests >= without + 5000);
    plan_free(plan);
}

static void refuses(struct plan *plan, const char *word)
{
    struct errors errors = {0};
    struct run_options options = {.threads = 1};
    struct plan_sizing sizing;
    bool interrupted;
    assert_false(detect_size(plan, &options, &sizing, &interrupted, &errors));
    assert_int_equal(errors.count, 1);
    assert_non_null(strstr(errors.texts[0], word));
    errors_free(&errors);
}

static void what_has_no_law_has_no_length(void **state)
{
    (void)state;
    struct asked_run a = mm1;
    a.within = "5";
    struct plan *plan = plan_of(&a);
    plan->run.start = START_EMPTY;
    refuses(plan, "changes with its length");
    plan->run.cut_ns = 5;
    refuses(plan, "no recorder has a law");
    plan->run.cut_ns = 0;
    plan->run.start = START_DEFAULT;
    plan->run.replications = 31;
    refuses(plan, "32 replications");
    plan->run.replications = 0;
    plan->run.requests = 7;
    refuses(plan, "given");
    plan->run.requests = 0;
    plan->run.detect_within = percent("100");
    refuses(plan, "between 0 and 100 %");
    plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_the_laws_inflation_the_run_detects_what_was_asked),
        cmocka_unit_test(a_tighter_question_takes_a_longer_run),
        cmocka_unit_test(by_a_pilot_the_run_detects_what_was_asked),
        cmocka_unit_test(the_pilot_and_so_the_length_depend_on_nothing_but_the_scenario),
        cmocka_unit_test(at_the_cap_it_says_that_only_larger_errors_show),
        cmocka_unit_test(a_warm_up_comes_on_top),
        cmocka_unit_test(what_has_no_law_has_no_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
