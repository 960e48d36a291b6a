/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The law of a queue from its empty start, and that of sessions: against values from elsewhere and
 * against the equations solved step by step. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- from empty ---- */

static struct law from_empty(struct asked *a, const char *per_s, uint64_t requests)
{
    offer(a, per_s, 1);
    a->run.requests = requests;
    a->run.start = START_EMPTY;
    return found(a, "transient");
}

static void beyond_capacity_the_first_2000_have_the_worked_percentiles(void **state)
{
    (void)state;
    struct asked a;
    struct law law = from_empty(&a, "1.1", 2000);
    near(quantile(&law, "50"), 92.41531551005117 * UNIT, 1e-10);
    near(quantile(&law, "99"), 269.91997389197604 * UNIT, 1e-10);
    assert_int_equal(law.start.state, STATE_IDLE);
    percentiles_are_first(&law);
    law_free(&law);
    a.run.start = START_DEFAULT; /* there is no stationary state */
    law = found(&a, "transient");
    law_free(&law);
    a.run.start = START_STATIONARY;
    refused(&a, "capacity");
}

static void mean_waits_from_empty_are_the_known_ones(void **state)
{
    (void)state;
    static const struct {
        const char *rate;
        uint64_t requests;
        double wait;
    } cases[] = {{"0.8", 2, 0.2222},   {"0.8", 10, 1.1488}, {"0.8", 100, 3.1001},
                 {"0.8", 1000, 3.9},   {"0.8", 2000, 3.95}, {"0.9", 100, 4.5935},
                 {"0.9", 1000, 8.1106}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct asked a;
        struct law law = from_empty(&a, cases[i].rate, cases[i].requests);
        assert_true(fabs(law_mean(&law) / UNIT - 1.0 - cases[i].wait) < 5.1e-5);
        law_free(&law);
    }
}

/* The recursion itself, request by request, in long double: (N + 1 - B)^+ and an average. */
static void averaged(long double rho, unsigned requests, long double *at_least, unsigned size)
{
    long double up = rho / (1.0L + rho), down = 1.0L / (1.0L + rho);
    long double *p = calloc(size + 1, sizeof *p), *next = calloc(size + 1, sizeof *next);
    assert_non_null(p);
    assert_non_null(next);
    p[0] = 1.0L;
    for (unsigned m = 0; m < size; m++)
        at_least[m] = 0.0L;
    for (unsigned k = 0; k < requests; k++) {
        long double above = 0.0L, left = 0.0L;
        for (unsigned m = size; m-- > 0;) {
            above += p[m];
            at_least[m] += above / requests;
        }
        for (unsigned m = size; m-- > 0;) {
            left = p[m] + down * left;
            next[m + 1] = up * left;
        }
        next[0] = down * left;
        memcpy(p, next, size * sizeof *p);
    }
    free(p);
    free(next);
}

static long double averaged_tail(const long double *at_least, unsigned size, long double x)
{
    long double poisson = expl(-x), sum = 0.0L;
    for (unsigned m = 0; m < size; m++) {
        sum += poisson * at_least[m];
        poisson *= x / (long double)(m + 1);
    }
    return sum;
}

static void from_empty_agrees_with_the_recursion_request_by_request(void **state)
{
    (void)state;
    static const struct {
        const char *rate;
        long double rho;
        unsigned requests;
    } cases[] = {{"0.001", 0.001L, 1}, {"0.5", 0.5L, 2},  {"0.5", 0.5L, 3},
                 {"0.1", 0.1L, 700},   {"0.8", 0.8L, 90}, {"0.8", 0.8L, 4000},
                 {"0.95", 0.95L, 900}, {"1", 1.0L, 1500}, {"1.1", 1.1L, 700},
                 {"4", 4.0L, 600},     {"50", 50.0L, 300}};
    enum { SIZE = 1600 };
    long double *at_least = calloc(SIZE, sizeof *at_least);
    assert_non_null(at_least);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct asked a;
        struct law law = from_empty(&a, cases[i].rate, cases[i].requests);
        averaged(cases[i].rho, cases[i].requests, at_least, SIZE);
        for (long double x = 0.05L; x < 900.0L; x *= 1.7L) {
            double wanted = (double)averaged_tail(at_least, SIZE, x);
            if (wanted > 1e-60)
                near(tail_of(&law, (double)x), wanted, 1e-11);
        }
        percentiles_are_first(&law);
        law_free(&law);
    }
    free(at_least);
}

/* Requests due in [0, T): the birth-and-death equations, uniformised, summed over all jumps. */
static void a_duration_from_empty_agrees_with_uniformisation(void **state)
{
    (void)state;
    static const struct {
        const char *rate;
        long double rho;
        unsigned seconds;
    } cases[] = {{"0.5", 0.5L, 7}, {"0.8", 0.8L, 300}, {"1", 1.0L, 200}, {"1.5", 1.5L, 150}};
    enum { SIZE = 700, JUMPS = 1300 };
    static const long double zero[SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct asked a;
        offer(&a, cases[i].rate, 1);
        a.run.requests = 0;
        a.run.duration_ns = cases[i].seconds * (ns_t)MEAN_NS;
        a.run.start = START_EMPTY;
        struct law law = found(&a, "transient");
        long double p[SIZE + 1] = {1.0L}, at_least[SIZE],
                             span = (1.0L + cases[i].rho) * cases[i].seconds;
        memcpy(at_least, zero, sizeof at_least);
        long double up = cases[i].rho / (1.0L + cases[i].rho), poisson = expl(-span), more = 1.0L;
        for (unsigned k = 0; k < JUMPS; k++) {
            more -= poisson; /* P(Poisson(span) > k) */
            poisson *= span / (long double)(k + 1);
            long double above = 0.0L, next[SIZE + 1] = {0};
            for (unsigned m = SIZE; m-- > 0;) {
                above += p[m];
                at_least[m] += above * more / span;
                next[m + 1] += up * p[m];
                next[m > 0 ? m - 1 : 0] += (1.0L - up) * p[m];
            }
            memcpy(p, next, sizeof p);
        }
        for (long double x = 0.1L; x < 60.0L; x *= 1.9L) {
            double wanted = (double)averaged_tail(at_least, SIZE, x);
            if (wanted > 1e-6)
                near(tail_of(&law, (double)x), wanted, 1e-10);
        }
        law_free(&law);
    }
}

static void from_empty_ends_in_the_stationary_law_at_any_length(void **state)
{
    (void)state;
    /* The shift of the mean is rho/(1-rho)^2 over n, in units of the stationary mean; and the two
       ways of filling the table meet. */
    static const uint64_t lengths[] = {30000, 60000, 1000000, 1000000000, UINT64_C(1) << 61};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        struct asked a;
        struct law law = from_empty(&a, "0.9", lengths[i]);
        double shift = 90.0 / (double)lengths[i];
        near(law_mean(&law), 10.0 * UNIT * (1.0 - shift), 1e-11);
        near(tail_of(&law, 46.0), exp(-4.6) * (1.0 - 0.9 / 0.1 * 46.0 / (double)lengths[i]), 1e-10);
        law_free(&law);
    }
}

static void from_empty_holds_or_refuses_at_the_extremes(void **state)
{
    (void)state;
    struct asked a;
    struct law law = from_empty(&a, "1", 1000000000);
    /* At capacity the queue is the maximum of a walk: |N(0, 2k)|, on average sqrt(4k/pi). */
    near(law_mean(&law), 2.0 / 3.0 * sqrt(4e9 / 3.14159265358979) * UNIT, 1e-4);
    law_free(&law);
    law = from_empty(&a, "1000", 1000000);
    near(law_mean(&law), 0.5 * 999.0 / 1000.0 * 1e6 * UNIT, 1e-4);
    law_free(&law);
    law = from_empty(&a, "0.000001", 1000000);
    near(quantile(&law, "50"), log(2.0) * UNIT, 2e-6);
    law_free(&law);
    a.run.requests = UINT64_C(1) << 61;
    a.open.rate_per_s = (struct ratio){1000000001, 1000000000};
    refused(&a, "4,194,304");
    a.run.requests = 1000;
    a.q.warmup_ns = 1;
    refused(&a, "warm-up");
    a.q.warmup_ns = 0;
    a.run.duration_ns = 1;
    refused(&a, "or else by its duration");
}

/* ---- sessions ---- */

static void sessions_are_as_fast_as_the_rate_of_their_requests_says(void **state)
{
    (void)state;
    struct exponential think = {5000000000};
    struct asked a;
    struct sessions_load sessions = {.requests = 3,
                                     .every_ns = 4 * (ns_t)MEAN_NS,
                                     .arrivals = {&arrivals_poisson.is, NULL},
                                     .think = {&distribution_exponential.is, &think}};
    offer(&a, "1", 1);
    a.load.kind = (struct choice){&load_sessions.is, &sessions};
    a.run.requests = 0;
    a.run.duration_ns = 1000 * (ns_t)MEAN_NS;
    for (enum instant from = INSTANT_DUE; from <= INSTANT_SENT; from++) {
        a.q.from = from;
        struct law law = found(&a, "sessions");
        near(quantile(&law, "99"), 4.0 * log(100.0) * UNIT, 1e-11);
        near(law_mean(&law), 4.0 * UNIT, 1e-12);
        assert_int_equal(law.start.state, STATE_SETTLED);
        law_free(&law);
    }
    sessions.every_ns = 3 * (ns_t)MEAN_NS;
    refused(&a, "capacity");
    a.run.requests = 1000;
    refused(&a, "fixed duration");
}

/* The master equation of two sessions' requests with exponential thinking, from empty until the
   law says it has settled: first visits, second visits and thinkers, served in random order. */
enum { VISITS = 44, THINKERS = 14, CELLS = VISITS * VISITS * THINKERS };

struct chain {
    double sessions, thinks; /* rates; services at rate 1 */
    double p[CELLS], next[CELLS];
};

static size_t cell(size_t first, size_t second, size_t thinking)
{
    return (first * VISITS + second) * THINKERS + thinking;
}

static void leave(struct chain *c, size_t i, size_t j, size_t z, double dt)
{
    double p = c->p[cell(i, j, z)], here = (double)(i + j), stays = p, moved;
    if (i + 1 < VISITS) {
        moved = p * c->sessions * dt;
        c->next[cell(i + 1, j, z)] += moved;
        stays -= moved;
    }
    if (i > 0 && z + 1 < THINKERS) {
        moved = p * dt * (double)i / here;
        c->next[cell(i - 1, j, z + 1)] += moved;
        stays -= moved;
    }
    if (j > 0) {
        moved = p * dt * (double)j / here;
        c->next[cell(i, j - 1, z)] += moved;
        stays -= moved;
    }
    if (z > 0 && j + 1 < VISITS) {
        moved = p * dt * c->thinks * (double)z;
        c->next[cell(i, j + 1, z - 1)] += moved;
        stays -= moved;
    }
    c->next[cell(i, j, z)] += stays;
}

static double stationary(const struct chain *c, size_t i, size_t j, size_t z)
{
    double rho = 2.0 * c->sessions, m = c->sessions / c->thinks;
    double here = (double)(i + j);
    double orders = lgamma(here + 1.0) - lgamma((double)i + 1.0) - lgamma((double)j + 1.0);
    return (1.0 - rho) *
           exp(orders + here * log(rho / 2.0) - m + (double)z * log(m) - lgamma((double)z + 1.0));
}

static double variation(const struct chain *c)
{
    double sum = 0.0;
    for (size_t i = 0; i < VISITS; i++)
        for (size_t j = 0; j < VISITS; j++)
            for (size_t z = 0; z < THINKERS; z++)
                sum += fabs(c->p[cell(i, j, z)] - stationary(c, i, j, z));
    return sum / 2.0;
}

static void sessions_settle_in_the_time_stated(void **state)
{
    (void)state;
    struct exponential think = {1000000000};
    struct asked a;
    struct sessions_load sessions = {.requests = 2,
                                     .rate_per_s = {1, 5},
                                     .arrivals = {&arrivals_poisson.is, NULL},
                                     .think = {&distribution_exponential.is, &think}};
    offer(&a, "1", 1);
    a.load.kind = (struct choice){&load_sessions.is, &sessions};
    a.run.requests = 0;
    a.run.duration_ns = 1000 * (ns_t)MEAN_NS;
    struct law law = found(&a, "sessions");
    struct chain *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->sessions = 0.2;
    c->thinks = 1.0;
    c->p[0] = 1.0;
    double dt = 1.0 / (1.0 + c->sessions + THINKERS * c->thinks);
    double at[3] = {0.2, 0.4, 0.6}, seen[3] = {0}, settled = (double)law.start.settle_ns / UNIT;
    size_t next = 0;
    for (double t = 0.0; next < 3; t += dt) {
        if (t >= at[next] * settled)
            seen[next++] = variation(c);
        memset(c->next, 0, sizeof c->next);
        for (size_t i = 0; i < VISITS; i++)
            for (size_t j = 0; j < VISITS - i; j++)
                for (size_t z = 0; z < THINKERS; z++)
                    leave(c, i, j, z, dt);
        memcpy(c->p, c->next, sizeof c->p);
    }
    /* Geometric from there on: 1e-12 is reached before it is said to be. */
    double rate = seen[2] / seen[1];
    assert_true(rate > 1e-6 && rate < 0.1);
    assert_true(seen[2] * rate * rate < 1e-12);
    free(c);
    law_free(&law);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beyond_capacity_the_first_2000_have_the_worked_percentiles),
        cmocka_unit_test(mean_waits_from_empty_are_the_known_ones),
        cmocka_unit_test(from_empty_agrees_with_the_recursion_request_by_request),
        cmocka_unit_test(a_duration_from_empty_agrees_with_uniformisation),
        cmocka_unit_test(from_empty_ends_in_the_stationary_law_at_any_length),
        cmocka_unit_test(from_empty_holds_or_refuses_at_the_extremes),
        cmocka_unit_test(sessions_are_as_fast_as_the_rate_of_their_requests_says),
        cmocka_unit_test(sessions_settle_in_the_time_stated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
