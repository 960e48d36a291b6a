/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The laws of random scenarios against values from elsewhere, against other ways to compute them, and
   at the ends of their domains. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/laws/law.h"
#include "models/loads/load.h"
#include "models/policies/late.h"
#include "models/registry.h"
#include "models/stalls/stall.h"

/* ---- a question with all it points to ---- */

struct asked {
    struct server server;
    struct stall stall;
    struct constant constant;
    struct exponential exponential;
    struct load_plan load;
    struct open_load open;
    struct closed_load closed;
    struct paced_load paced;
    struct catch_up catch_up;
    struct run_plan run;
    struct law_question q;
};

static void ask_server(struct asked *a)
{
    a->server.workers = 1;
    a->server.queue_limit = UNLIMITED;
    a->server.stalls = &a->stall;
    a->run.requests = 1000;
    a->q = (struct law_question){.server = &a->server,
                                 .load = &a->load,
                                 .run = &a->run,
                                 .from = INSTANT_DUE,
                                 .to = INSTANT_FINISHED};
}

static void serve_exponential(struct asked *a, ns_t mean_ns)
{
    a->exponential.mean_ns = mean_ns;
    a->server.service = (struct choice){&distribution_exponential.is, &a->exponential};
}

static void serve_constant(struct asked *a, ns_t value_ns)
{
    a->constant.value_ns = value_ns;
    a->server.service = (struct choice){&distribution_constant.is, &a->constant};
}

static void offer_open(struct asked *a, const struct arrivals_type *arrivals_type, ns_t every_ns)
{
    ask_server(a);
    a->open = (struct open_load){.every_ns = every_ns,
                                 .arrivals = {&arrivals_type->is, NULL},
                                 .max_in_flight = UNLIMITED};
    a->load.kind = (struct choice){&load_open.is, &a->open};
}

static void offer_closed(struct asked *a, uint64_t clients)
{
    ask_server(a);
    a->closed = (struct closed_load){.clients = clients,
                                     .think = {&distribution_constant.is, &a->constant}};
    a->load.kind = (struct choice){&load_closed.is, &a->closed};
}

static void offer_paced(struct asked *a, ns_t every_ns, uint64_t connections)
{
    ask_server(a);
    a->paced = (struct paced_load){.every_ns = every_ns,
                                   .connections = connections,
                                   .late = {&late_catch_up.is, &a->catch_up}};
    a->load.kind = (struct choice){&load_paced.is, &a->paced};
}

static struct law found(const struct asked *a, const char *name)
{
    struct law law;
    law_find(&a->q, &law);
    assert_int_equal(law.shape, LAW_RANDOM);
    assert_string_equal(law.type->is.name, name);
    return law;
}

static void refused(const struct asked *a, const char *word)
{
    struct law law;
    law_find(&a->q, &law);
    if (law.shape != LAW_NONE || strstr(law.why, word) == NULL)
        fail_msg("shape %d, why \"%s\", wanted \"%s\"", (int)law.shape, law.why, word);
    law_free(&law);
}

static void near(double got, double wanted, double relative)
{
    if (!(fabs(got - wanted) <= relative * fabs(wanted)))
        fail_msg("%.17g, wanted %.17g to %g", got, wanted, relative);
}

static struct ratio level(const char *text)
{
    struct ratio r;
    assert_true(ratio_parse(text, strlen(text), &r));
    return ratio_make(r.num, r.den * 100);
}

static double quantile(const struct law *law, const char *percent)
{
    return law_quantile(law, level(percent));
}

/* Every percentile's whole ns is the first at which the share is reached. */
static void percentiles_are_first(const struct law *law)
{
    const char *percents[] = {"0.01", "1", "25", "50", "90", "99", "99.9", "99.99", "99.9999999"};
    for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
        struct ratio p = level(percents[i]);
        double q = (double)(p.den - p.num) / (double)p.den;
        ns_t x_ns = law_percentile(law, p);
        assert_true(law_tail(law, x_ns) <= q * (1.0 + 1e-11));
        assert_true(x_ns == 0 || law_tail(law, x_ns - 1) > q * (1.0 - 1e-11));
    }
    assert_int_equal(law_percentile(law, (struct ratio){1, 1}), NS_LIMIT);
    assert_true(law_tail(law, law_percentile(law, (struct ratio){0, 1})) < 1.0);
}

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
        offer_open(&a, &arrivals_poisson, 0);
        assert_true(ratio_parse(rates[i], strlen(rates[i]), &a.open.rate_per_s));
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
        {"10", 5, 1.6241153112580956e-15},   {"100", 30.7, 2.103404526609645e-49},
        {"500", 20.3, 5.5370622696976787e-12}, {"800", 60, 5.1400946455463458e-12},
        {"900", 30.7, 0.001614993190417482}, {"990", 60, 0.29798388177129176},
        {"990", 1, 0.97308765527650738},     {"999", 100, 0.81813035231959741},
        {"800", 0, 0.8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct asked a = {0};
        offer_open(&a, &arrivals_poisson, 0);
        assert_true(ratio_parse(cases[i].rate, strlen(cases[i].rate), &a.open.rate_per_s));
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
        assert_int_equal(law.state, STATE_RESIDUALS);
        near(law.probability, 0.6286297964969467, 1e-11);
        near(law.probability * 0x1p40, nearbyint(law.probability * 0x1p40), 0.0);
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
    assert_int_equal(law.state, STATE_CLIENTS);
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

/* The two ways the sum over k is taken, either side of 48 clients, and far out, where the inflation per
   client settles. */
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
        offer_open(&a, &arrivals_poisson, 0);
        assert_true(ratio_parse(rates[i], strlen(rates[i]), &a.open.rate_per_s));
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

/* All that a rule does to one value, by the rule's own words. */
struct poured {
    double total, at_most, sum_ns;
};

static void pour(struct poured *out, struct correction_rule rule, ns_t value_ns, double mass,
                 ns_t x_ns)
{
    out->total += mass;
    out->at_most += value_ns <= x_ns ? mass : 0.0;
    out->sum_ns += mass * (double)value_ns;
    uint64_t w = value_ns / rule.unit_ns, added = correction_adds(rule, value_ns);
    for (uint64_t j = 1; j <= added; j++) {
        ns_t invented_ns = (w - j * rule.interval) * rule.unit_ns;
        out->total += mass;
        out->at_most += invented_ns <= x_ns ? mass : 0.0;
        out->sum_ns += mass * (double)invented_ns;
    }
}

static void corrected_is_poured(struct law *law, struct correction_rule rule, ns_t x_ns, ns_t last_ns)
{
    struct poured out = {0};
    const struct law_distribution *d = &law->distribution;
    for (ns_t v = 0; v <= last_ns; v++) {
        double mass = d->tail(d, (double)v - 0.5) - d->tail(d, (double)v + 0.5);
        if (mass > 0.0)
            pour(&out, rule, v, mass, x_ns);
    }
    law->rule = rule;
    near(law_samples_per_request(law), out.total, 1e-9);
    near(law_cdf(law, x_ns), out.at_most / out.total, 1e-9);
    near(law_mean(law), out.sum_ns / out.total, 1e-7); /* raw means are those before rounding */
    law->rule = (struct correction_rule){0};
}

static void corrected_shares_are_those_of_every_value_poured_through_the_rule(void **state)
{
    (void)state;
    struct correction_rule rules[] = {{1, 700, 700}, {1, 700, 1}, {1000, 2, 3}, {1, 3001, 3001},
                                      {1, 50, 50},   {1000, 1, 2}};
    ns_t thresholds[] = {300, 699, 700, 1000, 2000, 2001, 5500, 14000};
    for (size_t i = 0; i < 6; i++) {
        for (size_t j = 0; j < 8; j++) {
            struct asked m = {0}, c = {0};
            offer_open(&m, &arrivals_poisson, 5000);
            offer_open(&c, &arrivals_poisson, 2000);
            serve_exponential(&m, 1000);
            serve_constant(&c, 1300);
            struct law mm1 = found(&m, "mm1"), md1 = found(&c, "md1");
            corrected_is_poured(&mm1, rules[i], thresholds[j], 40000);
            corrected_is_poured(&md1, rules[i], thresholds[j], 40000);
            law_free(&mm1);
            law_free(&md1);
        }
    }
}

static void corrected_exponential_has_the_worked_percentiles(void **state)
{
    (void)state;
    struct {
        double interval, p50, p90, p99, p999, mean, samples;
    } cases[] = {{0.3, 0.9063485502963845, 2.515786462730485, 4.8183715557245295, 7.120956648718575,
                  1.2037683571272577, 3.117477692828365},
                 {1.25, 0.8153671567320302, 2.531268709966994, 4.8338538029610385, 7.136438895955084,
                  1.1289703389455987, 1.1150463216328228}};
    for (size_t i = 0; i < 2; i++) {
        struct asked a = {0};
        offer_closed(&a, 1);
        serve_exponential(&a, 1000000000);
        struct law law = found(&a, "service");
        uint64_t interval_ns = (uint64_t)llround(cases[i].interval * 1e9);
        law.rule = (struct correction_rule){1, interval_ns, interval_ns};
        near(quantile(&law, "50"), cases[i].p50 * 1e9, 2e-9);
        near(quantile(&law, "90"), cases[i].p90 * 1e9, 2e-9);
        near(quantile(&law, "99"), cases[i].p99 * 1e9, 2e-9);
        near(quantile(&law, "99.9"), cases[i].p999 * 1e9, 2e-9);
        near(law_mean(&law), cases[i].mean * 1e9, 2e-9);
        near(law_samples_per_request(&law), cases[i].samples, 2e-9);
        percentiles_are_first(&law);
        law_free(&law);
    }
}

static void the_correction_shows_a_third_of_what_users_wait(void **state)
{
    (void)state;
    struct asked a = {0};
    offer_paced(&a, 1250000000, 1);
    serve_exponential(&a, 1000000000);
    struct law due = found(&a, "dm1");
    a.q.from = INSTANT_SENT;
    struct law sent = found(&a, "service"), corrected = found(&a, "service");
    corrected.rule = (struct correction_rule){1, 1250000000, 1250000000};
    near(quantile(&due, "99"), 12.400483782889781e9, 1e-11);
    near(quantile(&sent, "99"), 4.605170185988092e9, 1e-11);
    near(quantile(&corrected, "99"), 4.8338538029610385e9, 2e-9);
    assert_int_equal(sent.state, STATE_IDLE);
    law_free(&due);
    law_free(&sent);
    law_free(&corrected);
}

/* 10^9 samples added to a mean response: exponential again, so the sums are geometric. */
static void an_interval_of_one_nanosecond_is_no_long_sum(void **state)
{
    (void)state;
    struct asked a = {0};
    offer_closed(&a, 1);
    serve_exponential(&a, 1000000000);
    struct law law = found(&a, "service");
    law.rule = (struct correction_rule){1, 1, 1};
    /* sum over j >= 1 of exp(-(j + 1/2) 1e-9) */
    near(law_samples_per_request(&law), 1.0 + exp(-1.5e-9) / -expm1(-1e-9), 1e-10);
    near(quantile(&law, "99"), 1e9 * log(100.0), 1e-8);
    near(law_mean(&law), 1e9, 1e-8);
    law_free(&law);
}

/* ---- the service itself ---- */

static void service_takes_any_distribution_with_a_tail(void **state)
{
    (void)state;
    struct two_values {
        ns_t usual_ns, rare_ns;
        struct ratio probability;
    } params = {5000000, 100000000, {3, 100}};
    struct asked a = {0};
    offer_open(&a, &arrivals_poisson, 1000000);
    a.server.workers = UNLIMITED;
    a.server.service = (struct choice){variant_find(&set_distributions, "two-point"), &params};
    struct law law = found(&a, "service");
    assert_int_equal(law.state, STATE_ANY);
    assert_int_equal(law_percentile(&law, level("97")), 5000000);
    assert_int_equal(law_percentile(&law, level("97.01")), 100000000);
    near(quantile(&law, "50"), 5e6, 0.0);
    near(quantile(&law, "99"), 1e8, 0.0);
    near(law_mean(&law), 7.85e6, 1e-12);
    assert_true(law_atom(&law, 5000000) && law_atom(&law, 100000000));
    assert_false(law_atom(&law, 50000000));
    /* The rare one alone gets 100/10 - 1 samples by the hdr rule: 90, 80, ... 10 ms. */
    law.rule = (struct correction_rule){1, 10000000, 10000000};
    near(law_samples_per_request(&law), 1.0 + 0.03 * 9, 1e-11);
    near(law_mean(&law), (7.85e6 + 0.03 * 450e6) / 1.27, 1e-11);
    assert_true(law_atom(&law, 90000000));
    assert_false(law_atom(&law, 95000000));
    assert_int_equal(law_percentile(&law, level("97")), 90000000); /* 0.03 of 1.27 lie beyond */
    law_free(&law);
}

static void service_timed_from_its_start_ignores_load_and_gates(void **state)
{
    (void)state;
    struct asked a = {0};
    offer_open(&a, &arrivals_poisson, 1000);
    serve_exponential(&a, 10000000); /* far beyond capacity */
    a.q.from = INSTANT_STARTED;
    a.server.stall_count = 1;
    a.stall = (struct stall){&stall_gate, 0, 1000000000, 500000000};
    struct law law = found(&a, "service");
    near(quantile(&law, "99"), 1e7 * log(100.0), 1e-12);
    law_free(&law);
    a.stall.mode = &stall_suspend;
    refused(&a, "Stalls extend");
    a.stall.last_ns = 0; /* a stall of no length is none */
    law = found(&a, "service");
    law_free(&law);
    a.load.timeout_ns = 1;
    refused(&a, "timeout");
}

/* ---- domains ---- */

static void each_law_says_in_words_what_it_does_not_cover(void **state)
{
    (void)state;
    struct asked a = {0};
    offer_open(&a, &arrivals_poisson, 20000000);
    serve_exponential(&a, 10000000);
    a.open.max_in_flight = 4;
    struct law law = found(&a, "mm1"); /* from due a window only moves the wait */
    law_free(&law);
    a.q.from = INSTANT_SENT;
    refused(&a, "window");
    a.q.from = INSTANT_DUE;
    a.server.workers = 2;
    refused(&a, "one worker");
    a.server.workers = 1;
    a.server.queue_limit = 3; /* at most 3 wait while one is served: the window of 4 just fits */
    law = found(&a, "mm1");
    law_free(&law);
    a.server.queue_limit = 2;
    refused(&a, "queue is limited");
    a.server.queue_limit = UNLIMITED;
    a.run.cut_ns = 1;
    refused(&a, "cut");
    a.run.cut_ns = 0;
    a.open.every_ns = 10000000;
    refused(&a, "capacity");
    a.open.every_ns = 20000000;
    serve_exponential(&a, 999);
    refused(&a, "1 us");
    a.server.stall_count = 1;
    a.stall = (struct stall){&stall_suspend, 0, 1000000000, 5000000};
    refused(&a, "stalls");
    struct asked c = {0};
    offer_closed(&c, 4);
    serve_exponential(&c, 10000000);
    c.closed.stagger_ns = 5;
    refused(&c, "start at once");
    c.closed.stagger_ns = 0;
    c.constant.value_ns = 7;
    refused(&c, "think");
    c.constant.value_ns = 0;
    c.closed.clients = 100001;
    refused(&c, "100,000 clients");
}

static void every_law_names_its_formula_domain_source_and_check(void **state)
{
    (void)state;
    assert_true(law_list_count >= 5);
    for (size_t i = 0; i < law_list_count; i++) {
        const struct law_type *t = law_list[i];
        const char *texts[] = {t->is.name, t->is.says, t->formula, t->symbols,
                               t->domain,  t->source,  t->check};
        for (size_t j = 0; j < 7; j++)
            assert_true(texts[j] != NULL && texts[j][0] != '\0');
        assert_true((t->exact != NULL) != (t->distribution != NULL));
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
    near(alone.probability, 0.0, 0.0);
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
        cmocka_unit_test(corrected_shares_are_those_of_every_value_poured_through_the_rule),
        cmocka_unit_test(corrected_exponential_has_the_worked_percentiles),
        cmocka_unit_test(the_correction_shows_a_third_of_what_users_wait),
        cmocka_unit_test(an_interval_of_one_nanosecond_is_no_long_sum),
        cmocka_unit_test(service_takes_any_distribution_with_a_tail),
        cmocka_unit_test(service_timed_from_its_start_ignores_load_and_gates),
        cmocka_unit_test(each_law_says_in_words_what_it_does_not_cover),
        cmocka_unit_test(every_law_names_its_formula_domain_source_and_check),
        cmocka_unit_test(roots_stay_exact_from_idle_to_the_brink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
