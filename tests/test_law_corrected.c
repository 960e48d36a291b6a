/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a correction makes of a law, against every value poured through the rule one by one, and
   against closed forms. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "tests/random_question.h"

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

static void corrected_is_poured(struct law *law, struct correction_rule rule, ns_t x_ns,
                                ns_t last_ns)
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
    struct correction_rule rules[] = {{1, 700, 700},   {1, 700, 1}, {1000, 2, 3},
                                      {1, 3001, 3001}, {1, 50, 50}, {1000, 1, 2}};
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
                 {1.25, 0.8153671567320302, 2.531268709966994, 4.8338538029610385,
                  7.136438895955084, 1.1289703389455987, 1.1150463216328228}};
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
    assert_int_equal(sent.start.state, STATE_IDLE);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corrected_shares_are_those_of_every_value_poured_through_the_rule),
        cmocka_unit_test(corrected_exponential_has_the_worked_percentiles),
        cmocka_unit_test(the_correction_shows_a_third_of_what_users_wait),
        cmocka_unit_test(an_interval_of_one_nanosecond_is_no_long_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
