/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Closed loops in random order, against picks made one by one. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "models/base/random.h"
#include "models/queues/queue.h"
#include "tests/random_question.h"

struct dice {
    struct stream stream;
    uint64_t next;
};

static uint64_t roll(struct dice *dice, uint64_t bound)
{
    return below(stream_word(dice->stream, dice->next++), bound);
}

/* N clients, c workers, without an end. */
static void ask(struct asked *a, uint64_t clients, uint64_t workers, struct constant *service)
{
    *a = (struct asked){0};
    offer_closed(a, clients);
    a->server.service = (struct choice){&distribution_constant.is, service};
    a->server.workers = workers;
    a->server.queue = (struct choice){&queue_random.is, NULL};
    a->run.requests = 0;
}

/* Of 20000 rounds: how many that came after the first waited longer than k rounds. */
static void random_order_passes_over_as_picks_one_by_one_do(void **state)
{
    (void)state;
    enum { CLIENTS = 12, WORKERS = 2, ROUNDS = 40000, FARTHEST = 40 };
    struct dice dice = {stream_open(9, 0, 0, PURPOSE_QUEUE), 0};
    int since[CLIENTS] = {0}, beyond[FARTHEST] = {0}, all = 0;
    for (int round = 1; round < ROUNDS; round++) {
        int order[CLIENTS];
        for (int i = 0; i < CLIENTS; i++)
            order[i] = i;
        for (int i = 0; i < WORKERS; i++) {
            int other = i + (int)roll(&dice, (uint64_t)(CLIENTS - i)), swap = order[i];
            order[i] = order[other];
            order[other] = swap;
            if (since[order[i]] > 0) { /* sent after time 0 */
                int took = round - since[order[i]] + 1;
                for (int k = 0; k < FARTHEST && k < took; k++)
                    beyond[k]++;
                all++;
            }
        }
        for (int i = 0; i < WORKERS; i++)
            since[order[i]] = round + 1;
    }
    struct asked a;
    struct constant one_us = {1000};
    ask(&a, CLIENTS, WORKERS, &one_us);
    struct law law = found(&a, "closed-random-order");
    assert_int_equal(law.start.state, STATE_SETTLED);
    for (int k = 1; k < FARTHEST; k++) {
        double share = (double)beyond[k] / all, wanted = law_tail(&law, (ns_t)k * 1000);
        if (fabs(share - wanted) > 6.0 * sqrt(wanted / all)) /* a false alarm in 1e9 */
            fail_msg("k = %d: %g, wanted %g", k, share, wanted);
    }
    near(law_mean(&law), 6000.0, 1e-15);
    law_free(&law);
}

/* A whole run of it, pick by pick: how many of those sent after time 0 take longer than k rounds.
   It ends with the sends of so many rounds, the last of which are fewer. */
struct short_run {
    int clients, workers, rounds, last;
};

enum { LONGEST = 30 };

static void play(struct dice *dice, struct short_run r, double *beyond)
{
    int since[64] = {0}, there = r.clients;
    for (int round = 1; there > 0; round++) {
        int taken = there < r.workers ? there : r.workers;
        int sends = round <= r.rounds ? taken : round == r.rounds + 1 ? r.last : 0;
        for (int i = 0; i < taken; i++) {
            int pick = (int)roll(dice, (uint64_t)there), took = round - since[pick];
            for (int k = 0; since[pick] > 0 && k < LONGEST && k < took; k++)
                beyond[k]++;
            since[pick] = since[--there];
        }
        for (int i = 0; i < sends; i++)
            since[there++] = round;
    }
}

static void random_order_ends_with_fewer_and_fewer(void **state)
{
    (void)state;
    enum { RUNS = 20000 };
    static const struct short_run runs[] = {{12, 2, 6, 0}, {12, 2, 6, 1}, {7, 3, 1, 2},
                                            {9, 1, 30, 0}, {5, 4, 3, 0},  {30, 7, 0, 6}};
    struct dice dice = {stream_open(10, 0, 0, PURPOSE_QUEUE), 0};
    size_t endless_caught = 0;
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        struct short_run r = runs[i];
        struct asked a;
        struct constant one_us = {1000};
        double sum[LONGEST] = {0}, squares[LONGEST] = {0};
        double sent = r.workers * r.rounds + r.last, passed = 1.0, farthest = 0.0;
        for (int run = 0; run < RUNS; run++) {
            double beyond[LONGEST] = {0};
            play(&dice, r, beyond);
            for (int k = 0; k < LONGEST; k++) {
                sum[k] += beyond[k];
                squares[k] += beyond[k] * beyond[k];
            }
        }
        ask(&a, (uint64_t)r.clients, (uint64_t)r.workers, &one_us);
        a.run.requests = (uint64_t)sent;
        if (r.last == 0 && i % 2 == 0) { /* the same, by duration */
            a.run.requests = 0;
            a.run.duration_ns = (ns_t)r.rounds * 1000 + 999;
        }
        struct law law = found(&a, "closed-random-order");
        for (int k = 0; k < LONGEST; k++) {
            double mean = sum[k] / RUNS, wanted = sent * law_tail(&law, (ns_t)k * 1000);
            double error =
                sqrt((squares[k] - sum[k] * mean) / RUNS / RUNS) + 3e-4; /* where none is seen */
            if (fabs(mean - wanted) > 6.0 * error)                       /* a false alarm in 1e9 */
                fail_msg("run %zu, k = %d: %g, wanted %g", i, k, mean, wanted);
            farthest = fmax(farthest, fabs(mean - sent * passed) / error);
            passed *= 1.0 - (double)r.workers / r.clients;
        }
        endless_caught += farthest > 6.0;
        law_free(&law);
    }
    assert_int_equal(endless_caught, sizeof runs / sizeof runs[0]);
}

/* What a warm-up leaves out is sent long before the end; the mean is what the tail sums to. */
static void random_order_after_a_warm_up(void **state)
{
    (void)state;
    struct asked a;
    struct constant one_us = {1000};
    ask(&a, 9, 1, &one_us);
    a.run.duration_ns = 50000;
    struct law whole = found(&a, "closed-random-order");
    a.q.warmup_ns = 20000; /* the 30 of 50 that are sent when it is over */
    struct law late = found(&a, "closed-random-order");
    double mean = 0.0, passed = 1.0;
    for (ns_t k = 0; k < 600; k++, passed *= 8.0 / 9.0) {
        /* of the first 20 all have 30 full rounds ahead */
        if (k <= 30)
            near(50.0 * law_tail(&whole, k * 1000),
                 30.0 * law_tail(&late, k * 1000) + 20.0 * passed, 1e-12);
        mean += 1000.0 * law_tail(&late, k * 1000);
    }
    near(law_mean(&late), mean, 1e-12);
    law_free(&whole);
    law_free(&late);
    a.q.warmup_ns = 50000;
    refused(&a, "Nothing is sent");
}

/* S0-12. */
static void random_order_at_128_clients_has_the_same_mean_and_a_long_tail(void **state)
{
    (void)state;
    struct asked a;
    struct constant seventeen_us = {17544};
    ask(&a, 128, 1, &seventeen_us);
    struct law law = found(&a, "closed-random-order");
    assert_int_equal(law_percentile(&law, level("50")), 89 * 17544);
    assert_int_equal(law_percentile(&law, level("99")), 588 * 17544);
    near(law_mean(&law), 128.0 * 17544.0, 1e-15);
    assert_true(law_atom(&law, 17544) && !law_atom(&law, 17545));
    percentiles_are_first(&law);
    law_free(&law);
    a.closed.stagger_ns = 1;
    refused(&a, "start together");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_order_passes_over_as_picks_one_by_one_do),
        cmocka_unit_test(random_order_ends_with_fewer_and_fewer),
        cmocka_unit_test(random_order_after_a_warm_up),
        cmocka_unit_test(random_order_at_128_clients_has_the_same_mean_and_a_long_tail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
