/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The laws of random scenarios against values from elsewhere, against other ways to compute them,
   and from idle to the brink of capacity. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "tests/random_question.h"

/* ---- values from elsewhere ---- */

#define MS 1e6

static void mm1_has_the_textbook_percentiles(void **state)
{
    (void)state;
    struct {
        ns_t every_ns;
        double p50, p90, p99, p999, mean;
    } cases[] = {
        {20000000, 13.862943611198904, 46.051701859880914, 92.1034037197618, 138.1551055796427, 20},
        {11111111, 69.314729375, 230.25856, 460.5171, 690.77567, 100.00001}, /* nearly 0.9 */
        {12500000, 34.657359027997264, 115.12925464970229, 230.25850929940458, 345.38776394910684,
         50},
    };
    for (size_t i = 0; i < 3; i++) {
        struct asked a = {0};
        offer_open(&a, &arrivals_poisson, cases[i].every_ns);
        serve_exponential(&a, 10000000);
        struct law law = found(&a, "mm1");
        near(quantile(&law, "50"), cases[i].p50 * MS, 1e-6);
        near(quantile(&law, "90"), cases[i].p90 * MS, 1e-6);
        near(quantile(&law, "99"), cases[i].p99 * MS, 1e-6);
        near(quantile(&law, "99.9"), cases[i].p999 * MS, 1e-6);
        near(law_mean(&law), cases[i].mean * MS, 1e-6);
        percentiles_are_first(&law);
        law_free(&law);
    }
}

static void mm1_inflation_is_the_derived_one(void **state)
{
    (void)state;
    /* rho 0.5, 0.75 and 0.9 at p50, p90, p99, p99.9; rates make rho exact. */
    const char *rates[] = {"50", "75", "90"};
    double wanted[3][4] = {
        {3.4548225555204377, 6.953257695116404, 8.62786503547571, 8.944682640408551},
        {15.728935333122626, 36.71954617069842, 46.76719021285426, 48.66809584245131},
        {111.46701499841974, 268.8965962802383, 344.2539265964071, 358.510718818385}};
    double tails[] = {0.5, 0.1, 0.01, 0.001};
    for (size_t i = 0; i < 3; i++) {
        struct asked a = {0};
        offer_open_rate(&a, &arrivals_poisson, rates[i]);
        serve_exponential(&a, 10000000);
        struct law law = found(&a, "mm1");
        const struct law_distribution *d = &law.distribution;
        for (size_t j = 0; j < 4; j++)
            near(d->inflation(d, 1.0 - tails[j], tails[j]), wanted[i][j], 1e-9);
        /* both forms of the small-p shape meet */
        near(d->inflation(d, 0.0100001, 0.9899999), d->inflation(d, 0.0099999, 0.9900001), 1e-4);
        near(d->inflation(d, 1e-12, 1.0), 1.0, 1e-9);
        law_free(&law);
    }
}

static void md1_has_the_values_of_the_finite_sum_in_200_digits(void **state)
{
    (void)state;
    struct {
        const char *rate; /* a second, at a service of 1 ms */
        double t, tail;   /* P(wait > t services) */
    } cases[] = {
        {"10", 5, 1.6241153112580956e-15},
        {"100", 30.7, 2.103404526609645e-49},
        {"500", 20.3, 5.5370622696976787e-12},
        {"800", 60, 5.1400946455463458e-12},
        {"900", 30.7, 0.001614993190417482},
        {"990", 60, 0.29798388177129176},
        {"990", 1, 0.97308765527650738},
        {"999", 100, 0.81813035231959741},
        {"800", 0, 0.8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct asked a = {0};
        offer_open_rate(&a, &arrivals_poisson, cases[i].rate);
        serve_constant(&a, 1000000);
        struct law law = found(&a, "md1");
        double x_ns = (1.0 + cases[i].t) * 1e6;
        near(law.distribution.tail(&law.distribution, x_ns), cases[i].tail, 2e-12);
        law_free(&law);
    }
}

static void md1_has_the_worked_percentiles(void **state)
{
    (void)state;
    struct asked a = {0};
    offer_open(&a, &arrivals_poisson, 1250000000);
    serve_constant(&a, 1000000000);
    struct law law = found(&a, "md1");
    near(quantile(&law, "50"), 2.2759398733762355e9, 1e-9);
    near(quantile(&law, "90"), 6.011511498446048e9, 1e-9);
    near(quantile(&law, "99"), 11.355886791994955e9, 1e-9);
    near(quantile(&law, "99.9"), 16.700268194066435e9, 1e-9);
    near(law_mean(&law), 3e9, 1e-12);
    percentiles_are_first(&law);
    /* A fifth of the requests find nobody: an atom, and the 20th percentile sits on it. */
    assert_true(law_atom(&law, 1000000000));
    assert_false(law_atom(&law, 1000000001));
    near(law_cdf(&law, 1000000000), 0.2, 1e-8);
    near(law_cdf(&law, 999999999), 0.0, 0.0);
    assert_int_equal(law_percentile(&law, level("20")), 1000000000);
    near(quantile(&law, "20"), 1e9, 0.0);
    near(quantile(&law, "3"), 1e9, 0.0);
    near(law.distribution.tail_from(&law.distribution, 1e9), 1.0, 0.0);
    near(law.distribution.tail(&law.distribution, 1e9), 0.8, 1e-14);
    law_free(&law);
}

static void dm1_has_the_worked_percentiles_open_and_paced(void **state)
{
    (void)state;
    for (uint64_t connections = 0; connections <= 3; connections++) {
        struct asked a = {0};
        if (connections == 0)
            offer_open(&a, &arrivals_even, 1250000000);
        else
            offer_paced(&a, 1250000000, connections);
        serve_exponential(&a, 1000000000);
        struct law law = found(&a, "dm1");
        near(quantile(&law, "50"), 1.8664587896972904e9, 1e-11);
        near(quantile(&law, "99"), 12.400483782889781e9, 1e-11);
        near(quantile(&law, "99.9"), 18.600725674334676e9, 1e-11);
        assert_int_equal(law.start.state, STATE_RESIDUALS);
        near(law.start.probability, 0.6286297964969467, 1e-11);
        near(law.start.probability * 0x1p40, nearbyint(law.start.probability * 0x1p40), 0.0);
        percentiles_are_first(&law);
        law_free(&law);
    }
}

static void mean_waits_at_nine_tenths_are_those_of_the_formulas(void **state)
{
    (void)state;
    struct asked m = {0}, c = {0}, e = {0};
    struct ratio ninety = {90, 1};
    offer_open(&m, &arrivals_poisson, 0);
    offer_open(&c, &arrivals_poisson, 0);
    offer_open(&e, &arrivals_even, 0);
    m.open.rate_per_s = c.open.rate_per_s = e.open.rate_per_s = ninety;
    serve_exponential(&m, 10000000);
    serve_constant(&c, 10000000);
    serve_exponential(&e, 10000000);
    struct law mm1 = found(&m, "mm1"), md1 = found(&c, "md1"), dm1 = found(&e, "dm1");
    near(law_mean(&mm1) - 10 * MS, 90 * MS, 1e-9);
    near(law_mean(&md1) - 10 * MS, 45 * MS, 1e-9);
    near(law_mean(&dm1) - 10 * MS, 41.78659422149822 * MS, 1e-9);
    law_free(&mm1);
    law_free(&md1);
    law_free(&dm1);
}

static void sixteen_clients_have_the_erlang_percentiles(void **state)
{
    (void)state;
    struct asked a = {0};
    offer_closed(&a, 16);
    serve_exponential(&a, 5000000);
    struct law law = found(&a, "closed-erlang");
    near(quantile(&law, "50"), 78.33964772158625 * MS, 1e-11);
    near(quantile(&law, "90"), 106.46186270745211 * MS, 1e-11);
    near(quantile(&law, "99"), 133.71442959058837 * MS, 1e-11);
    near(quantile(&law, "99.9"), 156.2180476427212 * MS, 1e-11);
    near(law_mean(&law), 80 * MS, 1e-12);
    const struct law_distribution *d = &law.distribution;
    near(d->inflation(d, 0.5, 0.5), 11.87, 5e-4);
    near(d->inflation(d, 0.99, 0.01), 7.76, 5e-4);
    assert_int_equal(law.start.state, STATE_CLIENTS);
    law_free(&law);
}

static void erlang_holds_from_two_clients_to_a_hundred_thousand(void **state)
{
    (void)state;
    struct {
        uint64_t clients;
        double at, tail; /* P(T > at * mean), 40 digits rounded */
    } cases[] = {{2, 3, 0.017351265236664509},
                 {128, 1.5, 3.7520298595542003e-7},
                 {10000, 1.03, 0.0014704948963856813},
                 {100000, 0.99, 0.99924258007882523}};
    for (size_t i = 0; i < 4; i++) {
        struct asked a = {0};
        offer_closed(&a, cases[i].clients);
        serve_exponential(&a, 5000000);
        struct law law = found(&a, "closed-erlang");
        const struct law_distribution *d = &law.distribution;
        near(d->tail(d, cases[i].at * d->mean_ns), cases[i].tail, 1e-12);
        assert_true(d->tail(d, 1e30) == 0.0);
        double inflation = d->inflation(d, 0.5, 0.5);
        assert_true(inflation > 1.0 && inflation < (double)cases[i].clients);
        percentiles_are_first(&law);
        law_free(&law);
    }
}

/* The two ways the sum over k is taken, either side of 48 clients, and far out, where the inflation
   per client settles. */
static void erlang_inflation_is_smooth_in_the_number_of_clients(void **state)
{
    (void)state;
    double tails[] = {0.9, 0.5, 0.01, 1e-6};
    for (size_t i = 0; i < 4; i++) {
        double found_at[3];
        for (uint64_t n = 47; n <= 49; n++) {
            struct asked a = {0};
            offer_closed(&a, n);
            serve_exponential(&a, 5000000);
            struct law law = found(&a, "closed-erlang");
            const struct law_distribution *d = &law.distribution;
            found_at[n - 47] = d->inflation(d, 1.0 - tails[i], tails[i]);
            law_free(&law);
        }
        near(found_at[2] - found_at[1], found_at[1] - found_at[0], 2e-2);
    }
}

/* ---- other ways to compute the same ---- */

/* F(t) of the M/D/1 wait by its alternating finite sum in long doubles: good for short t. */
static long double alternating(long double rho, long double t)
{
    long double sum = 0.0L, factor = 1.0L;
    for (int k = 0; k <= (int)floorl(t); k++) {
        long double x = rho * (t - k);
        factor = 1.0L;
        for (int j = 1; j <= k; j++)
            factor *= -x / j;
        sum += factor * expl(x);
    }
    return (1.0L - rho) * sum;
}

static void md1_agrees_with_the_alternating_sum_at_every_load(void **state)
{
    (void)state;
    const char *rates[] = {"10", "500", "900", "990", "999"};
    double rhos[] = {0.01, 0.5, 0.9, 0.99, 0.999};
    for (size_t i = 0; i < 5; i++) {
        struct asked a = {0};
        offer_open_rate(&a, &arrivals_poisson, rates[i]);
        serve_constant(&a, 1000000);
        struct law law = found(&a, "md1");
        for (int k = 0; k <= 700; k++) {
            long double t = k / 100.0L;
            double tail = law.distribution.tail(&law.distribution, (double)(1.0L + t) * 1e6);
            long double cdf = alternating((long double)rhos[i], t);
            assert_true(fabsl(1.0L - tail - cdf) < 2e-13L);
        }
        percentiles_are_first(&law);
        law_free(&law);
    }
}

static void roots_stay_exact_from_idle_to_the_brink(void **state)
{
    (void)state;
    /* 1 - rho = 1e-9: y = 1 - sigma satisfies y (1/2 + y/3 + ..) = (1-rho)/rho, so y = 2e-9 nearly;
       the M/D/1 decay is twice the M/M/1 one there. */
    struct asked e = {0}, c = {0}, idle = {0};
    offer_open(&e, &arrivals_even, 1000000001);
    offer_open(&c, &arrivals_poisson, 1000000001);
    serve_exponential(&e, 1000000000);
    serve_constant(&c, 1000000000);
    struct law dm1 = found(&e, "dm1"), md1 = found(&c, "md1");
    near(law_mean(&dm1), 1e9 / 2e-9, 1e-8);
    near(quantile(&md1, "99"), log(100.0) / 2e-9 * 1e9, 1e-8);
    law_free(&dm1);
    law_free(&md1);
    offer_open(&idle, &arrivals_even, 1000000000000);
    serve_exponential(&idle, 1000000);
    struct law alone = found(&idle, "dm1");
    near(law_mean(&alone), 1e6, 1e-14);
    near(alone.start.probability, 0.0, 0.0);
    law_free(&alone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mm1_has_the_textbook_percentiles),
        cmocka_unit_test(mm1_inflation_is_the_derived_one),
        cmocka_unit_test(md1_has_the_values_of_the_finite_sum_in_200_digits),
        cmocka_unit_test(md1_has_the_worked_percentiles),
        cmocka_unit_test(dm1_has_the_worked_percentiles_open_and_paced),
        cmocka_unit_test(mean_waits_at_nine_tenths_are_those_of_the_formulas),
        cmocka_unit_test(sixteen_clients_have_the_erlang_percentiles),
        cmocka_unit_test(erlang_holds_from_two_clients_to_a_hundred_thousand),
        cmocka_unit_test(erlang_inflation_is_smooth_in_the_number_of_clients),
        cmocka_unit_test(md1_agrees_with_the_alternating_sum_at_every_load),
        cmocka_unit_test(roots_stay_exact_from_idle_to_the_brink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
