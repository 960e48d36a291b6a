/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The laws of open exponential queues with several workers, a limit, a window, a timeout or
   replicas: against values from elsewhere and against other ways to compute them. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "models/routing/routing.h"
#include "tests/random_question.h"

#define MEAN_NS 1000000000 /* one unit of the worked cases */
#define UNIT 1e9

/* Poisson arrivals at so many a second, exponential services of 1 s. */
static void offer(struct asked *a, const char *per_s, uint64_t workers)
{
    *a = (struct asked){0};
    offer_open_rate(a, &arrivals_poisson, per_s);
    serve_exponential(a, MEAN_NS);
    a->server.workers = workers;
}

static double tail_of(const struct law *law, double x)
{
    return law->distribution.tail(&law->distribution, x * UNIT);
}

/* ---- M/M/c ---- */

static void three_workers_have_the_worked_percentiles(void **state)
{
    (void)state;
    struct asked a;
    offer(&a, "2.4", 3);
    struct law law = found(&a, "mmc");
    near(quantile(&law, "50"), 1.5788071912932793 * UNIT, 1e-11);
    near(quantile(&law, "90"), 4.532353446791062 * UNIT, 1e-11);
    near(quantile(&law, "99"), 8.455477365422936 * UNIT, 1e-11);
    near(quantile(&law, "99.9"), 12.310253158669225 * UNIT, 1e-11);
    near(law_mean(&law), 2.078651685393258 * UNIT, 1e-12);
    assert_int_equal(law.start.state, STATE_SETTLED);
    percentiles_are_first(&law);
    law_free(&law);
}

static void two_workers_at_half_load_have_the_degenerate_percentiles(void **state)
{
    (void)state;
    static const char *const rates[] = {"1", "0.9999999", "1.0000001"};
    for (size_t i = 0; i < 3; i++) {
        struct asked a;
        offer(&a, rates[i], 2);
        struct law law = found(&a, "mmc");
        near(quantile(&law, "50"), 0.974411605189929 * UNIT, i == 0 ? 1e-11 : 2e-7);
        near(quantile(&law, "90"), 2.994878290817414 * UNIT, i == 0 ? 1e-11 : 2e-7);
        near(quantile(&law, "99"), 5.6659606837929966 * UNIT, i == 0 ? 1e-11 : 2e-7);
        near(quantile(&law, "99.9"), 8.227510007644486 * UNIT, i == 0 ? 1e-11 : 2e-7);
        law_free(&law);
    }
}

/* The stationary distribution by its own recursion, and each request's sojourn by the textbook's
   incomplete gamma functions, which are sums of Poisson probabilities here. */
static long double erlang_then_service(unsigned stages, long double workers, long double x)
{
    /* P(Erlang(k, c) + Exp(1) > x) by integrating over the service: Simpson, long double. */
    enum { STEPS = 4000 };
    long double sum = 0.0L, y;
    for (int i = 0; i <= STEPS; i++) {
        long double s = x * (long double)i / STEPS, poisson, within = 0.0L;
        y = workers * (x - s);
        poisson = expl(-y);
        for (unsigned m = 0; m < stages; m++) {
            within += poisson;
            poisson *= y / (long double)(m + 1);
        }
        long double weight = i == 0 || i == STEPS ? 1.0L : (i % 2 == 1 ? 4.0L : 2.0L);
        sum += weight * expl(-s) * within;
    }
    return expl(-x) + sum * x / STEPS / 3.0L;
}

struct present {
    unsigned workers, most; /* c and K */
    long double rate;
};

/* P(T > x) of those that find fewer than K, each beyond `cut` counted as finding cut. */
static long double accepted_tail(struct present p, unsigned cut, long double x)
{
    long double weight = 1.0L, all = 0.0L, beyond = 0.0L;
    for (unsigned n = 0; n < p.most; n++) {
        unsigned seen = n < cut ? n : cut;
        unsigned stages = seen < p.workers ? 0 : seen - p.workers + 1;
        all += weight;
        beyond += weight * erlang_then_service(stages, p.workers, x);
        weight *= p.rate / (long double)(n + 1 < p.workers ? n + 1 : p.workers);
    }
    return beyond / all;
}

static void limited_queues_agree_with_the_birth_and_death_recursion(void **state)
{
    (void)state;
    static const struct {
        const char *rate;
        long double per_s;
        unsigned workers, queue;
    } cases[] = {{"0.8", 0.8L, 1, 4},    {"1", 1.0L, 1, 1},   {"3", 3.0L, 1, 12},
                 {"2.4", 2.4L, 3, 0},    {"2.4", 2.4L, 3, 9}, {"12", 12.0L, 4, 20},
                 {"0.01", 0.01L, 2, 30}, {"4", 4.0L, 4, 7},   {"46", 46.0L, 50, 25},
                 {"0.97", 0.97L, 1, 60}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct asked a;
        offer(&a, cases[i].rate, cases[i].workers);
        a.server.queue_limit = cases[i].queue;
        struct law law = found(&a, "mmck");
        struct present p = {cases[i].workers, cases[i].workers + cases[i].queue, cases[i].per_s};
        for (double x = 0.1; x < 12.0; x *= 2.5)
            near(tail_of(&law, x), (double)accepted_tail(p, p.most, (long double)x), 1e-9);
        near(tail_of(&law, 0.0), 1.0, 0.0);
        percentiles_are_first(&law);
        law_free(&law);
    }
}

static void one_place_to_wait_at_capacity_refuses_a_third(void **state)
{
    (void)state;
    struct asked a;
    offer(&a, "1", 1);
    a.server.queue_limit = 1;
    struct law law = found(&a, "mmck");
    for (double x = 1e-9; x < 30.0; x *= 1.5) {
        near(tail_of(&law, x), exp(-x) * (1.0 + x / 2.0), 1e-14);
        near(1.0 - tail_of(&law, x), -expm1(-x) - x / 2.0 * exp(-x), 1e-6);
    }
    near(law_mean(&law), 1.5 * UNIT, 1e-15);
    assert_non_null(strstr(law.distribution.note, "33.3333333 % are refused"));
    law_free(&law);
    a.q.failures = FAILURES_END;
    refused(&a, "refused ones too");
    a.q.failures = FAILURES_DROPPED;
    a.open.max_in_flight = 5;
    refused(&a, "window");
}

/* Half of a long queue beyond capacity, everybody waits for about all of it: Erlang(K), nearly. */
static void a_long_limited_queue_far_beyond_capacity_is_full(void **state)
{
    (void)state;
    struct asked a;
    offer(&a, "1000", 1);
    a.server.queue_limit = 999999;
    struct law law = found(&a, "mmck");
    near(law_mean(&law), (1e6 - 1.0 / 999.0) * UNIT, 1e-12);
    near(quantile(&law, "50"), 1e6 * UNIT, 1e-5);
    assert_non_null(strstr(law.distribution.note, "99.9 % are refused"));
    law_free(&law);
}

/* ---- windows ---- */

static void a_window_of_four_has_the_worked_percentiles_from_send(void **state)
{
    (void)state;
    struct asked a;
    offer(&a, "0.8", 1);
    a.open.max_in_flight = 4;
    a.q.from = INSTANT_SENT;
    struct law law = found(&a, "window");
    near(quantile(&law, "50"), 2.6043762798892933 * UNIT, 1e-11);
    near(quantile(&law, "90"), 5.801224712461312 * UNIT, 1e-11);
    near(quantile(&law, "99"), 9.24028173776945 * UNIT, 1e-11);
    near(quantile(&law, "99.9"), 12.290370889231673 * UNIT, 1e-11);
    assert_int_equal(law.start.state, STATE_RESIDUALS);
    percentiles_are_first(&law);
    law_free(&law);
}

static void a_window_before_several_workers_cuts_what_an_arrival_sees(void **state)
{
    (void)state;
    struct asked a;
    offer(&a, "2.4", 3);
    a.open.max_in_flight = 7;
    a.q.from = INSTANT_ACQUIRED;
    struct law law = found(&a, "window");
    struct present p = {3, 250, 2.4L};
    for (double x = 0.1; x < 12.0; x *= 2.5)
        near(tail_of(&law, x), (double)accepted_tail(p, 6, (long double)x), 1e-9);
    law_free(&law);
}

static void the_send_lag_behind_a_window_has_an_atom_and_an_exponential(void **state)
{
    (void)state;
    struct asked a;
    offer(&a, "0.8", 1);
    a.open.max_in_flight = 4;
    a.q.to = INSTANT_SENT;
    struct law law = found(&a, "send-lag");
    near(1.0 - tail_of(&law, 0.0), 0.5904, 1e-14);
    assert_true(law_atom(&law, 0));
    assert_int_equal(law_percentile(&law, level("59")), 0);
    near(quantile(&law, "99"), 5.0 * log(40.96) * UNIT, 1e-12);
    near(law_mean(&law), 0.4096 * 5.0 * UNIT, 1e-12);
    law_free(&law);
    /* The parts add up in the mean: from due = send lag + from send. */
    a.open.max_in_flight = 5;
    offer(&a, "2.4", 3);
    a.open.max_in_flight = 5;
    struct law due = found(&a, "mmc");
    a.q.to = INSTANT_SENT;
    struct law lag = found(&a, "send-lag");
    a.q.to = INSTANT_FINISHED;
    a.q.from = INSTANT_SENT;
    struct law sent = found(&a, "window");
    near(law_mean(&lag) + law_mean(&sent), law_mean(&due), 1e-12);
    law_free(&due);
    law_free(&lag);
    law_free(&sent);
}

static void a_window_narrower_than_the_workers_is_their_number(void **state)
{
    (void)state;
    struct asked narrow, few;
    offer(&narrow, "2.4", UNLIMITED);
    narrow.open.max_in_flight = 3;
    offer(&few, "2.4", 3);
    struct law law = found(&narrow, "mmc"), same = found(&few, "mmc");
    near(quantile(&law, "99"), quantile(&same, "99"), 0.0);
    law_free(&law);
    law_free(&same);
    narrow.q.to = INSTANT_SENT;
    law = found(&narrow, "send-lag");
    near(tail_of(&law, 0.0), 0.6471910112359551, 1e-13); /* C(3, 2.4) */
    law_free(&law);
}

/* ---- timeouts and replicas ---- */

static void a_timeout_leaves_the_law_of_those_within_it(void **state)
{
    (void)state;
    struct asked a;
    offer(&a, "0.8", 1);
    a.load.timeout_ns = 12 * (ns_t)MEAN_NS;
    struct law law = found(&a, "mm1-timeout");
    near(quantile(&law, "50"), 3.0315551420299793 * UNIT, 1e-9);
    near(quantile(&law, "99"), 11.522395740095735 * UNIT, 1e-9);
    assert_non_null(strstr(law.distribution.note, "9.07179533 % are given up"));
    near(law_tail(&law, a.load.timeout_ns), 0.0, 0.0);
    assert_true(law_tail(&law, a.load.timeout_ns - 1) > 0.0);
    assert_int_equal(law.start.state, STATE_RESIDUALS);
    double decay = 0.2, cut = 12.0, given_up = exp(-decay * cut);
    near(law_mean(&law), (1.0 / decay - cut * given_up / (1.0 - given_up)) * UNIT, 1e-9);
    law_free(&law);
    a.q.failures = FAILURES_INFINITE;
    refused(&a, "infinite");
    a.open.max_in_flight = 3;
    refused(&a, "slot");
}

static void those_given_up_count_at_their_timeout_or_at_their_end(void **state)
{
    (void)state;
    struct asked a;
    offer(&a, "0.8", 1);
    a.load.timeout_ns = 12 * (ns_t)MEAN_NS;
    a.q.failures = FAILURES_TIMEOUT;
    struct law law = found(&a, "mm1-timeout");
    near(quantile(&law, "50"), 5.0 * log(2.0) * UNIT, 1e-11);
    near(quantile(&law, "99"), 12.0 * UNIT, 0.0);
    assert_true(law_atom(&law, a.load.timeout_ns));
    near(law_tail(&law, a.load.timeout_ns - 1), exp(-2.4), 1e-9);
    near(law_mean(&law), 5.0 * (1.0 - exp(-2.4)) * UNIT, 1e-12);
    law_free(&law);
    a.q.failures = FAILURES_END;
    law = found(&a, "mm1-timeout");
    near(quantile(&law, "99"), 5.0 * log(100.0) * UNIT, 1e-11);
    near(law_mean(&law), 5.0 * UNIT, 1e-12);
    law_free(&law);
}

static void a_very_short_timeout_leaves_uniform_answers(void **state)
{
    (void)state;
    struct asked a;
    offer(&a, "0.8", 1);
    a.load.timeout_ns = 1000;
    struct law law = found(&a, "mm1-timeout");
    near(law_mean(&law), 500.25, 1e-6);
    near(law.distribution.tail(&law.distribution, 250.125), 0.75, 1e-6);
    law_free(&law);
}

static void one_random_replica_of_two_has_the_worked_percentiles(void **state)
{
    (void)state;
    struct asked a = {0};
    offer_open_rate(&a, &arrivals_poisson, "140");
    serve_exponential(&a, 5000000);
    a.server.replicas = 2;
    a.server.routing = (struct choice){&routing_random.is, NULL};
    struct law law = found(&a, "mm1");
    near(quantile(&law, "50"), 5.331901388922656e6, 1e-12);
    near(quantile(&law, "99"), 35.42438604606223e6, 1e-12);
    law_free(&law);
    a.server.routing.type = &routing_round_robin.is;
    refused(&a, "random replica");
}

/* ---- how long several workers take to settle ---- */

static void workers_settle_in_the_time_stated(void **state)
{
    (void)state;
    static const struct {
        const char *rate;
        long double per_s;
        unsigned workers;
        uint64_t queue;
    } cases[] = {{"2.4", 2.4L, 3, UNLIMITED},  {"1", 1.0L, 2, UNLIMITED},
                 {"0.2", 0.2L, 10, UNLIMITED}, {"7", 7.0L, 8, UNLIMITED},
                 {"2.4", 2.4L, 3, 5},          {"1", 1.0L, 1, 6},
                 {"5", 5.0L, 2, 20},           {"6", 6.0L, 6, 0}};
    enum { SIZE = 400 };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct asked a;
        offer(&a, cases[i].rate, cases[i].workers);
        a.server.queue_limit = cases[i].queue;
        struct law law = found(&a, cases[i].queue == UNLIMITED ? "mmc" : "mmck");
        unsigned most =
            cases[i].queue == UNLIMITED ? SIZE - 1 : cases[i].workers + (unsigned)cases[i].queue;
        long double lambda = cases[i].per_s, all = 0.0L, weight = 1.0L;
        long double p[SIZE + 1] = {1.0L}, pi[SIZE] = {0}, dt = 1.0L / (lambda + cases[i].workers);
        for (unsigned n = 0; n <= most; n++) {
            pi[n] = weight;
            all += weight;
            weight *= lambda / (long double)(n + 1 < cases[i].workers ? n + 1 : cases[i].workers);
        }
        for (long double t = 0.0L; t < (long double)law.start.settle_ns / 1e9L; t += dt) {
            long double flow = 0.0L; /* of the cut below n, upwards */
            for (unsigned n = 0; n <= most; n++) {
                long double busy = n + 1 < cases[i].workers ? n + 1 : cases[i].workers;
                long double above = n < most ? lambda * p[n] - busy * p[n + 1] : 0.0L;
                p[n] += dt * (flow - above);
                flow = above;
            }
        }
        long double off = 0.0L;
        for (unsigned n = 0; n <= most; n++)
            off += fabsl(p[n] - pi[n] / all) / 2.0L;
        assert_true(off < 1e-12L);
        law_free(&law);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_workers_have_the_worked_percentiles),
        cmocka_unit_test(two_workers_at_half_load_have_the_degenerate_percentiles),
        cmocka_unit_test(limited_queues_agree_with_the_birth_and_death_recursion),
        cmocka_unit_test(one_place_to_wait_at_capacity_refuses_a_third),
        cmocka_unit_test(a_long_limited_queue_far_beyond_capacity_is_full),
        cmocka_unit_test(a_window_of_four_has_the_worked_percentiles_from_send),
        cmocka_unit_test(a_window_before_several_workers_cuts_what_an_arrival_sees),
        cmocka_unit_test(the_send_lag_behind_a_window_has_an_atom_and_an_exponential),
        cmocka_unit_test(a_window_narrower_than_the_workers_is_their_number),
        cmocka_unit_test(a_timeout_leaves_the_law_of_those_within_it),
        cmocka_unit_test(those_given_up_count_at_their_timeout_or_at_their_end),
        cmocka_unit_test(a_very_short_timeout_leaves_uniform_answers),
        cmocka_unit_test(one_random_replica_of_two_has_the_worked_percentiles),
        cmocka_unit_test(workers_settle_in_the_time_stated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
