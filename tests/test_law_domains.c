/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which law answers which question, and what is said where none does. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "models/registry.h"
#include "tests/random_question.h"

/* ---- the service itself ---- */

static void service_takes_any_distribution_with_a_tail(void **state)
{
    (void)state;
    struct two_values {
        ns_t usual_ns, rare_ns;
        struct ratio probability;
    } params = {5000000, 100000000, {3, 100}};
    struct asked a = {0};
    offer_open(&a, &arrivals_poisson, 1000000);
    a.server.workers = UNLIMITED;
    a.server.service = (struct choice){variant_find(&set_distributions, "two-point"), &params};
    struct law law = found(&a, "service");
    assert_int_equal(law.start.state, STATE_ANY);
    assert_int_equal(law_percentile(&law, level("97")), 5000000);
    assert_int_equal(law_percentile(&law, level("97.01")), 100000000);
    near(quantile(&law, "50"), 5e6, 0.0);
    near(quantile(&law, "99"), 1e8, 0.0);
    near(law_mean(&law), 7.85e6, 1e-12);
    assert_true(law_atom(&law, 5000000) && law_atom(&law, 100000000));
    assert_false(law_atom(&law, 50000000));
    /* The rare one alone gets 100/10 - 1 samples by the hdr rule: 90, 80, ... 10 ms. */
    law.rule = (struct correction_rule){1, 10000000, 10000000};
    near(law_samples_per_request(&law), 1.0 + 0.03 * 9, 1e-11);
    near(law_mean(&law), (7.85e6 + 0.03 * 450e6) / 1.27, 1e-11);
    assert_true(law_atom(&law, 90000000));
    assert_false(law_atom(&law, 95000000));
    assert_int_equal(law_percentile(&law, level("97")), 90000000); /* 0.03 of 1.27 lie beyond */
    law_free(&law);
}

static void service_timed_from_its_start_ignores_load_and_gates(void **state)
{
    (void)state;
    struct asked a = {0};
    offer_open(&a, &arrivals_poisson, 1000);
    serve_exponential(&a, 10000000); /* far beyond capacity */
    a.q.from = INSTANT_STARTED;
    a.server.stall_count = 1;
    a.stall = (struct stall){.mode = &stall_gate, .every_ns = 1000000000, .last_ns = 500000000};
    struct law law = found(&a, "service");
    near(quantile(&law, "99"), 1e7 * log(100.0), 1e-12);
    law_free(&law);
    a.stall.mode = &stall_suspend;
    refused(&a, "Stalls extend");
    a.stall.last_ns = 0; /* a stall of no length is none */
    law = found(&a, "service");
    law_free(&law);
    a.load.timeout_ns = 1;
    refused(&a, "timeout");
}

/* ---- domains ---- */

static void each_law_says_in_words_what_it_does_not_cover(void **state)
{
    (void)state;
    struct asked a = {0};
    offer_open(&a, &arrivals_poisson, 20000000);
    serve_exponential(&a, 10000000);
    a.open.max_in_flight = 4;
    struct law law = found(&a, "mm1"); /* from due a window only moves the wait */
    law_free(&law);
    a.q.from = INSTANT_ACQUIRED;
    a.q.to = INSTANT_SENT;
    refused(&a, "window");
    a.q.from = INSTANT_DUE;
    a.q.to = INSTANT_FINISHED;
    a.server.queue_limit = 3; /* at most 3 wait while one is served: the window of 4 just fits */
    law = found(&a, "mm1");
    law_free(&law);
    a.server.queue_limit = 2;
    refused(&a, "queue is limited");
    a.server.queue_limit = UNLIMITED;
    a.run.cut_ns = 1;
    refused(&a, "cut");
    a.run.cut_ns = 0;
    a.open.every_ns = 10000000;
    a.run.start = START_STATIONARY;
    refused(&a, "capacity");
    a.run.start = START_DEFAULT;
    a.open.every_ns = 20000000;
    serve_exponential(&a, 999);
    refused(&a, "1 us");
    struct asked c = {0};
    offer_closed(&c, 4);
    serve_exponential(&c, 10000000);
    c.closed.stagger_ns = 5;
    refused(&c, "start at once");
    c.closed.stagger_ns = 0;
    c.constant.value_ns = 7;
    refused(&c, "think");
    c.constant.value_ns = 0;
    c.closed.clients = 100001;
    refused(&c, "100,000 clients");
}

static void every_law_names_its_formula_domain_source_and_check(void **state)
{
    (void)state;
    assert_true(law_list_count >= 5);
    for (size_t i = 0; i < law_list_count; i++) {
        const struct law_type *t = law_list[i];
        const char *texts[] = {t->is.name, t->is.says, t->formula, t->symbols,
                               t->domain,  t->source,  t->check};
        for (size_t j = 0; j < 7; j++)
            assert_true(texts[j] != NULL && texts[j][0] != '\0');
        assert_int_equal((t->exact != NULL) + (t->distribution != NULL) + (t->by_another != NULL),
                         1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(service_takes_any_distribution_with_a_tail),
        cmocka_unit_test(service_timed_from_its_start_ignores_load_and_gates),
        cmocka_unit_test(each_law_says_in_words_what_it_does_not_cover),
        cmocka_unit_test(every_law_names_its_formula_domain_source_and_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
