/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Laws that stand on another: what the client, the network and its threads add. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/random_question.h"

#define MS NS_PER_MS

static const struct correction_rule raw = {1, 0, 1};

static struct law exactly(const struct asked *a, const char *name)
{
    struct law law;
    law_find(&a->q, &law);
    if (law.shape != LAW_EXACT)
        fail_msg("%s", law.why);
    assert_string_equal(law.type->is.name, name);
    return law;
}

/* All `count` values are the same. */
static void all_are(const struct asked *a, const char *name, ns_t value_ns, uint64_t count)
{
    struct law law = exactly(a, name);
    assert_int_equal(multiset_total(&law.values, raw), count);
    assert_int_equal(multiset_min(&law.values, raw), value_ns);
    assert_int_equal(multiset_max(&law.values), value_ns);
    law_free(&law);
}

/* ---- overhead ---- */

static void overhead_moves_every_percentile_by_as_much(void **state)
{
    (void)state;
    struct asked a = {0};
    offer_open(&a, &arrivals_poisson, 20 * MS);
    serve_exponential(&a, 10 * MS);
    a.load.overhead_ns = 3 * MS;
    struct law law = found(&a, "overhead");
    near(quantile(&law, "99"), 20e6 * log(100.0) + 3e6, 1e-11);
    near(law_mean(&law), 23e6, 1e-12);
    near(law_tail(&law, 2 * MS), 1.0, 0.0);
    assert_non_null(law.distribution.inflation);
    assert_int_equal(law.start.state, STATE_RESIDUALS);
    assert_non_null(strstr(law.distribution.note, "mm1"));
    percentiles_are_first(&law);
    law_free(&law);
    a.q.to = INSTANT_SENT; /* nothing of it comes before the send */
    a.load.timeout_ns = MS;
    a.q.to = INSTANT_FINISHED;
    refused(&a, "timers");
}

/* Little: 4 clients, one worker of 1 ms, so each gets an answer every 4 ms, its overhead included.
 */
static void clients_that_work_on_answers_offer_less(void **state)
{
    (void)state;
    struct asked a = {0};
    struct constant service = {MS};
    offer_closed(&a, 4);
    a.server.service = (struct choice){&distribution_constant.is, &service};
    a.load.overhead_ns = 2 * MS;
    a.q.warmup_ns = 100 * MS;
    a.run.requests = 1000;
    struct law law = exactly(&a, "overhead");
    assert_int_equal(multiset_min(&law.values, raw), 4 * MS);
    assert_int_equal(multiset_max(&law.values), 4 * MS);
    law_free(&law);
    a.closed.clients = 2; /* nobody waits for the other: 3 ms an answer */
    a.constant.value_ns = 0;
    law = exactly(&a, "overhead");
    assert_int_equal(multiset_max(&law.values), 3 * MS);
    law_free(&law);
}

/* ---- the generator ---- */

/* S4-77: 3000/s of one thread that sends 1000/s. */
static void a_generator_at_a_third_of_its_rate_sends_ever_later(void **state)
{
    (void)state;
    struct asked a = {0};
    enum { COUNT = 60000 };
    offer_open_rate(&a, &arrivals_even, "3000");
    serve_constant(&a, MS);
    a.server.workers = UNLIMITED;
    a.load.generator = (struct generator){MS, 1};
    a.run.requests = COUNT;
    a.q.to = INSTANT_SENT;
    struct law lag = exactly(&a, "generator");
    a.q.to = INSTANT_FINISHED;
    struct law whole = exactly(&a, "generator");
    u128 sum = 0;
    for (uint64_t n = 0; n < COUNT; n++)
        sum += (n + 1) * MS - n * 1000000000 / 3000;
    assert_true(multiset_sum(&lag.values, raw) == sum);
    assert_true(multiset_sum(&whole.values, raw) == sum + (u128)COUNT * MS);
    assert_int_equal(multiset_select(&lag.values, raw, 30000), 20000333334);
    law_free(&lag);
    law_free(&whole);
    a.q.from = INSTANT_SENT;
    all_are(&a, "generator", MS, COUNT);
    a.q.from = INSTANT_DUE;
    a.load.generator.threads = 4; /* and with four they keep up */
    all_are(&a, "generator", 2 * MS, COUNT);
    a.server.workers = 1; /* at which the server is slower than the load */
    a.load.generator.threads = 1;
    refused(&a, "another rhythm");
}

static void a_generator_that_keeps_up_only_moves_what_the_server_does(void **state)
{
    (void)state;
    struct asked a = {0};
    offer_open(&a, &arrivals_even, 2 * MS);
    serve_constant(&a, MS);
    a.load.generator = (struct generator){2 * MS, 1};
    all_are(&a, "generator", 3 * MS, 1000);
    a.q.from = INSTANT_SENT;
    all_are(&a, "generator", MS, 1000);
    a.q.from = INSTANT_DUE;
    a.load.generator.cost_ns++;
    refused(&a, "another rhythm");
    a.load.generator.cost_ns--;
    a.server.stall_count = 1;
    a.stall = (struct stall){.mode = &stall_suspend, .first_ns = 10 * MS, .last_ns = MS};
    refused(&a, "another rhythm"); /* the stall stays where it is */
}

/* Every 2 ms, 1 ms a send; the thread stands still from 10.5 to 20.5 ms. */
static void a_stall_of_the_generator_makes_requests_leave_late(void **state)
{
    (void)state;
    struct asked a = {0};
    offer_open(&a, &arrivals_even, 2 * MS);
    serve_constant(&a, MS);
    a.server.workers = UNLIMITED;
    a.load.generator = (struct generator){MS, 1};
    a.server.stall_count = 1;
    a.stall = (struct stall){.mode = &stall_suspend,
                             .first_ns = 10500000,
                             .last_ns = 10 * MS,
                             .target = TARGET_GENERATOR};
    a.run.requests = 100;
    a.q.to = INSTANT_SENT;
    ns_t free_ns = 0, most_ns = 0;
    u128 sum = 0;
    for (uint64_t n = 0; n < 100; n++) {
        ns_t due_ns = 2 * MS * n, start_ns = due_ns > free_ns ? due_ns : free_ns;
        if (start_ns >= 10500000 && start_ns < 20500000)
            start_ns = 20500000;
        free_ns = start_ns + MS;
        if (start_ns < 10500000 && free_ns > 10500000)
            free_ns += 10 * MS;
        sum += free_ns - due_ns;
        most_ns = free_ns - due_ns > most_ns ? free_ns - due_ns : most_ns;
    }
    struct law law = exactly(&a, "generator");
    assert_true(multiset_sum(&law.values, raw) == sum);
    assert_int_equal(multiset_max(&law.values), most_ns);
    law_free(&law);
    a.load.generator.cost_ns = 0; /* no threads, nothing to strike */
    a.q.to = INSTANT_FINISHED;
    all_are(&a, "schedule", MS, 100);
}

/* Poisson sends at half of what one thread can do: M/D/1, mean s (1 + rho / (2 (1 - rho))). */
static void poisson_sends_queue_for_the_thread(void **state)
{
    (void)state;
    struct asked a = {0};
    offer_open(&a, &arrivals_poisson, 2 * MS);
    serve_exponential(&a, 5 * MS);
    a.load.generator = (struct generator){MS, 1};
    a.q.to = INSTANT_SENT;
    struct law law = found(&a, "generator");
    near(law_mean(&law), 1.5e6, 1e-9);
    assert_non_null(strstr(law.distribution.note, "md1"));
    /* a = ln 2, r = ln 2 - 1/2: e^(-r t / S) a / (2 r) is 1e-12 at 146.08 S. */
    assert_int_equal(law.start.state, STATE_SETTLED);
    near((double)law.start.settle_ns, 146.08374670609828e6, 1e-7);
    law_free(&law);
    a.server.queue_limit = 3; /* the lag of those that are refused is not recorded */
    refused(&a, "limited");
    a.server.queue_limit = UNLIMITED;
    a.q.to = INSTANT_FINISHED;
    refused(&a, "another rhythm");
    a.server.workers = UNLIMITED;
    refused(&a, "another rhythm");
    a.q.from = INSTANT_SENT;
    law = found(&a, "generator");
    near(quantile(&law, "99"), 5e6 * log(100.0), 1e-11);
    law_free(&law);
}

/* ---- the network ---- */

struct delayed {
    struct asked a;
    struct exponential delay;
    struct constant fixed;
};

static void delay_all(struct delayed *d, ns_t delay_ns)
{
    d->fixed.value_ns = delay_ns;
    d->a.server.network =
        (struct network){{&distribution_constant.is, &d->fixed}, .probability = {1, 1}};
}

static void a_delay_of_all_moves_every_law(void **state)
{
    (void)state;
    struct delayed d = {0};
    offer_open(&d.a, &arrivals_even, 2 * MS);
    serve_constant(&d.a, MS);
    delay_all(&d, 5 * MS);
    all_are(&d.a, "on-the-way", 6 * MS, 1000);
    d.a.q.from = INSTANT_STARTED;
    all_are(&d.a, "on-the-way", MS, 1000);
    d.a.q.from = INSTANT_DUE;
    d.a.load.overhead_ns = 3 * MS;
    all_are(&d.a, "overhead", 9 * MS, 1000);
    d.a.load.overhead_ns = 0;
    struct delayed r = {0};
    offer_open(&r.a, &arrivals_poisson, 20 * MS);
    serve_exponential(&r.a, 10 * MS);
    delay_all(&r, 5 * MS);
    struct law law = found(&r.a, "on-the-way");
    near(quantile(&law, "99"), 20e6 * log(100.0) + 5e6, 1e-11);
    /* The queue at time 0 has no arrivals for 5 ms. */
    assert_int_equal(law.start.state, STATE_SETTLED);
    assert_true(law.start.settle_ns > 5 * MS);
    law_free(&law);
    r.a.server.network.probability = (struct ratio){1, 2};
    refused(&r.a, "overtake");
    r.a.server.network.probability = (struct ratio){0, 1};
    law = found(&r.a, "mm1");
    law_free(&law);
}

/* Little: 4 clients, a worker of 1 ms: 4 ms from one send to the next, of which 2 on the way. */
static void closed_clients_wait_for_what_is_on_its_way(void **state)
{
    (void)state;
    struct delayed d = {0};
    struct constant service = {MS};
    offer_closed(&d.a, 4);
    d.a.server.service = (struct choice){&distribution_constant.is, &service};
    delay_all(&d, 2 * MS);
    d.a.q.warmup_ns = 100 * MS;
    struct law law = exactly(&d.a, "on-the-way");
    assert_int_equal(multiset_min(&law.values, raw), 4 * MS);
    assert_int_equal(multiset_max(&law.values), 4 * MS);
    law_free(&law);
}

static void some_delayed_are_a_mixture_where_nobody_waits(void **state)
{
    (void)state;
    struct delayed d = {0};
    offer_open(&d.a, &arrivals_poisson, 10 * MS);
    serve_constant(&d.a, MS);
    d.a.server.workers = UNLIMITED;
    delay_all(&d, 200 * MS);
    d.a.server.network.probability = (struct ratio){2, 100};
    struct law law = found(&d.a, "network-delay");
    assert_int_equal(law_percentile(&law, level("98")), MS);
    assert_int_equal(law_percentile(&law, level("98.01")), 201 * MS);
    near(law_mean(&law), 5e6, 1e-12);
    law_free(&law);
    d.delay.mean_ns = 50 * MS;
    d.a.server.network.delay = (struct choice){&distribution_exponential.is, &d.delay};
    law = found(&d.a, "network-delay");
    near(law_tail(&law, 101 * MS), 0.02 * exp(-2.0 - 0.5 / 50e6), 1e-12);
    assert_int_equal(law_percentile(&law, level("98")), MS);
    law_free(&law);
    serve_exponential(&d.a, MS);
    refused(&d.a, "Neither");
    delay_all(&d, 200 * MS);
    d.a.server.network.probability = (struct ratio){1, 4};
    law = found(&d.a, "network-delay");
    near(law_tail(&law, 3 * MS), 0.25 + 0.75 * exp(-3.0 - 0.5e-6), 1e-12);
    near(law_tail(&law, 203 * MS), 0.25 * exp(-3.0 - 0.5e-6), 1e-9);
    law_free(&law);
}

/* ---- parts of a response time ---- */

static void the_part_service_leaves_stalls_out(void **state)
{
    (void)state;
    struct asked a = {0};
    offer_open(&a, &arrivals_even, 2 * MS);
    serve_constant(&a, MS);
    a.server.stall_count = 1;
    a.stall = (struct stall){.mode = &stall_suspend, .every_ns = 100 * MS, .last_ns = 7 * MS};
    a.q.part = PART_SERVICE;
    all_are(&a, "part", MS, 1000);
    a.q.part = PART_QUEUE;
    refused(&a, "less what of it was a stall");
    a.q.part = PART_STALL;
    refused(&a, "stalls");
    a.server.stall_count = 0;
    a.q.part = PART_QUEUE;
    all_are(&a, "part", 0, 1000);
    a.q.merge = MERGE_AVERAGE;
    refused(&a, "average");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overhead_moves_every_percentile_by_as_much),
        cmocka_unit_test(clients_that_work_on_answers_offer_less),
        cmocka_unit_test(a_generator_at_a_third_of_its_rate_sends_ever_later),
        cmocka_unit_test(a_generator_that_keeps_up_only_moves_what_the_server_does),
        cmocka_unit_test(a_stall_of_the_generator_makes_requests_leave_late),
        cmocka_unit_test(poisson_sends_queue_for_the_thread),
        cmocka_unit_test(a_delay_of_all_moves_every_law),
        cmocka_unit_test(closed_clients_wait_for_what_is_on_its_way),
        cmocka_unit_test(some_delayed_are_a_mixture_where_nobody_waits),
        cmocka_unit_test(the_part_service_leaves_stalls_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
