/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Closed loops under a quota, last come first served and sharing, against a server that is run
   nanosecond by nanosecond. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "models/base/random.h"
#include "models/queues/queue.h"
#include "tests/random_question.h"

enum { HORIZON = 30000, MOST = 400 };

struct dice {
    struct stream stream;
    uint64_t next;
};

static uint64_t roll(struct dice *dice, uint64_t bound)
{
    return below(stream_word(dice->stream, dice->next++), bound);
}

struct request {
    ns_t sent_ns, finished_ns;
    double left;
    bool runs;
};

struct loop {
    struct request r[MOST];
    size_t count;
    ns_t spent_ns;
    bool throttled;
};

static uint64_t present(const struct loop *l, bool running)
{
    uint64_t n = 0;
    for (size_t i = 0; i < l->count; i++)
        n += l->r[i].finished_ns == 0 && l->r[i].runs == running;
    return n;
}

static void send_one(struct loop *l, const struct asked *a, ns_t now_ns)
{
    if (l->count >= a->run.requests || (a->run.duration_ns != 0 && now_ns >= a->run.duration_ns))
        return;
    l->r[l->count++] = (struct request){.sent_ns = now_ns};
}

static size_t next_of(const struct loop *l, bool latest)
{
    size_t next = SIZE_MAX;
    for (size_t i = 0; i < l->count; i++)
        if (l->r[i].finished_ns == 0 && !l->r[i].runs && (latest || next == SIZE_MAX))
            next = i;
    return next;
}

static void keep_quota(struct loop *l, const struct quota *quota, ns_t now_ns)
{
    if (quota->budget_ns == 0)
        return;
    if (now_ns % quota->period_ns == 0) {
        l->spent_ns = 0;
        l->throttled = false;
    }
    if (l->spent_ns >= quota->budget_ns)
        l->throttled = true;
}

static void run_moment(struct loop *l, const struct asked *a, ns_t service_ns, ns_t now_ns)
{
    const struct server *server = &a->server;
    bool shares = queue_kind(server->queue)->shares, latest = server->queue.type == &queue_lifo.is;
    size_t before = l->count, answers = 0;
    for (size_t i = 0; i < before; i++) {
        if (l->r[i].runs && l->r[i].finished_ns == 0 && l->r[i].left < 1e-7) {
            l->r[i].finished_ns = now_ns;
            answers++;
        }
    }
    keep_quota(l, &server->quota, now_ns);
    for (size_t i = 0; i < (now_ns == 0 ? a->closed.clients : answers); i++) {
        send_one(l, a, now_ns);
        bool at_once = !l->throttled && present(l, true) < server->workers && l->count > before;
        if (at_once && present(l, false) == 1) {
            l->r[l->count - 1].runs = true;
            l->r[l->count - 1].left = (double)service_ns;
        }
        before = l->count;
    }
    while (!l->throttled && present(l, false) > 0 &&
           (shares || present(l, true) < server->workers)) {
        size_t next = next_of(l, latest);
        l->r[next].runs = true;
        l->r[next].left = (double)service_ns;
    }
    uint64_t running = present(l, true);
    uint64_t busy = running < server->workers ? running : server->workers;
    if (l->throttled || running == 0)
        return;
    for (size_t i = 0; i < l->count; i++)
        if (l->r[i].runs && l->r[i].finished_ns == 0)
            l->r[i].left -= (double)busy / (double)running;
    l->spent_ns += busy;
}

static int by_value(const void *a, const void *b)
{
    ns_t x = *(const ns_t *)a, y = *(const ns_t *)b;
    return (x > y) - (x < y);
}

static size_t values_of(const struct asked *a, ns_t *values)
{
    struct loop *l = calloc(1, sizeof *l);
    size_t kept = 0;
    ns_t service_ns = ((const struct constant *)a->server.service.params)->value_ns;
    for (ns_t now_ns = 0; now_ns < HORIZON; now_ns++)
        run_moment(l, a, service_ns, now_ns);
    for (size_t i = 0; i < l->count; i++) {
        assert_true(l->r[i].finished_ns > 0);
        if (l->r[i].sent_ns >= a->q.warmup_ns)
            values[kept++] = l->r[i].finished_ns - l->r[i].sent_ns;
    }
    free(l);
    qsort(values, kept, sizeof values[0], by_value);
    return kept;
}

static void assert_same(const struct multiset *set, const ns_t *values, size_t count, int round)
{
    struct correction_rule raw = {1, 0, 1};
    if (multiset_total(set, raw) != count)
        fail_msg("round %d: %zu values, not %zu", round, (size_t)multiset_total(set, raw), count);
    for (size_t i = 0; i < count; i++)
        if (multiset_select(set, raw, i + 1) != values[i])
            fail_msg("round %d: value %zu is %llu, not %llu", round, i,
                     (unsigned long long)multiset_select(set, raw, i + 1),
                     (unsigned long long)values[i]);
}

struct drawn {
    struct asked a;
    struct constant service;
};

static void draw_loop(struct dice *dice, struct drawn *d, const struct queue_type *order)
{
    *d = (struct drawn){0};
    offer_closed(&d->a, 1 + roll(dice, 7));
    d->service.value_ns = 1 + roll(dice, 12);
    d->a.server.service = (struct choice){&distribution_constant.is, &d->service};
    d->a.server.workers = 1 + roll(dice, 3);
    d->a.server.queue = (struct choice){&order->is, NULL};
    d->a.run.requests = 1 + roll(dice, 60);
    if (roll(dice, 2) == 0) {
        d->a.run.requests = 0;
        d->a.run.duration_ns = 1 + roll(dice, 100);
    }
    if (roll(dice, 3) == 0)
        d->a.q.warmup_ns = roll(dice, 60);
}

/* The law found of each drawn loop against the run; how many had one. */
static int compare_many(const struct queue_type *order, bool quota, uint64_t seed, const char *name)
{
    struct dice dice = {stream_open(seed, 0, 0, PURPOSE_SERVICE), 0};
    int named = 0;
    for (int round = 0; round < 600; round++) {
        struct drawn d;
        struct law law;
        ns_t values[MOST];
        draw_loop(&dice, &d, order);
        if (quota)
            d.a.server.quota = (struct quota){1 + roll(&dice, 40), 5 + roll(&dice, 30), false};
        law_find(&d.a.q, &law);
        assert_true(law.shape == LAW_EXACT || law.shape == LAW_NONE);
        if (law.shape == LAW_NONE)
            continue;
        named += strcmp(law.type->is.name, name) == 0;
        if (d.a.run.requests == 0)
            d.a.run.requests = MOST;
        size_t count = values_of(&d.a, values);
        assert_same(&law.values, values, count, round);
        law_free(&law);
    }
    return named;
}

static void a_quota_that_workers_without_rest_spend_is_a_suspend_each_period(void **state)
{
    (void)state;
    assert_true(compare_many(&queue_fifo, true, 1, "quota") > 150);
}

static void last_come_first_served_serves_one_client_and_then_the_others(void **state)
{
    (void)state;
    assert_true(compare_many(&queue_lifo, false, 2, "closed-last-first") > 100);
}

static void sharing_lets_all_end_together(void **state)
{
    (void)state;
    assert_true(compare_many(&queue_processor_sharing, false, 3, "closed-sharing") > 200);
}

/* S0-28: 16 workers with 4 CPUs of quota run for 25 ms and stand for 75. */
static void sixteen_workers_on_four_cpus_stand_for_75_of_100_ms(void **state)
{
    (void)state;
    struct asked a = {0};
    struct constant service = {500000};
    struct law law;
    offer_closed(&a, 128);
    a.server.service = (struct choice){&distribution_constant.is, &service};
    a.server.workers = 16;
    a.server.quota = (struct quota){400000000, 100000000, false};
    a.run.requests = 160000;
    law_find(&a.q, &law);
    assert_int_equal(law.shape, LAW_EXACT);
    assert_string_equal(law.type->is.name, "quota");
    struct correction_rule raw = {1, 0, 1};
    assert_int_equal(multiset_max(&law.values), 79000000);
    assert_int_equal(multiset_total(&law.values, raw), 160000);
    /* 800 a period, 200 periods; all 128 meet each of the 199 throttlings between them. */
    assert_int_equal(multiset_at_most(&law.values, raw, 4000000), 160000 - 199 * 128);
    law_free(&law);
    a.server.quota.budget_ns = 1600000000; /* never spent: no quota */
    law_find(&a.q, &law);
    assert_string_equal(law.type->is.name, "closed-constant");
    law_free(&law);
    a.server.workers = 3; /* the last round is no whole one */
    a.server.quota.budget_ns = 250000000;
    law_find(&a.q, &law);
    assert_int_equal(law.shape, LAW_NONE);
    law_free(&law);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quota_that_workers_without_rest_spend_is_a_suspend_each_period),
        cmocka_unit_test(last_come_first_served_serves_one_client_and_then_the_others),
        cmocka_unit_test(sharing_lets_all_end_together),
        cmocka_unit_test(sixteen_workers_on_four_cpus_stand_for_75_of_100_ms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
