/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The portable functions against the C library in long double, and the distributions that are made
   of them. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/maths.h"
#include "models/distributions/distribution.h"
#include "models/registry.h"
#include "tests/claim.h"
#include "tests/stream_with.h"

/* ---- functions ---- */

static double place(double x)
{
    return nextafter(fabs(x), INFINITY) - fabs(x);
}

static void the_portable_exponential_is_right_to_the_last_place(void **state)
{
    (void)state;
    struct stream s = stream_open(1, 0, 0, PURPOSE_ARRIVALS);
    for (uint64_t i = 0; i < 2000000; i++) {
        double range = i % 3 == 0 ? 1416.0 : i % 3 == 1 ? 4.0 : 0x1p-20;
        double x = range * (unit_of(stream_word(s, i)) - 0.5), got = portable_exp(x);
        assert_true(fabsl(expl((long double)x) - (long double)got) <= (long double)place(got));
    }
    assert_true(portable_exp(0.0) == 1.0);
    assert_true(portable_exp(-1e300) == 0.0);
    assert_int_equal(round_ns(portable_exp(1e300)), NS_LIMIT);
}

static void the_portable_power_keeps_its_bound(void **state)
{
    (void)state;
    struct stream s = stream_open(2, 0, 0, PURPOSE_ARRIVALS);
    for (uint64_t i = 0; i < 1000000; i++) {
        double x = unit_of(stream_word(s, 2 * i)),
               y = 8.0 * (unit_of(stream_word(s, 2 * i + 1)) - 0.5);
        if (i % 2)
            x = ldexp(x, -(int)(i % 53));
        long double want = powl((long double)x, (long double)y);
        long double bound = (2.0L + 2.0L * fabsl((long double)y * logl((long double)x))) * 0x1p-53L;
        assert_true(fabsl((long double)portable_power(x, y) / want - 1.0L) <= bound);
    }
    assert_true(portable_power(1.0, -1e9) == 1.0);
    assert_int_equal(round_ns(portable_power(0x1p-53, -1000.0)), NS_LIMIT);
    /* u = 2^-53 with shape 2: 2^26.5 = 94906265.62... */
    assert_int_equal(round_ns(portable_power(0x1p-53, -0.5)), 94906266);
}

/* One step of Newton from the value itself, in long doubles, shows how far off it is. */
static void the_portable_normal_is_the_quantile(void **state)
{
    (void)state;
    struct stream s = stream_open(3, 0, 0, PURPOSE_ARRIVALS);
    for (uint64_t i = 0; i < 1000000; i++) {
        double u = unit_of(stream_word(s, i));
        if (i % 2)
            u = fmax(ldexp(1.0, -53), nearbyint(ldexp(u, 53 - (int)(i % 50))) * 0x1p-53);
        double got = portable_normal(u);
        long double p = (long double)u - 0x1p-54L, z = fabsl((long double)got);
        long double beyond = got < 0.0 ? p : 1.0L - p;
        long double density = expl(-z * z / 2.0L) * 0.398942280401432677939946L;
        long double off = (0.5L * erfcl(z * 0.707106781186547524400844L) - beyond) / density;
        assert_true(fabsl(off) <= z * 0x1p-50L + 0x1p-62L);
    }
}

static void the_normal_is_finite_and_symmetric_at_both_ends(void **state)
{
    (void)state;
    assert_true(portable_normal(1.0) == -portable_normal(0x1p-53));
    assert_true(fabs(portable_normal(1.0) - 8.2923610758135) < 1e-9); /* beyond: 2^-54 */
    assert_true(fabs(portable_normal(0.975) - 1.9599639845400542) < 1e-14);
}

/* ---- distributions ---- */

static struct branch branches[2] = {{{9, 10}, 1000000}, {{1, 10}, 10000000}};
static const struct erlang erlang3 = {6000000, 3};
static const struct hyperexponential hyper = {{branches, 2}};
static const struct lognormal lognormal2 = {3000000, {1, 2}}, lognormal_wide = {3000000, {3, 1}};
static const struct weibull weibull_light = {3000000, {5, 2}}, weibull_heavy = {1000000, {1, 2}};
static const struct pareto pareto9 = {2000000, {9, 1}}, pareto2 = {2000000, {5, 2}};

static const struct {
    const struct distribution_type *type;
    const void *params;
    double mean, square, fourth; /* moments in ms; fourth 0: not finite enough to test the square */
} drawn[] = {
    {&distribution_erlang, &erlang3, 6.0, 48.0, 16.0 * 3 * 4 * 5 * 6},
    {&distribution_hyperexponential, &hyper, 1.9, 21.8, 24.0 * (0.9 + 1000.0)},
    {&distribution_lognormal, &lognormal2, 3.0, 9.0 * 1.25, 81.0 * 3.814697265625},
    {&distribution_pareto, &pareto9, 2.25, 4.0 * 9 / 7, 16.0 * 9 / 5},
    {&distribution_lognormal, &lognormal_wide, 3.0, 90.0, 0.0},
    {&distribution_pareto, &pareto2, 10.0 / 3, 20.0, 0.0},
    /* k-th moments scale^k Gamma(1 + k/shape): of shape 5/2 at 1.4, 1.8 and 2.6; of 1/2 they are
       2!, 4! and 8!. */
    {&distribution_weibull, &weibull_light, 3 * 0.88726381750307529, 9 * 0.93138377098024268,
     81 * 1.4296245588603045},
    {&distribution_weibull, &weibull_heavy, 2.0, 24.0, 40320.0},
};
enum { KINDS = sizeof drawn / sizeof drawn[0], DRAWS = 400000 };

/* Within five standard errors: false with probability below 6e-7 each. */
static void draws_have_the_mean_and_the_square_of_their_distribution(void **state)
{
    (void)state;
    ns_t *x = must_alloc(DRAWS, sizeof *x);
    for (size_t k = 0; k < KINDS; k++) {
        double sum = 0.0, squares = 0.0, n = DRAWS, mean = drawn[k].mean, square = drawn[k].square;
        drawn[k].type->draw(drawn[k].params, stream_open(5, 0, 0, PURPOSE_SERVICE), 0, x, DRAWS);
        for (size_t i = 0; i < DRAWS; i++) {
            double ms = (double)x[i] * 1e-6;
            sum += ms;
            squares += ms * ms;
        }
        assert_true(fabs(drawn[k].type->mean_ns(drawn[k].params) - mean * 1e6) < 1e-9 * mean * 1e6);
        assert_true(fabs(sum / n - mean) < 5.0 * sqrt((square - mean * mean) / n) + 1e-6);
        if (drawn[k].fourth > 0.0)
            assert_true(fabs(squares / n - square) <
                        5.0 * sqrt((drawn[k].fourth - square * square) / n) + 1e-5);
    }
    free(x);
}

static int by_length(const void *a, const void *b)
{
    ns_t x = *(const ns_t *)a, y = *(const ns_t *)b;
    return (x > y) - (x < y);
}

/* Kolmogorov and Smirnov's sqrt(n) D over 4000 points up to 20 means, against cdf: above 2.71 with
   probability below 1e-6. */
static double distance(ns_t *x, const double *cdf, double step_ns)
{
    double worst = 0.0;
    size_t below = 0;
    qsort(x, DRAWS, sizeof *x, by_length);
    for (size_t c = 1; c <= 4000; c++) {
        while (below < DRAWS && (double)x[below] <= step_ns * (double)c)
            below++;
        worst = fmax(worst, fabs((double)below / DRAWS - cdf[c]));
    }
    return worst * sqrt((double)DRAWS);
}

/* The distances of the draws from the tail and of the residuals from the tail's own integral over
   the mean, the tail being stretched by `stretch`. */
static void distances(size_t k, double stretch, double out[2])
{
    double cdf[4001] = {0.0}, residual[4001] = {0.0};
    const struct distribution_type *type = drawn[k].type;
    const void *params = drawn[k].params;
    double mean_ns = type->mean_ns(params), step_ns = floor(mean_ns / 200.0);
    ns_t *x = must_alloc(DRAWS, sizeof *x);
    for (size_t c = 1; c <= 4000; c++) {
        double sum = 0.0;
        for (int i = 0; i < 20; i++)
            sum += type->tail(params, step_ns * ((double)c - 1.0 + (i + 0.5) / 20.0) / stretch);
        residual[c] = residual[c - 1] + sum / 20.0 * step_ns / (mean_ns * stretch);
        cdf[c] = 1.0 - type->tail(params, (step_ns * (double)c + 0.5) / stretch);
    }
    type->draw(params, stream_open(3, 0, 0, PURPOSE_SERVICE), 0, x, DRAWS);
    out[0] = distance(x, cdf, step_ns);
    for (uint64_t i = 0; i < DRAWS; i++)
        x[i] = type->residual(params, stream_open(4, 0, 0, PURPOSE_START), i);
    out[1] = distance(x, residual, step_ns);
    free(x);
}

static void draws_and_residuals_pass_kolmogorov_and_smirnov(void **state)
{
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        double d[2];
        distances(k, 1.0, d);
        assert_true(d[0] < 2.71 && d[1] < 2.71);
    }
}

static void canary_draws_and_residuals_three_percent_off_fail(void **state)
{
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        double d[2];
        distances(k, 1.03, d);
        assert_true(d[0] > 2.71 && d[1] > 2.71);
    }
}

/* The first draws of each kind, so that no change of compiler or code moves a result. */
static void the_draws_are_what_they_were(void **state)
{
    (void)state;
    static const ns_t were[KINDS][4] = {
        {3590191, 3307563, 7052174, 2680131}, {22628, 40966, 1058925, 3084124},
        {2343325, 3653648, 1450375, 113587},  {2222401, 2067030, 2593663, 108233},
        {613945, 2557191, 131474, 164983},    {2923363, 2252012, 5098128, 223666},
        {2937799, 1845202, 4214604, 313647},  {900542, 88026, 5472399, 147806},
    };
    struct stream s = stream_open(1, 0, 0, PURPOSE_SERVICE);
    for (size_t k = 0; k < KINDS; k++) {
        ns_t out[4];
        drawn[k].type->draw(drawn[k].params, s, 1000000007, out, 3);
        out[3] = drawn[k].type->residual(drawn[k].params, s, 7);
        for (int i = 0; i < 4; i++)
            assert_int_equal(out[i], were[k][i]);
    }
}

static void a_draw_depends_on_its_index_alone(void **state)
{
    (void)state;
    struct stream s = stream_open(9, 0, 3, PURPOSE_SERVICE);
    for (size_t k = 0; k < KINDS; k++) {
        ns_t all[200], one;
        drawn[k].type->draw(drawn[k].params, s, 0, all, 200);
        for (uint64_t i = 0; i < 200; i += 7) {
            drawn[k].type->draw(drawn[k].params, s, i, &one, 1);
            assert_int_equal(one, all[i]);
        }
    }
}

/* Shape just above 1: almost every length-biased draw is beyond the clock. */
static void what_is_beyond_the_clock_is_the_limit(void **state)
{
    (void)state;
    struct pareto wild = {1000000, {1001, 1000}};
    struct stream s = stream_open(1, 0, 0, PURPOSE_START);
    size_t beyond = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        ns_t x = distribution_pareto.residual(&wild, s, i);
        assert_true(x <= NS_LIMIT);
        beyond += x == NS_LIMIT;
    }
    assert_true(beyond > 900);
}

static ns_t weibull_at(ns_t scale_ns, struct ratio shape, uint64_t word)
{
    struct weibull w = {scale_ns, shape};
    ns_t out_ns;
    distribution_weibull.draw(&w, stream_with(0, word), 0, &out_ns, 1);
    return out_ns;
}

/* u = 1 draws 0; u = 2^-53 the longest, scale (53 log 2)^(1/shape) with 53 log 2 =
   36.73680056967710; u = 1 - 2^-53 the shortest above 0, scale 2^(-53/shape); u = 1/2 (word
   2^63 - 1) the median, scale (log 2)^(1/shape). */
static void a_weibull_draw_is_right_at_both_ends(void **state)
{
    (void)state;
    struct ratio one = {1, 1}, half = {1, 2}, two = {2, 1}, tenth = {1, 10};
    uint64_t next_to_one = UINT64_MAX - (1 << 11);
    assert_int_equal(weibull_at(1000000000, one, UINT64_MAX), 0);
    assert_int_equal(weibull_at(1000000000, one, 0), 36736800570);
    assert_int_equal(weibull_at(1000000000, half, 0), 1349592516096); /* its square */
    assert_int_equal(weibull_at(1000000000, two, 0), 6061089058);     /* its square root */
    assert_int_equal(weibull_at(1000000000, two, INT64_MAX), 832554611);
    assert_int_equal(weibull_at(UINT64_C(1) << 60, two, next_to_one), 12148002000);
    assert_int_equal(weibull_at(1000000000, half, next_to_one), 0);
    assert_int_equal(weibull_at(1000000000, tenth, 0), NS_LIMIT);
}

/* Over all shapes that are allowed, and against the exponential where the shape is 1. */
static void the_mean_of_a_weibull_is_the_gamma_function(void **state)
{
    (void)state;
    for (uint64_t k = 1; k <= 10000; k++) {
        struct weibull w = {1000000000, {k, 10}};
        long double want = 1e9L * tgammal(1.0L + 10.0L / (long double)k);
        double got = distribution_weibull.mean_ns(&w);
        assert_true(fabsl((long double)got / want - 1.0L) < 8 * 0x1p-53L);
        assert_null(distribution_weibull.is.refuses(&w));
    }
    struct weibull w = {1000, {1, 11}};
    assert_non_null(distribution_weibull.is.refuses(&w));
}

static void branches_must_sum_to_exactly_one(void **state)
{
    (void)state;
    struct branch three[3] = {{{1, 3}, 10}, {{1, 3}, 20}, {{1, 3}, 30}};
    struct hyperexponential h = {{three, 3}};
    assert_null(distribution_hyperexponential.is.refuses(&h));
    three[2].probability = (struct ratio){333333333333333333, 1000000000000000000};
    assert_non_null(distribution_hyperexponential.is.refuses(&h));
    h.branches.count = 2;
    assert_non_null(distribution_hyperexponential.is.refuses(&h));
    h.branches.count = 0;
    assert_non_null(distribution_hyperexponential.is.refuses(&h));
    three[0].probability = three[1].probability = (struct ratio){1, 1};
    h.branches.count = 2;
    assert_non_null(distribution_hyperexponential.is.refuses(&h));
}

static void a_tail_is_exact_far_out(void **state)
{
    (void)state;
    /* P(Erlang(3, 1/2) > 60) = e^-30 (1 + 30 + 450) */
    assert_true(fabs(distribution_erlang.tail(&erlang3, 60e6) / (481.0 * exp(-30.0)) - 1.0) <
                1e-13);
    struct erlang many = {1000000, 10000};
    assert_true(fabs(distribution_erlang.tail(&many, 1e6) - 0.49867019166004480) < 1e-11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_portable_exponential_is_right_to_the_last_place),
        cmocka_unit_test(the_portable_power_keeps_its_bound),
        cmocka_unit_test(the_portable_normal_is_the_quantile),
        cmocka_unit_test(the_normal_is_finite_and_symmetric_at_both_ends),
        cmocka_unit_test(draws_have_the_mean_and_the_square_of_their_distribution),
        cmocka_unit_test(draws_and_residuals_pass_kolmogorov_and_smirnov),
        cmocka_unit_test(canary_draws_and_residuals_three_percent_off_fail),
        cmocka_unit_test(the_draws_are_what_they_were),
        cmocka_unit_test(a_draw_depends_on_its_index_alone),
        cmocka_unit_test(what_is_beyond_the_clock_is_the_limit),
        cmocka_unit_test(a_weibull_draw_is_right_at_both_ends),
        cmocka_unit_test(the_mean_of_a_weibull_is_the_gamma_function),
        cmocka_unit_test(branches_must_sum_to_exactly_one),
        cmocka_unit_test(a_tail_is_exact_far_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
