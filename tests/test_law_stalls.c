/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The laws of periodic stalls: against published values, an average over phases, small steps of
   time, and the threshold law of a single stall. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "models/laws/gammas.h"
#include "tests/stalled_question.h"

/* ---- periodic stalls ---- */

static void a_stalled_closed_loop_is_as_published(void **state)
{
    (void)state;
    struct asked a = {0};
    offer_closed(&a, 8);
    serve_exponential(&a, MS);
    stall_periodically(&a, 70 * MS, 200 * MS, 40 * MS, 50);
    struct law law = found(&a, "stalled-closed");
    near(quantile(&law, "50"), 7.8013764362193285e6, 1e-9);
    near(quantile(&law, "90"), 12.96320184694389e6, 1e-9);
    near(quantile(&law, "99"), 51.37977291055395e6, 1e-9);
    near(quantile(&law, "99.9"), 56.17308046516961e6, 1e-9);
    near(law.distribution.mean_ns, 10e6, 1e-14);
    assert_int_equal(law.start.state, STATE_CLIENTS);
    percentiles_are_first(&law);
    mean_is_area(&law);
    law_free(&law);
}

/* Midpoints in U, exact in R: latency > x iff R > the available time in x from phase U. */
static double stalled_by_phases(double n, double mean, double up, double down, double x)
{
    double sum = 0.0;
    enum { PHASES = 20000 };
    for (int i = 0; i < PHASES; i++) {
        double t = up * (i + 0.5) / PHASES, end = t + x, period = up + down;
        double periods = floor(end / period);
        sum += erlang_tail(n, (periods * up + fmin(end - periods * period, up) - t) / mean);
    }
    return sum / PHASES;
}

static void a_stalled_closed_loop_is_the_average_over_phases(void **state)
{
    (void)state;
    static const ns_t shapes[][3] = {/* clients, period, stall in 10 us */
                                     {1, 200, 40},   {8, 50, 45},     {20, 3000, 10},
                                     {3, 1000, 990}, {200, 700, 300}, {1, 2, 1}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct asked a = {0};
        offer_closed(&a, shapes[i][0]);
        serve_exponential(&a, MS);
        stall_periodically(&a, 0, shapes[i][1] * 10000, shapes[i][2] * 10000, 50);
        struct law law = found(&a, "stalled-closed");
        double down = (double)shapes[i][2] * 1e4, up = (double)shapes[i][1] * 1e4 - down;
        for (double x = 0.2; x < 3.0; x += 0.37) {
            double at = x * law.distribution.mean_ns;
            double direct = stalled_by_phases((double)shapes[i][0], 1e6, up, down, at);
            if (direct > 1e-12)
                near(law.distribution.tail(&law.distribution, at), direct, 2e-4);
        }
        tails_fall(&law, 10.0 * law.distribution.mean_ns);
        law_free(&law);
    }
}

static void laws_of_periodic_stalls_need_whole_periods(void **state)
{
    (void)state;
    struct asked a = {0};
    offer_closed(&a, 8);
    serve_exponential(&a, MS);
    stall_periodically(&a, 70 * MS, 200 * MS, 40 * MS, 50);
    a.run.duration_ns += 1;
    refused(&a, "whole number");
    a.q.warmup_ns = 1;
    struct law law = found(&a, "stalled-closed");
    law_free(&law);
    a.run.duration_ns = 0;
    a.run.requests = 1000;
    refused(&a, "count of requests");
    stall_periodically(&a, 170 * MS, 200 * MS, 40 * MS, 50);
    a.q.warmup_ns = 0;
    law = found(&a, "stalled-closed"); /* the stall before the first would have ended after 0 */
    assert_int_equal(law.start.state, STATE_SETTLED);
    assert_int_equal(law.start.settle_ns, 200 * MS);
    law_free(&law);
}

static void a_stalled_open_queue_is_as_published(void **state)
{
    (void)state;
    struct asked a = {0};
    offer_open_rate(&a, &arrivals_poisson, "100");
    serve_exponential(&a, 5 * MS);
    stall_periodically(&a, 0, 5500 * MS, 500 * MS, 10);
    struct law law = found(&a, "stalled-open");
    near(quantile(&law, "50"), 9.43441768410703e6, 1e-8);
    near(quantile(&law, "90"), 245.00000004521746e6, 1e-8);
    near(quantile(&law, "99"), 492.49999999995737e6, 1e-8);
    near(quantile(&law, "99.9"), 528.7513119776349e6, 1e-8);
    assert_int_equal(law.start.state, STATE_SETTLED);
    assert_true(law.start.settle_ns % (5500 * MS) == 0 && law.start.settle_ns < 100000 * MS);
    tails_fall(&law, 1e9);
    mean_is_area(&law);
    law_free(&law);
}

/* The same by small steps of time: Euler's method, refined, from the other end of the problem. */
struct euler {
    double rho, up, down, x, dt;
};

enum { EULER_STATES = 70 };

static double euler_tail(struct euler e)
{
    double p[EULER_STATES] = {1.0}, sum = 0.0;
    double period = e.up + e.down;
    long steps = lround(period / e.dt), cycles = lround(10.0 + 400.0 / period);
    for (long i = 0; i < cycles * steps; i++) {
        double t = (double)(i % steps) * e.dt, mu = t + e.dt / 2 < e.up ? 1.0 : 0.0;
        if (i >= (cycles - 1) * steps) {
            double mid = t + e.dt / 2, end = mid + e.x, periods = floor(end / period);
            double b = periods * e.up + fmin(end - periods * period, e.up) - fmin(mid, e.up);
            double share = 0.0;
            for (int n = 0; n < EULER_STATES; n++)
                share += p[n] * (b <= 0.0 ? 1.0 : erlang_tail(n + 1.0, b));
            sum += share / (double)steps;
        }
        double before = 0.0;
        for (int n = 0; n < EULER_STATES; n++) {
            double here = p[n], above = n + 1 < EULER_STATES ? p[n + 1] : 0.0;
            double out = e.rho + (n > 0 ? mu : 0.0);
            p[n] += e.dt * (e.rho * before + mu * above - out * here);
            before = here;
        }
    }
    return sum;
}

static void a_stalled_open_queue_is_what_small_steps_of_time_come_to(void **state)
{
    (void)state;
    static const struct {
        ns_t every_us, period_us, last_us;
    } shapes[] = {{2500, 10000, 3000}, {4000, 40000, 20000}, {4000, 2500, 1000}};
    for (size_t i = 0; i < 3; i++) {
        struct asked a = {0};
        offer_open(&a, &arrivals_poisson, shapes[i].every_us * 1000);
        serve_exponential(&a, MS);
        stall_periodically(&a, 500000, shapes[i].period_us * 1000, shapes[i].last_us * 1000, 10);
        struct law law = found(&a, "stalled-open");
        double down = (double)shapes[i].last_us / 1e3;
        for (double x = 1.5; x < 20.0; x *= 3.0) {
            struct euler e = {1e3 / (double)shapes[i].every_us,
                              (double)shapes[i].period_us / 1e3 - down, down, x, 0.02};
            double coarse = euler_tail(e);
            e.dt = 0.01;
            double fine = euler_tail(e);
            near(law.distribution.tail(&law.distribution, x * 1e6), 2.0 * fine - coarse, 4e-5);
        }
        law_free(&law);
    }
}

static void a_stalled_open_queue_near_or_beyond_capacity_is_refused_in_words(void **state)
{
    (void)state;
    struct asked a = {0};
    offer_open(&a, &arrivals_poisson, 10 * MS);
    serve_exponential(&a, 5 * MS);
    stall_periodically(&a, 0, 100 * MS, 50 * MS, 10);
    refused(&a, "beyond");
    a.open.every_ns = 10 * MS + 1000;
    refused(&a, "too near");
    a.open.every_ns = 1000 * MS; /* hardly any load */
    struct law law = found(&a, "stalled-open");
    tails_fall(&law, 1e9);
    law_free(&law);
}

static void unlimited_workers_with_stalls_are_a_count_of_phases(void **state)
{
    (void)state;
    struct asked a = {0};
    offer_open(&a, &arrivals_poisson, MS);
    serve_constant(&a, 10 * MS);
    a.server.workers = UNLIMITED;
    stall_periodically(&a, 30 * MS, 200 * MS, 50 * MS, 10);
    struct law law = found(&a, "stalled-unlimited");
    assert_int_equal(law.start.state, STATE_ANY);
    near(quantile(&law, "90"), 50e6, 1e-12);
    near(quantile(&law, "50"), 10e6, 1e-12);
    near(quantile(&law, "99.9"), 60e6, 1e-12); /* a stall in mid-service: one phase in 20 */
    near(law.distribution.tail(&law.distribution, 59.999e6), 0.05, 1e-3);
    assert_true(law_atom(&law, 60 * MS));
    for (double x = 10e6; x < 60e6; x += 1.1e6)
        near(law.distribution.tail(&law.distribution, x), (70e6 - x) / 200e6, 1e-12);
    assert_true(law_atom(&law, 10 * MS));
    law_free(&law);
    /* A service that outlasts the time between two stalls: every phase, one by one. */
    for (ns_t service = 90; service < 800; service += 37) {
        serve_constant(&a, service * 1000);
        stall_periodically(&a, 30000, 200000, 70000, 10);
        law = found(&a, "stalled-unlimited");
        for (double x = 50.5; x < 1500.0; x += 61.0) {
            double above = 0.0;
            for (double u = 0.005; u < 200.0; u += 0.01) {
                double from = fmin(u, 130.0), end = u + x, n = floor(end / 200.0);
                above += n * 130.0 + fmin(end - n * 200.0, 130.0) - from < (double)service;
            }
            assert_true(fabs(law.distribution.tail(&law.distribution, x * 1e3) - above / 20000.0) <
                        2e-4);
        }
        mean_is_area_to(&law, 3e-3); /* it jumps */
        law_free(&law);
    }
}

static void unlimited_workers_with_stalls_serve_any_distribution(void **state)
{
    (void)state;
    struct asked a = {0};
    struct two_point two = {2 * MS, 300 * MS, {1, 10}};
    struct uniform uniform = {5 * MS, 90 * MS};
    struct choice services[] = {{&distribution_two_point.is, &two},
                                {&distribution_uniform.is, &uniform}};
    offer_open(&a, &arrivals_poisson, MS);
    a.server.workers = UNLIMITED;
    stall_periodically(&a, 0, 100 * MS, 30 * MS, 10);
    serve_exponential(&a, 40 * MS);
    struct law law = found(&a, "stalled-unlimited");
    mean_is_area(&law);
    percentiles_are_first(&law);
    law_free(&law);
    for (size_t i = 0; i < 2; i++) {
        a.server.service = services[i];
        law = found(&a, "stalled-unlimited");
        tails_fall(&law, 1e9);
        mean_is_area_to(&law, 3e-3); /* it jumps */
        law_free(&law);
    }
}

/* ---- constant service ---- */

/* One stall of d in T = 120 s: p99 = S + max(0, d - 0.01 T (1 - rho)), to within an interval. */
static void a_stall_moves_p99_once_it_is_longer_than_a_hundredth_of_the_idle_time(void **state)
{
    (void)state;
    static const double loads[] = {0.001, 0.1, 0.27, 0.5, 0.68, 0.9};
    for (size_t i = 0; i < 6; i++) {
        for (ns_t last_ns = 100 * MS; last_ns <= 2000 * MS; last_ns += 100 * MS) {
            struct asked a = {0};
            ns_t service_ns = 500000, every_ns = (ns_t)(500000.0 / loads[i]);
            offer_open(&a, &arrivals_even, every_ns);
            serve_constant(&a, service_ns);
            a.stall =
                (struct stall){.mode = &stall_gate, .first_ns = 30000 * MS, .last_ns = last_ns};
            a.server.stall_count = 1;
            a.run.requests = 0;
            a.run.duration_ns = 120000 * MS;
            struct law law;
            law_find(&a.q, &law);
            assert_int_equal(law.shape, LAW_EXACT);
            u128 count = multiset_total(&law.values, (struct correction_rule){1, 0, 1});
            ns_t p99_ns = (ns_t)multiset_select(&law.values, (struct correction_rule){1, 0, 1},
                                                (count * 99 + 99) / 100);
            double beyond = (double)last_ns - 0.01 * 120e9 * (1.0 - loads[i]);
            double wanted = (double)service_ns + fmax(0.0, beyond);
            assert_true(fabs((double)p99_ns - wanted) <= (double)every_ns);
            law_free(&law);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stalled_closed_loop_is_as_published),
        cmocka_unit_test(a_stalled_closed_loop_is_the_average_over_phases),
        cmocka_unit_test(laws_of_periodic_stalls_need_whole_periods),
        cmocka_unit_test(a_stalled_open_queue_is_as_published),
        cmocka_unit_test(a_stalled_open_queue_is_what_small_steps_of_time_come_to),
        cmocka_unit_test(a_stalled_open_queue_near_or_beyond_capacity_is_refused_in_words),
        cmocka_unit_test(unlimited_workers_with_stalls_are_a_count_of_phases),
        cmocka_unit_test(unlimited_workers_with_stalls_serve_any_distribution),
        cmocka_unit_test(a_stall_moves_p99_once_it_is_longer_than_a_hundredth_of_the_idle_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
