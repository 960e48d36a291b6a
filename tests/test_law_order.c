/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What finite samples do to a percentile. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "models/laws/order.h"
#include "tests/random_question.h"

#define MS 1000000.0

static struct law exponential_10_ms(struct asked *a)
{
    offer_open(a, &arrivals_even, 1000000);
    serve_exponential(a, 10000000);
    a->server.workers = UNLIMITED;
    return found(a, "service");
}

static void the_p99_of_a_hundred_exponentials(void **state)
{
    (void)state;
    struct asked a = {0};
    struct law law = exponential_10_ms(&a);
    struct order_statistic s = {100, 99};
    near(order_mean_ns(&law, s), 41.873775176396194 * MS, 1e-9);
    near(order_quantile(&law, s, 0.05), 30.67017525104548 * MS, 1e-9);
    near(order_quantile(&law, s, 0.95), 56.36548420069407 * MS, 1e-9);
    law_free(&law);
}

/* H_n - H_(n-k), summed from its small end. */
static double harmonic_gap(uint64_t n, uint64_t k)
{
    double sum = 0.0;
    for (uint64_t i = n; i > n - k; i--)
        sum += 1.0 / (double)i;
    return sum;
}

static void means_of_exponential_order_statistics_are_harmonic(void **state)
{
    (void)state;
    static const struct order_statistic s[] = {{1, 1},         {2, 1},           {10, 10},
                                               {1000, 990},    {10000, 9900},    {10000, 1},
                                               {10000, 10000}, {1000000, 500000}};
    struct asked a = {0};
    struct law law = exponential_10_ms(&a);
    for (size_t i = 0; i < sizeof s / sizeof s[0]; i++)
        near(order_mean_ns(&law, s[i]), 10 * MS * harmonic_gap(s[i].n, s[i].rank), 1e-9);
    law_free(&law);
}

static void the_beta_distribution_is_that_of_gsl_where_gsl_reaches(void **state)
{
    (void)state;
    static const struct order_statistic s[] = {
        {1, 1}, {5, 2}, {100, 99}, {1000, 500}, {5000, 4995}};
    for (size_t i = 0; i < sizeof s / sizeof s[0]; i++) {
        double a = (double)(s[i].n - s[i].rank + 1), b = (double)s[i].rank;
        for (int k = 1; k < 20; k++) {
            double share = k / 20.0 * 3.0 * a / (a + b);
            if (share < 1.0 && gsl_cdf_beta_P(share, a, b) > 1e-200)
                near(order_beyond_cdf(s[i], share), gsl_cdf_beta_P(share, a, b), 1e-9);
            near(order_beyond_cdf(s[i], order_beyond(s[i], k / 20.0)), k / 20.0, 1e-9);
        }
    }
}

/* At n = 10^9 the beta is normal to a relative 1e-4 of its width. */
static void a_billion_samples_are_no_trouble(void **state)
{
    (void)state;
    struct order_statistic s = {1000000000, 999000000};
    double width = sqrt(1e-3 * 0.999 / 1e9);
    assert_true(fabs(order_beyond(s, 0.5) - 1e-3) < 1e-3 * width + 1e-12);
    assert_true(fabs(order_beyond(s, 0.975) - 1e-3 - 1.959964 * width) < 2e-3 * width);
    assert_true(fabs(order_beyond(s, 0.025) - 1e-3 + 1.959964 * width) < 2e-3 * width);
}

static void how_far_p99_wanders(void **state)
{
    (void)state;
    static const struct {
        const char *rate;
        double percent;
    } queues[] = {{"50", 1.003445035636282}, {"90", 6.338425185193741}, {"99", 66.38221931340105}};
    for (size_t i = 0; i < 3; i++) {
        struct asked a = {0};
        offer_open_rate(&a, &arrivals_poisson, queues[i].rate);
        serve_exponential(&a, 10000000);
        struct law law = found(&a, "mm1");
        double inflation = law.distribution.inflation(&law.distribution, 0.99, 0.01);
        near(order_wander(&law, level("99"), inflation, 400000) * 100, queues[i].percent, 1e-6);
        near(order_wander(&law, level("99"), 1.0, 400000) * 100, 0.3416189214987016, 1e-6);
        assert_true(isnan(order_wander(&law, level("100"), 1.0, 400000)));
        assert_true(isnan(order_wander(&law, level("99"), NAN, 400000)));
        law_free(&law);
    }
}

static void consecutive_mm1_responses_inflate_the_variance(void **state)
{
    (void)state;
    static const struct {
        const char *rate;
        double inflation[4];
    } queues[] = {
        {"50", {3.4548225555204377, 6.953257695116404, 8.62786503547571, 8.944682640408551}},
        {"75", {15.728935333122626, 36.71954617069842, 46.76719021285426, 48.66809584245131}},
        {"90", {111.46701499841974, 268.8965962802383, 344.2539265964071, 358.510718818385}}};
    static const double beyond[] = {0.5, 0.1, 0.01, 0.001};
    for (size_t i = 0; i < 3; i++) {
        struct asked a = {0};
        offer_open_rate(&a, &arrivals_poisson, queues[i].rate);
        serve_exponential(&a, 10000000);
        struct law law = found(&a, "mm1");
        for (size_t k = 0; k < 4; k++)
            near(law.distribution.inflation(&law.distribution, 1.0 - beyond[k], beyond[k]),
                 queues[i].inflation[k], 1e-9);
        law_free(&law);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_p99_of_a_hundred_exponentials),
        cmocka_unit_test(means_of_exponential_order_statistics_are_harmonic),
        cmocka_unit_test(the_beta_distribution_is_that_of_gsl_where_gsl_reaches),
        cmocka_unit_test(a_billion_samples_are_no_trouble),
        cmocka_unit_test(how_far_p99_wanders),
        cmocka_unit_test(consecutive_mm1_responses_inflate_the_variance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
