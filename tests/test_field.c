/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Faults that people met in other recorders and simulators, as far as no scenario can state the
   right figure: those that can are scenarios/field-*.json. */

#include <math.h>
#include <stdlib.h>

#include "tests/claim.h"
#include "tests/whole_run.h"

static void near(double found, double wanted, double within)
{
    if (!(fabs(found - wanted) <= within))
        fail_msg("%.9g is not %.9g within %.3g", found, wanted, within);
}

/* FR-19: "off the theory" is mostly an empty start.  Mean response of the first n, as the mean of
   E[S_k^+]/k gives it: the mean wait 0.2222, 1.1488, 3.1001, 3.9000 and 1 s of service. */
static void the_mean_of_the_first_requests_is_that_of_an_empty_start(void **state)
{
    (void)state;
    static const struct {
        unsigned n;
        double mean_s;
    } cases[] = {{2, 1.2222}, {10, 2.1488}, {100, 4.1001}, {1000, 4.9000}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text =
            must_format("{\"server\": {\"service\": {\"exponential\": \"1s\"}}, \"loads\": {\"l\": "
                        "{\"open\": {\"rate\": 0.8, \"arrivals\": \"poisson\"}}}, \"recorders\": "
                        "{\"r\": {\"load\": \"l\", \"from\": \"due\"}}, \"run\": {\"requests\": "
                        "%u, \"start\": \"empty\"}}",
                        cases[i].n);
        struct plan *plan = whole_plan(text);
        struct result *laws = run_laws(plan, NULL);
        assert_int_equal(laws->recorders[0].law_mean.kind, FIGURE_REAL);
        near(laws->recorders[0].law_mean.real / 1e9, cases[i].mean_s, 5e-5);
        result_free(laws);
        plan_free(plan);
        free(text);
    }
}

/* FR-19: the state that it ends in, where the run starts in it. */
static void a_stationary_start_has_the_steady_figures_at_once(void **state)
{
    (void)state;
    struct plan *plan = whole_plan(
        "{\"server\": {\"service\": {\"exponential\": \"1s\"}}, \"loads\": {\"l\": {\"open\": "
        "{\"rate\": 0.8, \"arrivals\": \"poisson\"}}}, \"recorders\": {\"r\": {\"load\": \"l\", "
        "\"from\": \"due\"}}, \"run\": {\"requests\": 1000, \"start\": \"stationary\"}}");
    struct result *laws = run_laws(plan, NULL);
    near(laws->recorders[0].law_mean.real / 1e9, 5.0, 1e-9);
    near(laws->recorders[0].cells[0].law.real / 1e9, 3.4657, 5e-5);
    near(laws->recorders[0].cells[2].law.real / 1e9, 23.026, 5e-4);
    result_free(laws);
    plan_free(plan);
}

/* FR-45: five requests at 0, 1, 2, 3 and 4 s are 1 a second, not 5 in 4 s; one is, too. */
static void a_rate_is_over_the_time_up_to_the_next_request(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 5; n += 4) {
        char *text = must_format(
            "{\"server\": {\"service\": {\"constant\": \"1ms\"}}, \"loads\": {\"l\": {\"open\": "
            "{\"rate\": 1}}}, \"recorders\": {\"r\": {\"load\": \"l\", \"from\": \"due\"}}, "
            "\"run\": {\"requests\": %u}}",
            n);
        struct plan *plan = whole_plan(text);
        struct result *result = whole_run(plan, NULL);
        near(result->loads[0].offered_per_s, 1.0, 1e-12);
        near(result->loads[0].achieved_per_s, 1.0, 1e-12);
        result_free(result);
        plan_free(plan);
        free(text);
    }
}

/* FR-45: what is achieved is never above what was offered by more than the backlog at the start. */
static void no_run_achieves_more_than_was_offered(void **state)
{
    (void)state;
    struct plan *plan = whole_plan(
        "{\"server\": {\"service\": {\"constant\": \"4ms\"}}, \"loads\": {\"l\": {\"open\": "
        "{\"rate\": 300}}}, \"recorders\": {\"r\": {\"load\": \"l\", \"from\": \"due\"}}, \"run\": "
        "{\"duration\": \"6s\", \"warmup\": \"3s\"}}");
    struct result *result = whole_run(plan, NULL);
    near(result->loads[0].offered_per_s, 300.0, 1e-9);
    near(result->loads[0].achieved_per_s, 250.0, 1.0);
    result_free(result);
    plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mean_of_the_first_requests_is_that_of_an_empty_start),
        cmocka_unit_test(a_stationary_start_has_the_steady_figures_at_once),
        cmocka_unit_test(a_rate_is_over_the_time_up_to_the_next_request),
        cmocka_unit_test(no_run_achieves_more_than_was_offered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
