/* SPDX-License-Identifier: GPL-3.0-or-later */

/* M/G/1 against values computed elsewhere in 25 to 200 digits (finite sums, Talbot's
   inversion, quadrature of transforms), against each other, and at the ends of their domains. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "models/distributions/distribution.h"
#include "models/laws/mg1.h"
#include "tests/random_question.h"

#define MS 1e6

static void serve(struct asked *a, const struct distribution_type *type, void *params,
                  const char *per_s)
{
    offer_open_rate(a, &arrivals_poisson, per_s);
    a->server.service = (struct choice){&type->is, params};
}

static double tail_at(const struct law *law, double x_ms)
{
    return law->distribution.tail(&law->distribution, x_ms * MS);
}

struct point {
    const char *per_s;
    double x_ms, tail;
};

static void check_points(const struct distribution_type *type, void *params,
                         const struct point *points, size_t count, double relative)
{
    for (size_t i = 0; i < count; i++) {
        struct asked a = {0};
        serve(&a, type, params, points[i].per_s);
        struct law law = found(&a, "mg1");
        near(tail_at(&law, points[i].x_ms), points[i].tail, relative);
        assert_true(law.distribution.parameters[MG1_ERROR] < 1e-10);
        if (quantile(&law, "99.9999999") < (double)NS_LIMIT)
            percentiles_are_first(&law);
        law_free(&law);
    }
}

static void two_points_have_the_values_of_the_finite_sum_in_120_digits(void **state)
{
    (void)state;
    struct two_point service = {5000000, 100000000, {3, 100}};
    const struct point points[] = {
        {"90", 3, 1.0},
        {"90", 12, 0.5249646339264039},
        {"90", 5, 0.715305},
        {"90", 99.5, 0.22280011330960937},
        {"90", 100, 0.21214778449757149},
        {"90", 107.25, 0.18099467576215435},
        {"90", 400, 0.0044673115363863638},
        {"120", 60, 0.79821681001462192},
        {"120", 1000, 0.061049387543615607},
        {"10", 205, 1.9511640611149201e-5},
        {"1", 150, 4.6689089909942383e-5},
    };
    check_points(&distribution_two_point, &service, points, sizeof points / sizeof points[0],
                 1e-12);
}

/* A thousand usual services in a rare one: pieces that grow too long in between lose sight of what
   lies before them. */
static void far_apart_points_have_the_values_of_the_finite_sum_in_1500_digits(void **state)
{
    (void)state;
    struct two_point service = {1000000, 1000000000, {1, 1000000}};
    const struct point points[] = {{"990", 1032.39711537, 0.012409367144215463},
                                   {"990", 1727.36878002, 0.0013166313159339506}};
    check_points(&distribution_two_point, &service, points, 2, 1e-11);
}

static void two_points_have_the_worked_percentiles_and_their_atoms(void **state)
{
    (void)state;
    struct two_point service = {500000000, 10000000000, {3, 100}};
    struct asked a = {0};
    serve(&a, &distribution_two_point, &service, "1");
    a.open.rate_per_s = ratio_make(700, 785); /* rho = 0.7 */
    struct law law = found(&a, "mg1");
    near(quantile(&law, "50"), 13.441331840851944e8, 1e-9);
    near(quantile(&law, "90"), 155.70149186764866e8, 1e-9);
    near(quantile(&law, "99"), 330.1508807508185e8, 1e-9);
    near(law_mean(&law), 56.04002123142249e8, 1e-12);
    /* 30 % find nobody: atoms of 0.291 at the usual and 0.009 at the rare service time. */
    const struct law_distribution *d = &law.distribution;
    near(d->tail_from(d, 5e8) - d->tail(d, 5e8), 0.291, 1e-12);
    near(d->tail_from(d, 1e10) - d->tail(d, 1e10), 0.009, 1e-9);
    assert_true(law_atom(&law, 500000000) && law_atom(&law, 10000000000));
    assert_false(law_atom(&law, 1000000000) || law_atom(&law, 500000001));
    near(quantile(&law, "20"), 5e8, 0.0);
    assert_int_equal(law.start.state, STATE_RESIDUALS);
    near(law.start.probability, 0.7, 1e-11);
    law_free(&law);
}

static void degenerate_two_points_and_uniforms_are_constant_service(void **state)
{
    (void)state;
    struct asked c = {0};
    offer_open_rate(&c, &arrivals_poisson, "800");
    serve_constant(&c, 1000000);
    struct law md1 = found(&c, "md1");
    struct two_point equal = {1000000, 1000000, {1, 2}}, always = {7000000, 1000000, {1, 1}};
    struct two_point never = {1000000, 7000000, {0, 1}};
    struct uniform narrow = {1000000, 1000000};
    void *params[] = {&equal, &always, &never, &narrow};
    for (size_t i = 0; i < 4; i++) {
        struct asked a = {0};
        serve(&a, i < 3 ? &distribution_two_point : &distribution_uniform, params[i], "800");
        struct law law = found(&a, "mg1");
        for (double x = 0.0; x < 60.0; x += 0.37)
            near(tail_at(&law, x), tail_at(&md1, x), 1e-11);
        near(law_mean(&law), law_mean(&md1), 1e-14);
        assert_true(law_atom(&law, 1000000));
        law_free(&law);
    }
    law_free(&md1);
}

static void uniform_service_has_the_values_of_the_finite_sum_in_200_digits(void **state)
{
    (void)state;
    struct uniform service = {1000000, 3000000};
    const struct point points[] = {
        {"250", 1.5, 0.86685154693317368},   {"250", 3, 0.35718977089277666},
        {"250", 7.3, 0.034075525768880081},  {"450", 4.2, 0.75516284523324553},
        {"450", 20, 0.16776026057086792},    {"495", 30, 0.76618882837870402},
        {"50", 6.5, 0.00043826674750917547},
    };
    check_points(&distribution_uniform, &service, points, sizeof points / sizeof points[0], 1e-12);
}

static void erlang_service_has_the_values_of_talbot_in_40_digits(void **state)
{
    (void)state;
    struct {
        uint64_t stages;
        struct point at;
    } cases[] = {
        {3, {"125", 2, 0.89658803738296484}},   {3, {"125", 6.5, 0.39583418369923302}},
        {3, {"200", 40, 0.051443020468727031}}, {3, {"245", 300, 0.10601838860357608}},
        {1, {"200", 20, 0.36787944117144232}},  {50, {"200", 17, 0.22015392314536171}},
        {2, {"10", 25, 9.7024260879257768e-5}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct erlang service = {4000000, cases[i].stages};
        check_points(&distribution_erlang, &service, &cases[i].at, 1, 1e-11);
    }
}

/* Ten thousand stages are nearly constant: the response differs from M/D/1 by the variance. */
static void many_stages_approach_constant_service(void **state)
{
    (void)state;
    struct erlang service = {1000000, 10000};
    struct asked a = {0}, c = {0};
    serve(&a, &distribution_erlang, &service, "990");
    offer_open_rate(&c, &arrivals_poisson, "990");
    serve_constant(&c, 1000000);
    struct law mg1 = found(&a, "mg1"), md1 = found(&c, "md1");
    near(quantile(&mg1, "99"), quantile(&md1, "99"), 1.5e-4);
    near(quantile(&mg1, "50"), quantile(&md1, "50"), 1.5e-4);
    assert_true(quantile(&mg1, "99.9") > quantile(&md1, "99.9"));
    law_free(&mg1);
    law_free(&md1);
}

static void hyperexponential_service_has_its_worked_values(void **state)
{
    (void)state;
    struct branch three[] = {
        {{9, 10}, 1000000}, {{2, 25}, 8000000}, {{1, 50}, 19000000}, {{0, 1}, 5000000}};
    struct hyperexponential service = {{three, 4}};
    const struct point points[] = {{"100", 3, 0.21366236997044544},
                                   {"500", 0.4, 0.98674407522093954},
                                   {"500", 30, 0.79021377813027467}};
    check_points(&distribution_hyperexponential, &service, points, 3, 1e-12);

    struct branch two[] = {{{9, 10}, 100000000}, {{1, 10}, 1000000000}};
    struct hyperexponential h2 = {{two, 2}};
    struct asked a = {0};
    serve(&a, &distribution_hyperexponential, &h2, "1");
    a.open.rate_per_s = ratio_make(60, 19);
    struct law law = found(&a, "mg1");
    near(quantile(&law, "50"), 3.1808545009011677e8, 1e-12);
    near(quantile(&law, "90"), 30.806350951285967e8, 1e-12);
    near(quantile(&law, "99"), 72.79218078755329e8, 1e-12);
    near(quantile(&law, "99.9"), 114.77801063840292e8, 1e-12);
    near(law_mean(&law), 10.505263157894737e8, 1e-12);
    law_free(&law);
}

static void equal_branches_are_one_exponential(void **state)
{
    (void)state;
    struct branch same[] = {{{1, 4}, 10000000}, {{3, 4}, 10000000}};
    struct branch close[] = {{{1, 2}, 9999999}, {{1, 2}, 10000001}};
    struct hyperexponential services[] = {{{same, 2}}, {{close, 2}}};
    for (size_t i = 0; i < 2; i++) {
        struct asked a = {0};
        serve(&a, &distribution_hyperexponential, &services[i], "90");
        struct law law = found(&a, "mg1");
        near(quantile(&law, "99"), 460.51701859880914 * MS, 1e-11);
        near(quantile(&law, "50"), 69.314718055994531 * MS, 1e-11);
        law_free(&law);
    }
}

static void lognormal_service_has_the_values_of_talbot(void **state)
{
    (void)state;
    struct lognormal services[] = {{1000000, {1, 1}}, {1000000, {4, 1}}, {1000000, {1, 2}}};
    const struct point points[] = {{"900", 47.4486361911, 0.010000000000007},
                                   {"500", 126.950978984, 0.010000000000045},
                                   {"800", 5, 0.22378888859235}};
    for (size_t i = 0; i < 3; i++)
        check_points(&distribution_lognormal, &services[i], &points[i], 1, 2e-11);
}

static void a_narrow_lognormal_approaches_constant_service(void **state)
{
    (void)state;
    struct lognormal service = {1000000, {1, 1000}};
    struct asked a = {0}, c = {0};
    serve(&a, &distribution_lognormal, &service, "800");
    offer_open_rate(&c, &arrivals_poisson, "800");
    serve_constant(&c, 1000000);
    struct law mg1 = found(&a, "mg1"), md1 = found(&c, "md1");
    near(quantile(&mg1, "99"), quantile(&md1, "99"), 2e-6);
    near(quantile(&mg1, "90"), quantile(&md1, "90"), 2e-6);
    law_free(&mg1);
    law_free(&md1);
}

static void pareto_service_has_the_values_of_talbot(void **state)
{
    (void)state;
    struct {
        struct ratio shape;
        struct point at;
    } cases[] = {
        {{5, 2}, {"540", 265, 0.00100548688425718}}, {{5, 2}, {"594", 100, 0.488502839703385}},
        {{3, 2}, {"233", 1000, 0.0488233185862548}}, {{3, 1}, {"400", 1e5, 5.00055007729e-11}},
        {{5, 2}, {"300", 542889.856632, 1.0e-9}},
    };
    for (size_t i = 0; i < 5; i++) {
        struct pareto service = {1000000, cases[i].shape};
        check_points(&distribution_pareto, &service, &cases[i].at, 1, 1e-11);
    }
}

/* The area under the tail is the mean that Pollaczek and Khinchine's formula gives, which no step
   of the solution knows. */
static void the_area_under_the_tail_is_the_mean(void **state)
{
    (void)state;
    struct two_point two = {5000000, 100000000, {3, 100}}, zero = {0, 78500000, {1, 10}};
    struct uniform uniform = {0, 15700000};
    struct lognormal lognormal = {7850000, {3, 2}};
    struct erlang erlang = {7850000, 7};
    struct pareto pareto = {7000000, {157, 17}};
    struct {
        const struct distribution_type *type;
        void *params;
    } kinds[] = {{&distribution_two_point, &two},   {&distribution_two_point, &zero},
                 {&distribution_uniform, &uniform}, {&distribution_lognormal, &lognormal},
                 {&distribution_erlang, &erlang},   {&distribution_pareto, &pareto}};
    for (size_t i = 0; i < 6; i++) {
        struct asked a = {0};
        serve(&a, kinds[i].type, kinds[i].params, "80");
        struct law law = found(&a, "mg1");
        double area = 0.0, step = 0x1p-9; /* trapezoids between the jumps at whole ms */
        for (double x = 0.0; x < 20000.0; x += step) {
            if (x >= 500.0)
                step = 0.25;
            const struct law_distribution *d = &law.distribution;
            double left = d->tail(d, x * MS);
            double right =
                d->tail_from ? d->tail_from(d, (x + step) * MS) : tail_at(&law, x + step);
            area += step * (left + right) / 2.0;
        }
        near(area * MS, law_mean(&law), 2e-6);
        law_free(&law);
    }
}

static void refusals_say_why(void **state)
{
    (void)state;
    struct two_point service = {5000000, 100000000, {3, 100}}, fast = {500, 900, {1, 2}};
    struct asked a = {0};
    serve(&a, &distribution_two_point, &service, "127.4");
    refused(&a, "capacity");
    serve(&a, &distribution_two_point, &service, "127.3885");
    refused(&a, "99.9 %");
    serve(&a, &distribution_two_point, &fast, "10");
    refused(&a, "1 us");
    serve(&a, &distribution_two_point, &service, "90");
    a.server.workers = 2;
    refused(&a, "one worker");
    a.server.workers = 1;
    a.load.timeout_ns = 1000;
    refused(&a, "timeout");
    a.load.timeout_ns = 0;
    a.server.queue_limit = 5;
    refused(&a, "queue is limited");
    a.server.queue_limit = UNLIMITED;
    a.load.fan_out = 2;
    a.server.replicas = 2;
    struct law law;
    law_find(&a.q, &law);
    assert_int_equal(law.shape, LAW_NONE);
    law_free(&law);
}

static void a_busy_server_of_every_kind_has_a_law(void **state)
{
    (void)state;
    struct two_point wide = {1000000, 1000000000, {1, 1000000}};
    struct uniform uniform = {0, 4000000};
    struct lognormal lognormal = {2000000, {10, 1}};
    struct pareto pareto = {1000000, {2, 1}}, steep = {1900000, {20, 1}};
    struct erlang erlang = {2000000, 300};
    struct {
        const struct distribution_type *type;
        void *params;
    } kinds[] = {{&distribution_two_point, &wide},      {&distribution_uniform, &uniform},
                 {&distribution_lognormal, &lognormal}, {&distribution_pareto, &pareto},
                 {&distribution_pareto, &steep},        {&distribution_erlang, &erlang}};
    const char *rates[] = {"495", "499", "0.001"};
    for (size_t i = 0; i < 18; i++) {
        struct asked a = {0};
        serve(&a, kinds[i / 3].type, kinds[i / 3].params, rates[i % 3]);
        struct law law = found(&a, "mg1");
        double before = 1.0;
        for (double x = 0.0; x < 4e18; x = x * 1.5 + 3e4) {
            double tail = law.distribution.tail(&law.distribution, x);
            assert_true(tail >= 0.0 && tail <= before * (1.0 + 1e-10));
            before = tail;
        }
        assert_true(isfinite(quantile(&law, "99.9")) && quantile(&law, "99.9") > 0.0);
        law_free(&law);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_points_have_the_values_of_the_finite_sum_in_120_digits),
        cmocka_unit_test(far_apart_points_have_the_values_of_the_finite_sum_in_1500_digits),
        cmocka_unit_test(two_points_have_the_worked_percentiles_and_their_atoms),
        cmocka_unit_test(degenerate_two_points_and_uniforms_are_constant_service),
        cmocka_unit_test(uniform_service_has_the_values_of_the_finite_sum_in_200_digits),
        cmocka_unit_test(erlang_service_has_the_values_of_talbot_in_40_digits),
        cmocka_unit_test(many_stages_approach_constant_service),
        cmocka_unit_test(hyperexponential_service_has_its_worked_values),
        cmocka_unit_test(equal_branches_are_one_exponential),
        cmocka_unit_test(lognormal_service_has_the_values_of_talbot),
        cmocka_unit_test(a_narrow_lognormal_approaches_constant_service),
        cmocka_unit_test(pareto_service_has_the_values_of_talbot),
        cmocka_unit_test(the_area_under_the_tail_is_the_mean),
        cmocka_unit_test(refusals_say_why),
        cmocka_unit_test(a_busy_server_of_every_kind_has_a_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
