/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The laws of a request in several copies or parts. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/laws/order.h"
#include "models/policies/resend.h"
#include "tests/random_question.h"

#define MS 1000000.0

/* A question with a policy and a service of its own. */
struct copied {
    struct asked a;
    struct resend resend;
    struct two_point two_point;
    struct uniform uniform;
    struct pareto pareto;
};

static void serve_two_point(struct copied *c)
{
    c->two_point = (struct two_point){5000000, 100000000, level("3")};
    c->a.server.service = (struct choice){&distribution_two_point.is, &c->two_point};
}

static void ask_copies(struct copied *c, const struct resend_type *type, ns_t after_ns,
                       uint64_t copies)
{
    offer_open(&c->a, &arrivals_poisson, 10000000);
    serve_exponential(&c->a, 10000000);
    c->a.server.workers = UNLIMITED;
    c->a.server.replicas = 2;
    c->resend =
        (struct resend){.after_ns = after_ns, .copies = copies, .cancel = CANCEL_IN_SERVICE};
    c->a.load.idempotent = true;
    c->a.load.resend = (struct choice){&type->is, &c->resend};
}

static void ask_parts(struct copied *c, uint64_t parts)
{
    offer_open(&c->a, &arrivals_poisson, 10000000);
    serve_exponential(&c->a, 10000000);
    c->a.server.workers = UNLIMITED;
    c->a.server.replicas = parts;
    c->a.load.fan_out = parts;
}

static void ask_both(struct copied *c, uint64_t replicas, ns_t every_ns)
{
    ask_copies(c, &resend_hedge, 0, replicas);
    c->a.open.every_ns = every_ns;
    c->a.server.workers = 1;
    c->a.server.replicas = replicas;
    serve_exponential(&c->a, 5000000);
}

/* ---- copies ---- */

static void a_hedge_against_3_percent_stragglers_answers_in_5_17_or_100_ms(void **state)
{
    (void)state;
    struct copied c = {0};
    ask_copies(&c, &resend_hedge, 12000000, 2);
    serve_two_point(&c);
    struct law law = found(&c.a, "copies");
    near(quantile(&law, "50"), 5 * MS, 1e-12);
    near(quantile(&law, "90"), 5 * MS, 1e-12);
    near(quantile(&law, "99"), 17 * MS, 1e-12);
    near(quantile(&law, "99.9"), 17 * MS, 1e-12);
    near(quantile(&law, "99.99"), 100 * MS, 1e-12);
    near(law_tail(&law, 17000000), 0.0009, 1e-12);
    near(law_tail(&law, 5000000), 0.03, 1e-12);
    near(law_mean(&law), (0.97 * 5 + 0.0291 * 17 + 0.0009 * 100) * MS, 1e-12);
    assert_true(law_atom(&law, 17000000));
    assert_false(law_atom(&law, 16000000));
    assert_non_null(strstr(law.distribution.note, "1.03 copies a request"));
    law_free(&law);
}

/* k copies every d: for (m - 1) d <= x < m d the rate is m, so each stretch has a closed form. */
static double stretched_quantile(double mean, double d, uint64_t k, double q)
{
    double wanted = -log(q) * mean, spent = 0.0;
    for (uint64_t m = 1; m < k; m++) {
        if (spent + (double)m * d >= wanted)
            return (double)(m - 1) * d + (wanted - spent) / (double)m;
        spent += (double)m * d;
    }
    return (double)(k - 1) * d + (wanted - spent) / (double)k;
}

static void copies_of_exponential_services_add_their_rates(void **state)
{
    (void)state;
    static const struct {
        ns_t after_ns;
        uint64_t copies;
    } policies[] = {{12000000, 2}, {4000000, 5}, {1000000, 1000}, {1, 1000}, {900000000, 3}};
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        struct copied c = {0};
        ask_copies(&c, &resend_retry, policies[i].after_ns, policies[i].copies);
        struct law law = found(&c.a, "copies");
        double d = (double)policies[i].after_ns;
        const char *percents[] = {"0.001", "50", "90", "99", "99.9", "99.9999999"};
        for (size_t k = 0; k < sizeof percents / sizeof percents[0]; k++) {
            struct ratio p = level(percents[k]);
            double q = (double)(p.den - p.num) / (double)p.den;
            near(law_quantile(&law, p), stretched_quantile(10 * MS, d, policies[i].copies, q),
                 1e-9);
        }
        percentiles_are_first(&law);
        law_free(&law);
    }
}

static void the_means_of_copies_are_those_of_their_closed_forms(void **state)
{
    (void)state;
    struct copied c = {0};
    ask_copies(&c, &resend_hedge, 12000000, 2);
    struct law law = found(&c.a, "copies");
    near(law_mean(&law), 10 * MS * (1.0 - exp(-1.2) / 2.0), 1e-10);
    law_free(&law);
    c.resend = (struct resend){.copies = 3, .cancel = CANCEL_NONE};
    law = found(&c.a, "copies");
    near(law_mean(&law), 10 * MS / 3.0, 1e-10);
    assert_non_null(strstr(law.distribution.note, "3 copies a request"));
    law_free(&law);
    c.pareto = (struct pareto){2000000, {3, 2}};
    c.a.server.service = (struct choice){&distribution_pareto.is, &c.pareto};
    law = found(&c.a, "copies"); /* three at once: a Pareto of three times the shape */
    near(law_mean(&law), 2 * MS * 4.5 / 3.5, 1e-9);
    near(quantile(&law, "99.9"), 2 * MS * pow(1e-3, -1.0 / 4.5), 1e-10);
    law_free(&law);
    c.uniform = (struct uniform){1000000, 5000000};
    c.a.server.service = (struct choice){&distribution_uniform.is, &c.uniform};
    law = found(&c.a, "copies"); /* the least of three: low + width / 4 */
    near(law_mean(&law), 2 * MS, 1e-6);
    law_free(&law);
}

static void copies_have_no_law_outside_its_domain(void **state)
{
    (void)state;
    struct copied c = {0};
    ask_copies(&c, &resend_hedge, 12000000, 2);
    c.a.load.timeout_ns = 1000000;
    refused(&c.a, "timeout");
    c.a.load.timeout_ns = 0;
    c.a.run.cut_ns = 5;
    refused(&c.a, "cut");
    c.a.run.cut_ns = 0;
    c.a.server.stall_count = 1;
    c.a.stall = (struct stall){.mode = &stall_suspend, .every_ns = 10, .last_ns = 1};
    refused(&c.a, "stalls");
    c.a.server.stall_count = 0;
    c.a.load.fan_out = 2;
    refused(&c.a, "Parts that are sent again");
    c.a.load.fan_out = 1;
    c.a.open.max_in_flight = 3;
    refused(&c.a, "from the send");
    c.a.q.from = INSTANT_SENT;
    struct law law = found(&c.a, "copies");
    law_free(&law);
    c.a.q.from = INSTANT_STARTED;
    refused(&c.a, "from the send");
    c.a.q.from = INSTANT_DUE;
    c.a.open.max_in_flight = UNLIMITED;
    c.a.server.workers = 4;
    refused(&c.a, "Copies that queue");
}

/* ---- parts ---- */

static void the_longest_of_n_exponential_parts(void **state)
{
    (void)state;
    static const uint64_t parts[] = {2, 7, 100, 10000, 1000000};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        struct copied c = {0};
        ask_parts(&c, parts[i]);
        struct law law = found(&c.a, "fan-out");
        const char *percents[] = {"0.01", "1", "50", "90", "99", "99.9", "99.9999999"};
        for (size_t k = 0; k < sizeof percents / sizeof percents[0]; k++) {
            struct ratio p = level(percents[k]);
            double q = (double)(p.den - p.num) / (double)p.den;
            double beyond = -expm1(log1p(-q) / (double)parts[i]);
            near(quantile(&law, percents[k]), -log(beyond) * 10 * MS, 1e-9);
        }
        double harmonic = 0.0;
        for (uint64_t k = parts[i]; k >= 1; k--)
            harmonic += 1.0 / (double)k;
        near(law_mean(&law), harmonic * 10 * MS, 1e-10);
        percentiles_are_first(&law);
        law_free(&law);
    }
}

static void a_hundred_parts_of_which_3_percent_straggle(void **state)
{
    (void)state;
    struct copied c = {0};
    ask_parts(&c, 100);
    serve_two_point(&c);
    struct law law = found(&c.a, "fan-out");
    near(law_cdf(&law, 5000000), 0.04755250792540563, 1e-12);
    near(quantile(&law, "50"), 100 * MS, 1e-12);
    assert_non_null(strstr(law.distribution.note, "63.3968 %"));
    law_free(&law);
    near(order_beyond_of_longest(0.5, 100), 1.0 - 0.9930924954370359, 1e-12);
}

static void the_longest_of_a_hundred_independent_mm1_queues(void **state)
{
    (void)state;
    struct asked a = {0};
    offer_open(&a, &arrivals_poisson, 20000000);
    serve_exponential(&a, 10000000);
    struct law law = found(&a, "mm1");
    near(law_quantile_beyond(&law, order_beyond_of_longest(0.5, 100)), 99.50293681171604 * MS,
         1e-9);
    near(law_quantile_beyond(&law, order_beyond_of_longest(0.99, 100)), 184.10739328046313 * MS,
         1e-9);
    law_free(&law);
}

static void parts_that_queue_are_refused_with_the_bound(void **state)
{
    (void)state;
    struct copied c = {0};
    ask_parts(&c, 100);
    c.a.open.every_ns = 20000000;
    c.a.server.workers = 1;
    refused(&c.a, "bounds P(latency <= x) from below: p99 is at most 184.107 ms.");
    c.a.open.every_ns = 5000000;
    refused(&c.a, "bounds");
    c.a.server.workers = UNLIMITED;
    c.a.load.timeout_ns = 7;
    refused(&c.a, "timeout");
}

/* ---- both and cancel ---- */

static void both_replicas_with_the_loser_taken_back_are_one_queue_twice_as_fast(void **state)
{
    (void)state;
    struct copied c = {0};
    ask_both(&c, 2, 0);
    c.a.open.rate_per_s = (struct ratio){140, 1};
    struct law law = found(&c.a, "both-and-cancel");
    near(quantile(&law, "50"), 2.665950694461328 * MS, 1e-9);
    near(quantile(&law, "99"), 17.712193023031116 * MS, 1e-9);
    near(law_mean(&law), 3.846153846153846 * MS, 1e-9);
    assert_int_equal(law.start.state, STATE_SETTLED);
    law_free(&law);
}

/* An M/M/1 queue from empty, by its generator on 0 .. 400, uniformised: how far from stationary it
   is after the law's settling time, in total variation. */
static double distance_after(double rho, double services)
{
    enum { STATES = 400 };
    static const double none = 0.0;
    double now[STATES] = {1.0}, next[STATES], mean[STATES], total = 1.0 + rho, away = none;
    double weight = 0.0;
    int steps = (int)(services * total);
    memset(mean, 0, sizeof mean);
    for (int k = 0; k < steps + 12 * (int)sqrt(steps); k++) {
        double log_poisson = k * log(services * total) - services * total - lgamma((double)k + 1.0);
        weight += exp(log_poisson);
        for (int n = 0; n < STATES; n++)
            mean[n] += exp(log_poisson) * now[n];
        for (int n = 0; n < STATES; n++) {
            double up = n > 0 ? now[n - 1] * rho : 0.0;
            double down = n + 1 < STATES ? now[n + 1] : 0.0;
            double stays = (n == 0 ? now[0] : 0.0) + (n == STATES - 1 ? now[n] * rho : 0.0);
            next[n] = (up + down + stays) / total;
        }
        memcpy(now, next, sizeof now);
    }
    for (int n = 0; n < STATES; n++)
        away += fabs(mean[n] / weight - (1.0 - rho) * pow(rho, n)) / 2.0;
    return away;
}

static void an_empty_start_has_settled_when_the_law_says_so(void **state)
{
    (void)state;
    for (int tenths = 2; tenths <= 8; tenths += 3) {
        struct copied c = {0};
        double rho = tenths / 10.0;
        ask_both(&c, 2, (ns_t)(2500000.0 / rho + 0.5));
        struct law law = found(&c.a, "both-and-cancel");
        double services = (double)law.start.settle_ns / 2500000.0;
        assert_true(distance_after(rho, services) < 1e-12);
        assert_true(distance_after(rho, services / 3.0) > 1e-12);
        law_free(&law);
    }
}

static void where_the_loser_is_served_only_the_mean_is_known(void **state)
{
    (void)state;
    struct copied c = {0};
    ask_both(&c, 2, 0);
    c.a.open.rate_per_s = (struct ratio){140, 1};
    c.resend.cancel = CANCEL_NONE;
    refused(&c.a, "= 9.79166667 ms");
    c.a.open.rate_per_s = (struct ratio){300, 1};
    refused(&c.a, "go on serving");
    c.resend.cancel = CANCEL_QUEUED;
    refused(&c.a, "served to its end");
}

static void other_copies_that_queue_have_no_law(void **state)
{
    (void)state;
    struct copied c = {0};
    ask_both(&c, 2, 8000000);
    struct law law = found(&c.a, "both-and-cancel");
    law_free(&law);
    c.resend.after_ns = 1;
    refused(&c.a, "Copies that queue");
    c.resend.after_ns = 0;
    c.a.server.replicas = 3;
    refused(&c.a, "Copies that queue");
    c.a.server.replicas = 2;
    c.a.open.max_in_flight = 5;
    refused(&c.a, "without a window");
    c.a.open.max_in_flight = UNLIMITED;
    c.a.server.queue_limit = 5;
    refused(&c.a, "queue limit");
    c.a.server.queue_limit = UNLIMITED;
    c.a.load.timeout_ns = 5;
    refused(&c.a, "timeout");
    c.a.load.timeout_ns = 0;
    c.a.open.every_ns = 2500000;
    refused(&c.a, "capacity");
    c.a.open.every_ns = 2500001;
    refused(&c.a, "years to settle");
    c.a.open.every_ns = 2500500;
    law = found(&c.a, "both-and-cancel");
    near(quantile(&law, "99"), log(100.0) * 2500000.0 * 2500500.0 / 500.0, 1e-9);
    law_free(&law);
    serve_constant(&c.a, 5000000);
    refused(&c.a, "exponential service");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hedge_against_3_percent_stragglers_answers_in_5_17_or_100_ms),
        cmocka_unit_test(copies_of_exponential_services_add_their_rates),
        cmocka_unit_test(the_means_of_copies_are_those_of_their_closed_forms),
        cmocka_unit_test(copies_have_no_law_outside_its_domain),
        cmocka_unit_test(the_longest_of_n_exponential_parts),
        cmocka_unit_test(a_hundred_parts_of_which_3_percent_straggle),
        cmocka_unit_test(the_longest_of_a_hundred_independent_mm1_queues),
        cmocka_unit_test(parts_that_queue_are_refused_with_the_bound),
        cmocka_unit_test(both_replicas_with_the_loser_taken_back_are_one_queue_twice_as_fast),
        cmocka_unit_test(an_empty_start_has_settled_when_the_law_says_so),
        cmocka_unit_test(where_the_loser_is_served_only_the_mean_is_known),
        cmocka_unit_test(other_copies_that_queue_have_no_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
