/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Copies of the same work, and requests that wait for some of their parts. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "models/policies/resend.h"
#include "tests/random_question.h"

#define MS NS_PER_MS

static void copies_of_the_same_work_gain_nothing(void **state)
{
    (void)state;
    struct asked a = {0};
    struct resend resend = {.after_ns = 0, .copies = 2};
    offer_open(&a, &arrivals_poisson, 10 * MS);
    serve_exponential(&a, 10 * MS);
    a.server.workers = UNLIMITED;
    a.load.idempotent = true;
    a.load.resend = (struct choice){&resend_hedge.is, &resend};
    struct law law = found(&a, "copies");
    near(quantile(&law, "99"), 5e6 * log(100.0), 1e-11);
    law_free(&law);
    a.load.resend.type = &resend_tied.is;
    law = found(&a, "copies");
    near(quantile(&law, "99"), 5e6 * log(100.0), 1e-11);
    law_free(&law);
    a.load.work = WORK_PER_REQUEST;
    law = found(&a, "shared-work");
    near(quantile(&law, "99"), 1e7 * log(100.0), 1e-11);
    law_free(&law);
    a.load.resend.type = NULL;
    a.load.fan_out = 100;
    law = found(&a, "shared-work");
    near(quantile(&law, "99"), 1e7 * log(100.0), 1e-11);
    law_free(&law);
    a.load.fan_out = 0;
    a.load.work = WORK_PER_ATTEMPT;
    a.load.resend.type = &resend_hedge.is;
    a.load.idempotent = false; /* no copy is sent */
    law = found(&a, "service");
    law_free(&law);
}

/* S4-22: P(at least 6 of 100 exponential parts are longer than x), by the sum over how many are. */
static void ninety_five_of_a_hundred_parts_are_enough(void **state)
{
    (void)state;
    struct asked a = {0};
    offer_open(&a, &arrivals_poisson, 10 * MS);
    serve_exponential(&a, 10 * MS);
    a.server.workers = UNLIMITED;
    a.load.fan_out = 100;
    a.load.wait_for = 95;
    struct law law = found(&a, "fan-out");
    near(quantile(&law, "99"), 4.009e7, 1e-4);
    for (ns_t x_ns = 20 * MS; x_ns < 100 * MS; x_ns += 7 * MS) {
        double beyond = exp(-((double)x_ns + 0.5) / 1e7), few = 0.0;
        for (int k = 0; k <= 5; k++)
            few += exp(lgamma(101.0) - lgamma(k + 1.0) - lgamma(101.0 - k) + k * log(beyond) +
                       (100.0 - k) * log1p(-beyond));
        near(law_cdf(&law, x_ns), few, 1e-10);
    }
    double mean_ns = 0.0;
    for (int i = 6; i <= 100; i++)
        mean_ns += 1e7 / i;
    near(law_mean(&law), mean_ns, 1e-9);
    law_free(&law);
    a.load.wait_for = 100; /* all of them */
    law = found(&a, "fan-out");
    near(quantile(&law, "99"), 9.205e7, 1e-4);
    law_free(&law);
    a.load.wait_for = 95;
    a.server.workers = 1;
    refused(&a, "parts are enough");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_of_the_same_work_gain_nothing),
        cmocka_unit_test(ninety_five_of_a_hundred_parts_are_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
