/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Arrivals as a scenario writes them. */

#include <stdlib.h>
#include <string.h>

#include "models/loads/load.h"
#include "tests/claim.h"
#include "tests/scenario_text.h"

static const struct {
    const char *load;
    const char *faults; /* without the place */
} cases[] = {
    {"{\"open\": {\"rate\": 3, \"arrivals\": {\"jittered\": \"333ms\"}}}", ""},
    {"{\"open\": {\"rate\": 3, \"arrivals\": {\"jittered\": \"334ms\"}}}",
     "impossible \"open\": a jitter above the interval would put requests out of order"},
    {"{\"sessions\": {\"every\": \"1ms\", \"requests\": 2, \"arrivals\": {\"jittered\": \"2ms\"}}}",
     "impossible \"sessions\": a jitter above the interval would put requests out of order"},
    {"{\"open\": {\"rate\": 3, \"arrivals\": {\"bursts\": 3}}}", ""},
    {"{\"open\": {\"rate\": 3, \"arrivals\": {\"bursts\": {\"size\": 3, \"apart\": \"500ms\"}}}}",
     "impossible \"open\": a burst lasts until the next one begins; make size or apart smaller"},
    {"{\"open\": {\"arrivals\": {\"bursts\": 3}}}",
     "impossible \"open\": give either rate or every"},
    {"{\"open\": {\"every\": \"1ms\", \"arrivals\": {\"on-off\": {\"on\": 5, \"off\": 0}}}}", ""},
    {"{\"open\": {\"every\": \"1ms\", \"arrivals\": {\"on-off\": {\"on\": 0, \"off\": 5}}}}",
     "found 0; allowed: "},
    {"{\"open\": {\"arrivals\": {\"steps\": [{\"rate\": 0, \"for\": \"1s\"}]}}}",
     "impossible \"steps\": every rate is zero: no request is ever due"},
    {"{\"open\": {\"rate\": 1, \"arrivals\": {\"steps\": [{\"rate\": 1, \"for\": \"1s\"}]}}}",
     "impossible \"open\": arrivals with rates of their own take neither rate nor every"},
    {"{\"open\": {\"arrivals\": {\"ramp\": {\"from\": 0, \"to\": 0, \"over\": \"1s\"}}}}",
     "impossible \"ramp\": both rates are zero: no request is ever due"},
    {"{\"open\": {\"arrivals\": {\"ramp\": {\"from\": 0, \"to\": 5, \"over\": \"1s\", "
     "\"spacing\": \"poison\"}}}}",
     "\"poison\""},
};

/* run NULL: so many requests. */
static char *scenario_with(const char *load, const char *run)
{
    char *loads = must_format("{\"a\": %s}", load);
    char *text = scenario_of((struct parts){.loads = loads, .run = run});
    free(loads);
    return text;
}

static void what_cannot_be_is_told_in_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = scenario_with(cases[i].load, NULL);
        char *faults = faults_of(text, strlen(text));
        bool good = cases[i].faults[0] == '\0' ? faults[0] == '\0'
                                               : strstr(faults, cases[i].faults) != NULL;
        if (!good)
            fail_msg("%s: %s", cases[i].load, faults);
        free(faults);
        free(text);
    }
}

static const struct {
    const char *load;
    bool ends;
} without_end[] = {
    {"{\"open\": {\"arrivals\": {\"times\": [1, 2]}}}", true},
    {"{\"open\": {\"arrivals\": {\"steps\": [{\"rate\": 5, \"for\": \"1s\"}]}}}", true},
    {"{\"open\": {\"arrivals\": {\"ramp\": {\"from\": 5, \"to\": 0, \"over\": \"1s\"}}}}", true},
    {"{\"open\": {\"arrivals\": {\"ramp\": {\"from\": 0, \"to\": 5, \"over\": \"1s\"}}}}", false},
    {"{\"open\": {\"rate\": 5, \"arrivals\": {\"bursts\": 5}}}", false},
    {"{\"sessions\": {\"requests\": 3, \"arrivals\": {\"times\": [1, 2]}}}", true},
    {"{\"sessions\": {\"requests\": 3, \"rate\": 5}}", false},
};

static void arrivals_that_end_need_no_other_end(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof without_end / sizeof without_end[0]; i++) {
        char *text = scenario_with(without_end[i].load, "{}");
        char *faults = faults_of(text, strlen(text));
        assert_int_equal(faults[0] == '\0', without_end[i].ends);
        if (!without_end[i].ends)
            assert_non_null(strstr(faults, "never ends by itself"));
        free(faults);
        free(text);
    }
}

static void steps_are_a_list_of_rates_and_times(void **state)
{
    (void)state;
    char *text =
        scenario_with("{\"open\": {\"arrivals\": {\"steps\": "
                      "[{\"rate\": 0.5, \"for\": \"2s\"}, {\"rate\": 100, \"for\": \"1ms\"}]}}}",
                      NULL);
    struct plan *plan = plan_of(text);
    const struct open_load *open = plan->loads[0].kind.params;
    const struct steps *steps = open->arrivals.params;
    const struct phase *phases = steps->phases.items;
    assert_int_equal(steps->phases.count, 2);
    assert_true(phases[0].rate_per_s.num == 1 && phases[0].rate_per_s.den == 2);
    assert_int_equal(phases[0].for_ns, 2 * NS_PER_S);
    assert_int_equal(phases[1].for_ns, NS_PER_MS);
    assert_int_equal(steps->spacing, SPACING_EVEN);
    char *words = load_kind(plan->loads[0].kind)->describe(open);
    assert_string_equal(words, "open 2 rates in turn, steps");
    free(words);
    plan_free(plan);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_is_told_in_words),
        cmocka_unit_test(arrivals_that_end_need_no_other_end),
        cmocka_unit_test(steps_are_a_list_of_rates_and_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
