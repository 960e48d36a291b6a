/* SPDX-License-Identifier: GPL-3.0-or-later */

/* M/M/1 in other orders, against moments that are known in closed form and a run of the queue. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/queues/queue.h"
#include "tests/random_question.h"

#define MS NS_PER_MS

static struct law law_of(struct asked *a, const struct queue_type *order, ns_t every_ns)
{
    *a = (struct asked){0};
    offer_open(a, &arrivals_poisson, every_ns);
    serve_exponential(a, 10 * MS);
    a->server.queue = (struct choice){&order->is, NULL};
    a->run.requests = 0; /* it never ends */
    return found(a, "mm1-order");
}

/* E T^2 from the tail: with s(k) the shares of the table, in units of the mean service, by summing
   the moments of the time of k events. */
static void moments_of(const struct law *law, double rho, double *first, double *second)
{
    double events = 1.0 + rho;
    *first = *second = 0.0;
    for (size_t k = 0; k < law->distribution.table_count; k++) {
        *first += law->distribution.table[k] / events;
        *second += 2.0 * (double)(k + 1) * law->distribution.table[k] / (events * events);
    }
}

/* Var T = (2 + rho) / ((2 - rho) (1 - rho)^2) shared; E W^2 = 2 rho / (1 - rho)^2, times 2/(2 -
   rho) in random order and 1/(1 - rho) latest first (Takacs 1963; Coffman, Muntz, Trotter 1970). */
static void the_first_two_moments_are_the_known_ones(void **state)
{
    (void)state;
    static const ns_t every[] = {100 * MS, 20 * MS, 12500000, 11111111};
    for (size_t i = 0; i < 4; i++) {
        double rho = 1e7 / (double)every[i], spare = 1.0 - rho, first, second;
        double fifo = 2.0 * rho / (spare * spare);
        struct asked a;
        struct law law = law_of(&a, &queue_processor_sharing, every[i]);
        moments_of(&law, rho, &first, &second);
        near(first, 1.0 / spare, 1e-10);
        near(second - first * first, (2.0 + rho) / ((2.0 - rho) * spare * spare), 1e-9);
        law_free(&law);
        law = law_of(&a, &queue_random, every[i]);
        moments_of(&law, rho, &first, &second);
        near(first, 1.0 / spare, 1e-10);
        /* T = W + S, independent: E T^2 = E W^2 + 2 E W + 2. */
        near(second, fifo * 2.0 / (2.0 - rho) + 2.0 * rho / spare + 2.0, 1e-9);
        law_free(&law);
        law = law_of(&a, &queue_lifo, every[i]);
        moments_of(&law, rho, &first, &second);
        near(first, 1.0 / spare, 1e-10);
        near(second, fifo / spare + 2.0 * rho / spare + 2.0, 1e-9);
        law_free(&law);
    }
}

/* Latest first, rho = 1/2: P(W > x) is rho times the tail of a busy period, whose density is
   exp(-(lambda + mu) x) I1(2 x sqrt(lambda mu)) / (x sqrt(rho)): integrated here with its wait. */
static double busy_density(double x, double rho)
{
    double z = 2.0 * x * sqrt(rho), term = z / 2.0, sum = 0.0;
    for (int k = 0; k < 400; k++) {
        sum += term;
        term *= z * z / 4.0 / ((k + 1.0) * (k + 2.0));
    }
    return exp(-(1.0 + rho) * x) * sum / (x * sqrt(rho));
}

static void latest_first_waits_for_a_busy_period(void **state)
{
    (void)state;
    struct asked a;
    struct law law = law_of(&a, &queue_lifo, 20 * MS);
    for (double x = 1.0; x < 20.0; x += 3.7) {
        /* P(T <= x) = (1 - rho) P(S <= x) + rho int_0^x b(u) P(S <= x - u) du, by Simpson's rule */
        enum { PARTS = 4000 };
        double sum = 0.0, h = x / PARTS;
        for (int i = 0; i <= PARTS; i++) {
            double u = h * i, weight = i == 0 || i == PARTS ? 1.0 : i % 2 == 1 ? 4.0 : 2.0;
            sum += weight * (i == 0 ? 1.0 : busy_density(u, 0.5)) * -expm1(u - x);
        }
        double wanted = 0.5 * -expm1(-x) + 0.5 * sum * h / 3.0;
        near(1.0 - law.distribution.tail(&law.distribution, x * 1e7), wanted, 1e-8);
    }
    law_free(&law);
}

/* ---- the end of a run, by the equations of the chain, integrated step by step ---- */

enum { OTHERS = 40, AFTER = 120, STEPS = 1500 };

/* P(still there), by how many others could go before it; the last: its own service has begun. */
struct there {
    double p[OTHERS + 2];
};

struct system {
    double arrivals, services; /* rates, a ms */
    const struct queue_type *order;
    bool one_fewer; /* there[j] has j arrivals behind it; else [0] has none, [1] has them all, and
                       [2] is the time for which it is there with the run's end in it */
    size_t count;
    struct there *there;
};

static double rate_of(const struct system *s, const struct there *t, const struct there *next,
                      bool joins, size_t n)
{
    size_t up = joins && n < OTHERS ? n + 1 : n;
    double keeps = s->order == &queue_lifo ? (n > 0 ? 1.0 : 0.0) : (double)n / (double)(n + 1);
    double own = s->order->shares ? 0.0 : t->p[OTHERS + 1];
    double served = (n > 0 ? keeps * t->p[n - 1] : 0.0) + (1.0 - keeps) * own;
    return s->arrivals * (next->p[up] - t->p[n]) + s->services * (served - t->p[n]);
}

static void rates(const struct system *s, const struct there *there, struct there *out)
{
    for (size_t j = 0; j < s->count; j++) {
        bool joins = j > 0;
        const struct there *next = s->one_fewer && joins ? &there[j - 1] : &there[j];
        for (size_t n = 0; n <= OTHERS; n++) {
            out[j].p[n] = rate_of(s, &there[j], next, joins, n);
            if (!s->one_fewer && j == 2)
                out[j].p[n] += there[0].p[n];
        }
        out[j].p[OTHERS + 1] = -s->services * there[j].p[OTHERS + 1];
        if (!s->one_fewer && j == 2)
            out[j].p[OTHERS + 1] += there[0].p[OTHERS + 1];
    }
}

/* From x = 0 to the end, by Runge and Kutta's fourth order. */
static void integrate(struct system *s, double end)
{
    static const double at[] = {0.0, 0.5, 0.5, 1.0}, weight[] = {1.0, 2.0, 2.0, 1.0};
    double h = end / STEPS;
    struct there *slope = calloc(s->count, sizeof *slope), *from = calloc(s->count, sizeof *from);
    struct there *sum = calloc(s->count, sizeof *sum);
    for (size_t step = 0; step < STEPS; step++) {
        memset(sum, 0, s->count * sizeof *sum);
        for (size_t stage = 0; stage < 4; stage++) {
            for (size_t j = 0; j < s->count; j++)
                for (size_t n = 0; n < OTHERS + 2; n++)
                    from[j].p[n] = s->there[j].p[n] + h * at[stage] * slope[j].p[n];
            rates(s, from, slope);
            for (size_t j = 0; j < s->count; j++)
                for (size_t n = 0; n < OTHERS + 2; n++)
                    sum[j].p[n] += weight[stage] * slope[j].p[n] * h / 6.0;
        }
        for (size_t j = 0; j < s->count; j++)
            for (size_t n = 0; n < OTHERS + 2; n++)
                s->there[j].p[n] += sum[j].p[n];
        memset(slope, 0, s->count * sizeof *slope);
    }
    free(slope);
    free(from);
    free(sum);
}

/* Seen by an arrival at a stationary server. */
static double seen(const struct system *s, const struct there *t)
{
    double rho = s->arrivals / s->services, sum = 0.0, share = 1.0 - rho;
    for (size_t n = 0; n <= OTHERS; n++, share *= rho)
        sum += share * t->p[s->order == &queue_lifo ? 0 : n];
    return s->order->shares ? sum : (1.0 - rho) * t->p[OTHERS + 1] + rho * sum;
}

/* The mean over the requests of a run of P(T > x): the last AFTER of them one by one, those before
   see what they do in a run without an end; or, of a run of `length` ms, those of its last x
   in one integral. */
static double of_run(const struct queue_type *order, bool counted, double x, double length)
{
    struct system s = {0.03, 0.1, order, counted, counted ? AFTER : 3, NULL};
    double sum = 0.0;
    s.there = calloc(s.count, sizeof *s.there);
    for (size_t j = 0; j < s.count && (counted || j < 2); j++)
        for (size_t n = 0; n < OTHERS + 2; n++)
            s.there[j].p[n] = 1.0;
    integrate(&s, x);
    if (counted)
        for (size_t j = 0; j < AFTER; j++)
            sum += seen(&s, &s.there[j]) / AFTER;
    else
        sum = ((length - x) * seen(&s, &s.there[1]) + seen(&s, &s.there[2])) / length;
    free(s.there);
    return sum;
}

static void the_last_requests_of_a_run_have_fewer_behind_them(void **state)
{
    (void)state;
    static const struct queue_type *const orders[] = {&queue_lifo, &queue_random,
                                                      &queue_processor_sharing};
    for (size_t i = 0; i < 6; i++) {
        struct asked a;
        double length = 3500.0, x[] = {7.0, 25.0, 60.0, 110.0};
        struct law endless = law_of(&a, orders[i / 2], 20 * MS);
        law_free(&endless);
        a.open.every_ns = 0;
        assert_true(ratio_parse("30", 2, &a.open.rate_per_s));
        endless = found(&a, "mm1-order");
        a.run.requests = i % 2 == 0 ? AFTER : 0;
        a.run.duration_ns = i % 2 == 0 ? 0 : 3700 * MS;
        a.q.warmup_ns = i % 2 == 0 ? 0 : 200 * MS;
        struct law law = found(&a, "mm1-order");
        for (size_t k = 0; k < 4; k++) {
            const struct law_distribution *d = &law.distribution, *e = &endless.distribution;
            double wanted = of_run(orders[i / 2], i % 2 == 0, x[k], length);
            near(d->tail(d, x[k] * MS), wanted, 1e-8);
            assert_true(k == 0 || e->tail(e, x[k] * MS) > wanted * (1.0 + 1e-5));
        }
        assert_true(law_mean(&law) < law_mean(&endless));
        law_free(&law);
        law_free(&endless);
    }
}

static void a_run_that_is_too_short_has_no_law(void **state)
{
    (void)state;
    struct asked a;
    struct law law = law_of(&a, &queue_processor_sharing, 20 * MS);
    law_free(&law);
    a.run.requests = 30;
    refused(&a, "at least");
    a.run.requests = 3000;
    a.run.duration_ns = 1;
    refused(&a, "whichever comes first");
    a.run.requests = 0;
    refused(&a, "at least");
    a.q.warmup_ns = 1;
    refused(&a, "Nothing is sent");
}

static void percentiles_and_domain(void **state)
{
    (void)state;
    struct asked a;
    struct law law = law_of(&a, &queue_processor_sharing, 20 * MS);
    percentiles_are_first(&law);
    near(law_mean(&law), 2e7, 1e-12);
    assert_int_equal(law.start.state, STATE_RESIDUALS);
    law_free(&law);
    law = law_of(&a, &queue_random, 20 * MS);
    law_free(&law);
    a.open.every_ns = 10 * MS + 1;
    refused(&a, "too long to");
    a.open.every_ns = 20 * MS;
    a.open.max_in_flight = 3;
    refused(&a, "window");
    a.open.max_in_flight = UNLIMITED;
    a.server.queue.type = &queue_shortest.is;
    refused(&a, "first come, first served");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_two_moments_are_the_known_ones),
        cmocka_unit_test(latest_first_waits_for_a_busy_period),
        cmocka_unit_test(the_last_requests_of_a_run_have_fewer_behind_them),
        cmocka_unit_test(a_run_that_is_too_short_has_no_law),
        cmocka_unit_test(percentiles_and_domain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
