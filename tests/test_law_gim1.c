/* SPDX-License-Identifier: GPL-3.0-or-later */

/* GI/M/1 against roots found elsewhere in 25 digits, and both it and M/G/1 against whole runs: a
   true law holds, one 4 % off does not. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/distributions/distribution.h"
#include "sim/run.h"
#include "sim/scenario/reader.h"
#include "tests/claim.h"
#include "tests/random_question.h"

static void sigma_is_the_root_for_every_kind_of_gap(void **state)
{
    (void)state;
    struct constant constant = {4000000};
    struct exponential exponential = {4000000};
    struct two_point two = {1000000, 12000000, {3, 10}};
    struct uniform from_zero = {0, 8000000}, narrow = {2000000, 7000000};
    struct erlang erlang = {4000000, 3};
    struct branch branches[] = {{{9, 10}, 1000000}, {{1, 10}, 31000000}};
    struct hyperexponential hyper = {{branches, 2}};
    struct pareto pareto2 = {2000000, {2, 1}}, pareto1 = {1000000, {6, 5}};
    struct lognormal log2 = {4000000, {2, 1}}, log4 = {4000000, {1, 4}}, log20 = {4000000, {20, 1}};
    struct weibull wei05 = {2000000, {1, 2}}, wei2 = {4500000, {2, 1}}, wei03 = {500000, {3, 10}};
    const struct {
        const struct distribution_type *type;
        void *params;
        double sigma;
    } cases[] = {
        {&distribution_constant, &constant, 0.54560501656074974},
        {&distribution_exponential, &exponential, 0.75},
        {&distribution_two_point, &two, 0.76325861847700904},
        {&distribution_uniform, &from_zero, 0.65037318347171194},
        {&distribution_uniform, &narrow, 0.46006757358617056},
        {&distribution_erlang, &erlang, 0.64250834526305896},
        {&distribution_hyperexponential, &hyper, 0.95481967853652067},
        {&distribution_pareto, &pareto2, 0.71730131885046058},
        {&distribution_pareto, &pareto1, 0.8856700902484971},
        {&distribution_lognormal, &log2, 0.86123035938110447},
        {&distribution_lognormal, &log4, 0.56723786435613892},
        {&distribution_lognormal, &log20, 0.99186272469181158},
        {&distribution_weibull, &wei05, 0.90211003400607068},
        {&distribution_weibull, &wei2, 0.63357053058603577},
        {&distribution_weibull, &wei03, 0.95829312610748820},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct asked a = {0};
        struct gaps gaps = {{&cases[i].type->is, cases[i].params}};
        offer_open(&a, &arrivals_gaps, 0);
        a.open.arrivals.params = &gaps;
        serve_exponential(&a, 3000000);
        struct law law = found(&a, "gim1");
        double mean_ns = 3000000.0 / (1.0 - cases[i].sigma);
        near(law_mean(&law), mean_ns, 1e-12);
        near(quantile(&law, "99"), mean_ns * log(100.0), 1e-12);
        bool poisson = cases[i].type == &distribution_exponential;
        assert_int_equal(law.start.state, poisson ? STATE_RESIDUALS : STATE_EPOCH);
        near(law.start.probability, cases[i].sigma, 1e-11);
        percentiles_are_first(&law);
        law_free(&law);
    }
}

static void gaps_without_a_law_are_refused(void **state)
{
    (void)state;
    ns_t list[] = {4000000, 5000000};
    struct samples samples = {{list, 2}};
    struct erlang erlang = {3000000, 3};
    struct gaps gaps = {{&distribution_samples.is, &samples}};
    struct asked a = {0};
    offer_open(&a, &arrivals_gaps, 0);
    a.open.arrivals.params = &gaps;
    serve_exponential(&a, 3000000);
    refused(&a, "taken in turn");
    gaps.gap = (struct choice){&distribution_erlang.is, &erlang};
    refused(&a, "capacity");
    erlang.mean_ns = 4000000;
    a.server.workers = 2;
    refused(&a, "one worker");
}

/* A window that ends or begins at an instant of its own cuts a gap: the law then holds, but not for
   the requests of such a window. */
static void windows_in_time_have_no_stationary_start(void **state)
{
    (void)state;
    struct erlang erlang = {4000000, 3};
    struct gaps gaps = {{&distribution_erlang.is, &erlang}};
    struct asked a = {0};
    offer_open(&a, &arrivals_gaps, 0);
    a.open.arrivals.params = &gaps;
    serve_exponential(&a, 3000000);
    a.q.warmup_ns = 1;
    struct law law = found(&a, "gim1");
    assert_int_equal(law.start.state, STATE_NONE);
    law_free(&law);
}

/* ---- whole runs ---- */

#define RUN                                                                                       \
    "{\"server\": {\"service\": %s}, \"loads\": {\"l\": {\"open\": %s}}, \"recorders\": {\"r\": " \
    "{\"load\": \"l\", \"from\": \"due\"}}, \"run\": {\"requests\": 40000, \"seed\": %d}, "       \
    "\"report\": {\"percentiles\": [50]}}"

static struct plan *plan_of(const char *service, const char *load, int seed)
{
    struct errors errors = {0};
    char *text = must_format(RUN, service, load, seed);
    struct plan *plan = plan_read("run", text, strlen(text), NULL, 0, &errors);
    assert_non_null(plan);
    errors_free(&errors);
    free(text);
    return plan;
}

/* The verdict where the law is asked about another service. */
static enum verdict verdict(const char *service, const char *believed, const char *load, int seed)
{
    struct plan *plan = plan_of(service, load, seed), *law = plan_of(believed, load, seed);
    struct errors errors = {0};
    struct run_options options = {.threads = 2, .law_plan = law};
    struct result *result = run_scenario(plan, &options, &errors);
    assert_non_null(result);
    enum verdict holds = result->holds;
    result_free(result);
    errors_free(&errors);
    plan_free(plan);
    plan_free(law);
    return holds;
}

static const struct {
    const char *service, *off, *load;
} runs[] = {
    {"{\"erlang\": {\"mean\": \"4ms\", \"stages\": 3}}",
     "{\"erlang\": {\"mean\": \"4160us\", \"stages\": 3}}",
     "{\"rate\": 125, \"arrivals\": \"poisson\"}"},
    {"{\"uniform\": {\"low\": \"1ms\", \"high\": \"3ms\"}}",
     "{\"uniform\": {\"low\": \"1040us\", \"high\": \"3120us\"}}",
     "{\"rate\": 250, \"arrivals\": \"poisson\"}"},
    {"{\"pareto\": {\"minimum\": \"1ms\", \"shape\": 2.5}}",
     "{\"pareto\": {\"minimum\": \"1040us\", \"shape\": 2.5}}",
     "{\"rate\": 180, \"arrivals\": \"poisson\"}"},
    {"{\"exponential\": \"2ms\"}", "{\"exponential\": \"2080us\"}",
     "{\"arrivals\": {\"gaps\": {\"erlang\": {\"mean\": \"4ms\", \"stages\": 3}}}}"},
    {"{\"exponential\": \"2ms\"}", "{\"exponential\": \"2080us\"}",
     "{\"arrivals\": {\"gaps\": {\"lognormal\": {\"mean\": \"4ms\", \"cv\": 1}}}}"},
    {"{\"weibull\": {\"scale\": \"2ms\", \"shape\": 2}}",
     "{\"weibull\": {\"scale\": \"2080us\", \"shape\": 2}}",
     "{\"rate\": 250, \"arrivals\": \"poisson\"}"},
    {"{\"exponential\": \"2ms\"}", "{\"exponential\": \"2080us\"}",
     "{\"arrivals\": {\"gaps\": {\"weibull\": {\"scale\": \"2ms\", \"shape\": 0.5}}}}"},
};

static void a_true_law_holds_in_whole_runs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++)
        assert_int_equal(verdict(runs[i].service, runs[i].service, runs[i].load, 3), VERDICT_HOLDS);
}

static void canary_a_law_four_percent_off_is_rejected(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++)
        assert_int_equal(verdict(runs[i].service, runs[i].off, runs[i].load, 3), VERDICT_FAILS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sigma_is_the_root_for_every_kind_of_gap),
        cmocka_unit_test(gaps_without_a_law_are_refused),
        cmocka_unit_test(windows_in_time_have_no_stationary_start),
        cmocka_unit_test(a_true_law_holds_in_whole_runs),
        cmocka_unit_test(canary_a_law_four_percent_off_is_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
