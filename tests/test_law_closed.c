/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The laws of closed loops with several workers, with think time and from an empty start: against
   published values and sums term by term. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "models/laws/gammas.h"
#include "models/laws/repairman.h"
#include "tests/stalled_question.h"

/* ---- sums of exponentials ---- */

static void weights_and_tails_of_sums_keep_their_digits(void **state)
{
    (void)state;
    near(poisson_weight(3.0, 2.0), 8.0 / 6.0 * exp(-2.0), 1e-14);
    near(poisson_weight(0.0, 5.0), exp(-5.0), 1e-14);
    for (double m = 1.0; m < 2e4; m *= 3.0) /* Stirling's series, to 1e-12 at 4000 */
        near(poisson_weight(m, 1.1 * m), exp(m * log(1.1 * m) - 1.1 * m - lgamma(m + 1.0)), 1e-10);
    assert_true(poisson_weight(1.0, 1e6) == 0.0);
    near(erlang_excess(2.0, 1.0), 3.0 * exp(-1.0), 1e-14); /* 2 p0 + p1 */
    near(erlang_excess(1.0, 30.0), exp(-30.0), 1e-13);
    near(erlang_area(5.0, 0.0, 1e9), 5.0, 1e-13);
    near(erlang_area(5.0, 3.0, 4.5), erlang_excess(5.0, 3.0) - erlang_excess(5.0, 4.5), 1e-12);
    /* Exp(2) + Exp(1): 2 e^-x - e^-2x */
    for (double x = 0.01; x < 30.0; x *= 1.7)
        near(erlang_tail(1.0, 2.0 * x) + erlang_then_exponential(1.0, 2.0, 1.0, x),
             2.0 * exp(-x) - exp(-2.0 * x), 1e-13);
    /* Rates that are nearly equal: Erlang(k + 1). */
    near(erlang_then_exponential(7.0, 1.0 + 1e-9, 1.0, 9.0), poisson_weight(7.0, 9.0), 1e-7);
    near(erlang_then_exponential(1e4, 2.0, 1.0, 5100.0) /
             erlang_then_exponential(1e4, 2.0, 1.0, 5101.0),
         1.0, 1.0);
}

/* ---- closed loops ---- */

static void several_workers_in_a_closed_loop_are_a_sum_of_two(void **state)
{
    (void)state;
    struct asked a = {0};
    offer_closed(&a, 3);
    serve_exponential(&a, 5 * MS);
    a.server.workers = 2;
    struct law law = found(&a, "closed-workers");
    near(quantile(&law, "50"), -5e6 * log1p(-sqrt(0.5)), 1e-12);
    assert_int_equal(law.start.state, STATE_CLIENTS);
    percentiles_are_first(&law);
    mean_is_area(&law);
    law_free(&law);
    a.closed.clients = 10000;
    a.server.workers = 9999;
    law = found(&a, "closed-workers");
    near(law.distribution.mean_ns, 10000.0 / 9999.0 * 5e6, 1e-14);
    near(quantile(&law, "99.9"), 5e6 * log(1000.0), 1e-3);
    law_free(&law);
    a.server.workers = 3;
    law = found(&a, "closed-workers");
    tails_fall(&law, 2e11);
    mean_is_area(&law);
    law_free(&law);
    a.server.workers = 10000;
    law = found(&a, "service");
    law_free(&law);
}

static void the_repairman_is_as_published(void **state)
{
    (void)state;
    struct stalled s = {0};
    offer_closed(&s.a, 20);
    serve_exponential(&s.a, MS);
    think(&s, 30 * MS);
    struct law law = found(&s.a, "repairman");
    near(quantile(&law, "50"), 1.6406757275720867e6, 1e-9);
    near(quantile(&law, "90"), 5.1252348253120035e6, 1e-9);
    near(quantile(&law, "99"), 9.602394023285152e6, 1e-9);
    near(quantile(&law, "99.9"), 13.705686323497945e6, 1e-9);
    near(law.distribution.mean_ns, 2.2624814155765733e6, 1e-12);
    near(repairman_throughput((struct repairman){20, 1, 30e6, 1e6}), 0.6199151188148797e-6, 1e-13);
    assert_int_equal(law.start.state, STATE_SETTLED);
    near((double)law.start.settle_ns, 30e6 * log(20e12), 1e-6);
    percentiles_are_first(&law);
    mean_is_area(&law);
    law_free(&law);
}

/* Term by term, by formula: for a few clients nothing needs care. */
static double repairman_by_terms(double clients, double workers, double think, double x)
{
    double w = 1.0, all = 0.0, sum = 0.0;
    for (double j = 0.0; j < clients; j += 1.0) {
        if (j > 0.0)
            w *= (clients - j) / think / fmin(j, workers);
        all += w;
        double k = fmax(0.0, j - workers + 1.0);
        sum += w * (erlang_tail(k, workers * x) + (workers > 1.0
                                                       ? erlang_then_exponential(k, workers, 1.0, x)
                                                       : poisson_weight(k, x)));
    }
    return sum / all;
}

static void the_repairman_with_several_workers_is_the_sum_of_its_terms(void **state)
{
    (void)state;
    struct stalled s = {0};
    offer_closed(&s.a, 30);
    serve_exponential(&s.a, MS);
    think(&s, 4 * MS);
    for (uint64_t workers = 1; workers < 35; workers += 3) {
        s.a.server.workers = workers;
        if (workers >= 30) {
            struct law service = found(&s.a, "service");
            law_free(&service);
            continue;
        }
        struct law law = found(&s.a, "repairman");
        for (double x = 0.1; x < 40.0; x *= 1.4)
            near(law.distribution.tail(&law.distribution, x * 1e6),
                 repairman_by_terms(30.0, (double)workers, 4.0, x), 1e-11);
        mean_is_area(&law);
        law_free(&law);
    }
}

static void the_repairman_bears_extremes(void **state)
{
    (void)state;
    static const ns_t thinks_ns[] = {1000, MS, 1000 * MS, 100000 * MS, UINT64_C(100000000000000)};
    static const uint64_t workers[] = {1, 2, 300, 9999};
    struct stalled s = {0};
    offer_closed(&s.a, 10000);
    serve_exponential(&s.a, MS);
    for (size_t i = 0; i < 5; i++) {
        for (size_t k = 0; k < 4; k++) {
            think(&s, thinks_ns[i]);
            s.a.server.workers = workers[k];
            struct law law = found(&s.a, "repairman");
            tails_fall(&law, 20.0 * law.distribution.mean_ns);
            assert_true(quantile(&law, "99.9") > 0.0);
            law_free(&law);
        }
    }
}

static void an_empty_start_mixes_the_first_requests_in(void **state)
{
    (void)state;
    struct asked a = {0};
    offer_closed(&a, 2);
    serve_exponential(&a, MS);
    a.run.requests = 4;
    a.run.start = START_EMPTY;
    struct law law = found(&a, "closed-start");
    for (double x = 0.1; x < 30.0; x *= 1.5)
        near(law.distribution.tail(&law.distribution, x * 1e6), exp(-x) * (1.0 + 0.75 * x), 1e-13);
    near(law.distribution.mean_ns, 1.75e6, 1e-14);
    assert_int_equal(law.start.state, STATE_IDLE);
    law_free(&law);
    a.run.requests = 1;
    law = found(&a, "closed-start");
    near(quantile(&law, "99"), 1e6 * log(100.0), 1e-11);
    law_free(&law);
    a.run.requests = 100000;
    a.closed.clients = 1000;
    law = found(&a, "closed-start");
    double sum = 0.0;
    for (double k = 1.0; k <= 1000.0; k += 1.0)
        sum += erlang_tail(k, 990.0);
    near(law.distribution.tail(&law.distribution, 990e6),
         (sum + 99000.0 * erlang_tail(1000.0, 990.0)) / 1e5, 1e-11);
    law_free(&law);
    a.run.requests = 0;
    a.run.duration_ns = 2000 * MS; /* 2000 more are expected */
    law = found(&a, "closed-start");
    near(law.distribution.tail(&law.distribution, 990e6),
         (sum + 2000.0 * erlang_tail(1000.0, 990.0)) / 3000.0, 1e-11);
    law_free(&law);
    a.q.warmup_ns = MS;
    law = found(&a, "closed-start");
    near(law.distribution.tail(&law.distribution, 990e6), erlang_tail(1000.0, 990.0), 1e-11);
    law_free(&law);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_and_tails_of_sums_keep_their_digits),
        cmocka_unit_test(several_workers_in_a_closed_loop_are_a_sum_of_two),
        cmocka_unit_test(the_repairman_is_as_published),
        cmocka_unit_test(the_repairman_with_several_workers_is_the_sum_of_its_terms),
        cmocka_unit_test(the_repairman_bears_extremes),
        cmocka_unit_test(an_empty_start_mixes_the_first_requests_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
