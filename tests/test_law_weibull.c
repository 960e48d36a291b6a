/* SPDX-License-Identifier: GPL-3.0-or-later */

/* M/G/1 with Weibull service, which is steep at 0 where its shape is below 1, against values found
   elsewhere in 60 digits by Talbot's inversion of its transform. */

#include <math.h>

#include "models/distributions/distribution.h"
#include "models/laws/mg1.h"
#include "tests/claim.h"
#include "tests/random_question.h"

#define MS 1e6

struct point {
    const char *per_s;
    double x_ms, tail;
};

static void serve(struct asked *a, struct weibull *service, const char *per_s)
{
    offer_open_rate(a, &arrivals_poisson, per_s);
    a->server.service = (struct choice){&distribution_weibull.is, service};
}

static void check_points(struct weibull *service, const struct point *points, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct asked a = {0};
        serve(&a, service, points[i].per_s);
        struct law law = found(&a, "mg1");
        near(law.distribution.tail(&law.distribution, points[i].x_ms * MS), points[i].tail, 1e-11);
        assert_true(law.distribution.parameters[MG1_ERROR] < 1e-10);
        percentiles_are_first(&law);
        law_free(&law);
    }
}

/* Of shape 1/2 and 2 the transform is an error function; shape 1 is M/M/1. */
static void the_tail_is_that_of_the_inverted_transform(void **state)
{
    (void)state;
    struct weibull half = {1000000, {1, 2}}, two = {1000000, {2, 1}}, one = {2000000, {1, 1}};
    const struct point heavy[] = {
        {"250", 1, 0.64846786056565686},    {"250", 5, 0.38470031907119732},
        {"250", 60, 0.011712140765487283},  {"450", 20, 0.63843380957749503},
        {"450", 200, 0.038691613151213716}, {"50", 30, 0.0083562146103758119}};
    const struct point light[] = {{"900", 0.5, 0.94749059838482631},
                                  {"900", 2, 0.56199808571456131},
                                  {"900", 15, 0.0041964661857010513},
                                  {"300", 1.5, 0.21695133220518968},
                                  {"300", 4, 0.0027870331573601303}};
    const struct point plain[] = {{"250", 4, 0.36787944117144232}};
    check_points(&half, heavy, 6);
    check_points(&two, light, 5);
    check_points(&one, plain, 1);
}

/* The area under the tail is the mean of Pollaczek and Khinchine's formula, which no step of the
   solution knows; by trapezoids over x = y^4, so that the steep begin is spread out. */
static void the_area_under_the_tail_is_the_mean(void **state)
{
    (void)state;
    struct weibull services[] = {
        {300000, {3, 10}}, {2000000, {7, 10}}, {3000000, {5, 2}}, {3000000, {10, 1}}};
    for (size_t i = 0; i < 4; i++) {
        struct asked a = {0};
        serve(&a, &services[i], "200");
        struct law law = found(&a, "mg1");
        const struct law_distribution *d = &law.distribution;
        double area = 0.0, before_ns = 0.0, step = 0x1p-6, last = pow(1e12, 0.25);
        for (double y = step; y < last; y += step) {
            double x_ns = y * y * y * y;
            area += (x_ns - before_ns) * (d->tail(d, before_ns) + d->tail(d, x_ns)) / 2.0;
            before_ns = x_ns;
        }
        near(area, law_mean(&law), 2e-6);
        law_free(&law);
    }
}

static void a_shape_that_is_too_steep_has_no_law(void **state)
{
    (void)state;
    struct weibull over = {1000000, {101, 10}}, under = {1000000, {29, 100}};
    struct asked a = {0};
    serve(&a, &over, "90");
    refused(&a, "too steep");
    serve(&a, &under, "9");
    refused(&a, "too steep");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tail_is_that_of_the_inverted_transform),
        cmocka_unit_test(the_area_under_the_tail_is_the_mean),
        cmocka_unit_test(a_shape_that_is_too_steep_has_no_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
