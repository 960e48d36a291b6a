/* SPDX-License-Identifier: GPL-3.0-or-later */

/* M/M/1 in other orders, against moments that are known in closed form and a run of the queue. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
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
        near(1.0 - law.distribution.tail(&law.distribution, x * 1e7), wanted, 1e-9);
    }
    law_free(&law);
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
        cmocka_unit_test(percentiles_and_domain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
