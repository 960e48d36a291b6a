/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The laws of random stalls: against published values, sums over the stalls and small steps of
 * time.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "models/laws/gammas.h"
#include "tests/stalled_question.h"

/* ---- random stalls ---- */

static void an_open_queue_with_breakdowns_is_as_published(void **state)
{
    (void)state;
    struct stalled s = {0};
    offer_open(&s.a, &arrivals_poisson, 2 * MS);
    serve_exponential(&s.a, MS);
    stall_randomly(&s, 50 * MS, 10 * MS);
    struct law law = found(&s.a, "updown-open");
    near(quantile(&law, "50"), 2.652727471018778e6, 1e-11);
    near(quantile(&law, "90"), 20.58631553297608e6, 1e-11);
    near(quantile(&law, "99"), 52.06481518883078e6, 1e-11);
    near(quantile(&law, "99.9"), 83.5442840992104e6, 1e-11);
    near(law.distribution.mean_ns, 43.0 / 6.0 * 1e6, 1e-13);
    assert_int_equal(law.start.state, STATE_SETTLED);
    near(law.distribution.tail(&law.distribution, 1e-9), 1.0, 1e-12);
    mean_is_area(&law);
    law_free(&law);
    s.a.open.every_ns = MS * 6 / 5; /* exactly what the time up can do */
    refused(&s.a, "capacity");
}

/* Empty and up at time 0, followed step by step: how far from stationary after the settling time.
   N's stationary law from that of T: E z^N = E e^(lambda (z-1) T). */
static void an_open_queue_with_breakdowns_has_settled_when_it_says_so(void **state)
{
    (void)state;
    enum { STATES = 400 };
    static double up[STATES], down[STATES], next_up[STATES], next_down[STATES];
    struct stalled s = {0};
    offer_open(&s.a, &arrivals_poisson, 2 * MS);
    serve_exponential(&s.a, MS);
    stall_randomly(&s, 50 * MS, 10 * MS);
    struct law law = found(&s.a, "updown-open");
    double clock = 0.5 + 1.0 + 0.1, lambda = 0.5 / clock, mu = 1.0 / clock;
    double alpha = 0.02 / clock, beta = 0.1 / clock;
    long events = (long)((double)law.start.settle_ns / 1e6 * clock);
    up[0] = 1.0;
    for (long i = 0; i < events; i++) {
        for (int n = 0; n < STATES; n++) {
            double arrived_up = n > 0 ? up[n - 1] : 0.0, arrived_down = n > 0 ? down[n - 1] : 0.0;
            double served = n + 1 < STATES ? up[n + 1] : 0.0;
            double leave_up = (n + 1 < STATES ? lambda : 0.0) + (n > 0 ? mu : 0.0) + alpha;
            double leave_down = (n + 1 < STATES ? lambda : 0.0) + beta;
            next_up[n] =
                up[n] * (1.0 - leave_up) + lambda * arrived_up + mu * served + beta * down[n];
            next_down[n] = down[n] * (1.0 - leave_down) + lambda * arrived_down + alpha * up[n];
        }
        for (int n = 0; n < STATES; n++) {
            up[n] = next_up[n];
            down[n] = next_down[n];
        }
    }
    double tail = 0.0;
    for (int n = 0; n < STATES; n++) /* P(N >= 5) */
        tail += n >= 5 ? up[n] + down[n] : 0.0;
    double expected = 0.0;
    for (int i = 0; i < 2; i++) {
        double rate = law.distribution.parameters[i], weight = law.distribution.parameters[2 + i];
        expected += weight * pow(0.5e-6 / (0.5e-6 + rate), 5.0);
    }
    near(tail, expected, 1e-9);
    law_free(&law);
}

/* The sum over k stalls, each term a convolution by midpoints. */
static double updown_by_stalls(double n, double alpha, double beta, double x)
{
    double sum = 0.0, chance = pow(1.0 / (1.0 + alpha), n);
    enum { STEPS = 1500 };
    for (double k = 0.0; k < 200.0 && chance > 1e-12; k += 1.0) {
        double beyond = erlang_tail(k + n, (1.0 + alpha) * x);
        for (int i = 0; k > 0.0 && i < STEPS; i++) {
            double t =
                x * (i + 0.5) / STEPS; /* of service; the rest of x is less than the stalls */
            beyond += x / STEPS * (1.0 + alpha) * poisson_weight(k + n - 1.0, (1.0 + alpha) * t) *
                      erlang_tail(k, beta * (x - t));
        }
        sum += chance * beyond;
        chance *= (n + k) / (k + 1.0) * alpha / (1.0 + alpha);
    }
    return sum;
}

static void a_closed_loop_with_breakdowns_is_the_sum_over_its_stalls(void **state)
{
    (void)state;
    static const uint64_t clients[] = {1, 2, 8, 40};
    for (size_t i = 0; i < 4; i++) {
        struct stalled s = {0};
        offer_closed(&s.a, clients[i]);
        serve_exponential(&s.a, MS);
        stall_randomly(&s, 50 * MS, 10 * MS);
        struct law law = found(&s.a, "updown-closed");
        assert_int_equal(law.start.state, STATE_CLIENTS);
        for (double x = 0.3; x < 4.0; x += 0.6) {
            double at = x * 1.2 * (double)clients[i];
            near(law.distribution.tail(&law.distribution, at * 1e6),
                 updown_by_stalls((double)clients[i], 0.02, 0.1, at), 1e-4);
        }
        tails_fall(&law, 10.0 * law.distribution.mean_ns);
        mean_is_area(&law);
        law_free(&law);
    }
}

static void one_client_with_breakdowns_is_two_exponentials(void **state)
{
    (void)state;
    struct stalled s = {0};
    offer_closed(&s.a, 1);
    serve_exponential(&s.a, MS);
    stall_randomly(&s, 70 * MS, 3 * MS);
    struct law law = found(&s.a, "updown-closed");
    double alpha = 1.0 / 70.0, beta = 1.0 / 3.0, b = 1.0 + alpha + beta;
    double apart = sqrt(b * b - 4.0 * beta), r1 = (b - apart) / 2.0, r2 = (b + apart) / 2.0;
    for (double x = 0.1; x < 60.0; x *= 1.5)
        near(law.distribution.tail(&law.distribution, x * 1e6),
             (beta - r1) / (r1 * apart) * exp(-r1 * x) + (r2 - beta) / (r2 * apart) * exp(-r2 * x),
             1e-11);
    law_free(&law);
}

static void closed_loops_with_breakdowns_bear_many_clients(void **state)
{
    (void)state;
    struct stalled s = {0};
    offer_closed(&s.a, 10000);
    serve_exponential(&s.a, MS);
    stall_randomly(&s, 50 * MS, 10 * MS);
    struct law law = found(&s.a, "updown-closed");
    /* Nearly normal (Cornish and Fisher): a completion's cumulants are 1.2, 5.44 and 137.856. */
    double z = 2.3263478740, third = (z * z - 1.0) / 6.0 * 137.856 / 5.44;
    near(quantile(&law, "99"), 1e6 * (12000.0 + z * sqrt(10000.0 * 5.44) + third), 1e-5);
    law_free(&law);
    stall_randomly(&s, 50 * MS, UINT64_C(1000000000000000));
    refused(&s.a, "too long beside");
}

static void beyond_their_domain_there_is_no_law(void **state)
{
    (void)state;
    struct stalled s = {0};
    offer_closed(&s.a, 8);
    serve_exponential(&s.a, MS);
    stall_randomly(&s, 50 * MS, 10 * MS);
    s.a.stall.mode = &stall_gate;
    refused(&s.a, "suspend");
    s.a.stall.mode = &stall_suspend;
    s.a.server.replicas = 2;
    refused(&s.a, "replicas");
    s.a.server.replicas = 1;
    s.a.load.fan_out = 2;
    refused(&s.a, "parts");
    s.a.load.fan_out = 1;
    s.a.load.timeout_ns = 1;
    refused(&s.a, "timeout");
    s.a.load.timeout_ns = 0;
    s.a.run.cut_ns = 1;
    refused(&s.a, "cut");
    s.a.run.cut_ns = 0;
    s.a.server.queue_limit = 3;
    refused(&s.a, "queue");
    s.a.server.queue_limit = UNLIMITED;
    s.up.mean_ns = 999;
    refused(&s.a, "1 us");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_open_queue_with_breakdowns_is_as_published),
        cmocka_unit_test(an_open_queue_with_breakdowns_has_settled_when_it_says_so),
        cmocka_unit_test(a_closed_loop_with_breakdowns_is_the_sum_over_its_stalls),
        cmocka_unit_test(one_client_with_breakdowns_is_two_exponentials),
        cmocka_unit_test(closed_loops_with_breakdowns_bear_many_clients),
        cmocka_unit_test(beyond_their_domain_there_is_no_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
