/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The law that goes request by request, against a server that is run nanosecond by nanosecond. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "models/base/random.h"
#include "models/stalls/stall.h"
#include "tests/random_question.h"

extern const struct law_type law_one_by_one;
extern const struct stall_type stall_slowdown, stall_neighbour;

enum { HORIZON = 20000, MOST = 64, STALLS = 3 };

struct dice {
    struct stream stream;
    uint64_t next;
};

static uint64_t roll(struct dice *dice, uint64_t bound)
{
    return below(stream_word(dice->stream, dice->next++), bound);
}

/* A question with all it points to, and its due instants. */
struct drawn {
    struct asked a;
    struct stall stalls[STALLS];
    ns_t due_ns[MOST];
    struct times times;
};

static void draw_stall(struct dice *dice, struct stall *stall)
{
    static const struct stall_type *const modes[] = {&stall_suspend,  &stall_gate,
                                                     &stall_blackout, &stall_reject,
                                                     &stall_slowdown, &stall_neighbour};
    *stall = (struct stall){.mode = modes[roll(dice, 6)],
                            .first_ns = roll(dice, 200),
                            .last_ns = roll(dice, 60),
                            .lost = {1 + roll(dice, 3), 4 + roll(dice, 3)}};
    if (roll(dice, 2) == 0)
        stall->every_ns = stall->last_ns + 1 + roll(dice, 100);
}

static void draw_question(struct dice *dice, struct drawn *d)
{
    *d = (struct drawn){0};
    offer_open(&d->a, &arrivals_times, 0);
    uint64_t count = 1 + roll(dice, MOST), spread = 1 + roll(dice, 25);
    for (uint64_t i = 1; i < count; i++)
        d->due_ns[i] = d->due_ns[i - 1] + roll(dice, spread);
    d->times = (struct times){{d->due_ns, count}};
    d->a.open.arrivals.params = &d->times;
    serve_constant(&d->a, roll(dice, 20) + 1);
    d->a.server.workers = 1 + roll(dice, 3);
    d->a.server.stalls = d->stalls;
    d->a.server.stall_count = roll(dice, STALLS + 1);
    for (size_t i = 0; i < d->a.server.stall_count; i++)
        draw_stall(dice, &d->stalls[i]);
    if (roll(dice, 2) == 0) /* one alone: several halvings multiply to long fractions */
        d->stalls[0].halves_ns = 1 + roll(dice, 30);
    static const enum instant froms[] = {INSTANT_DUE, INSTANT_STARTED};
    d->a.q.from = froms[roll(dice, 2)];
    d->a.q.warmup_ns = roll(dice, 3) == 0 ? roll(dice, 200) : 0;
    d->a.run.requests = 1 + roll(dice, 2 * MOST);
    d->a.run.duration_ns = roll(dice, 3) == 0 ? 1 + roll(dice, 500) : 0;
}

/* ---- the server, ns by ns ---- */

static bool is_on(const struct stall *stall, ns_t now_ns, ns_t *since_ns)
{
    for (ns_t begin_ns = stall->first_ns; begin_ns <= now_ns; begin_ns += stall->every_ns) {
        *since_ns = now_ns - begin_ns;
        if (*since_ns < stall->last_ns)
            return true;
        if (stall->every_ns == 0)
            break;
    }
    return false;
}

/* What goes on in [now, now + 1). */
struct moment {
    bool stopped, suspended, refuses, holds;
    double speed;
};

static struct moment moment_of(const struct server *server, ns_t now_ns)
{
    struct moment m = {.speed = 1.0};
    for (size_t i = 0; i < server->stall_count; i++) {
        const struct stall *stall = &server->stalls[i];
        ns_t since_ns = 0;
        if (!is_on(stall, now_ns, &since_ns))
            continue;
        double lost = (double)stall->lost.num / (double)stall->lost.den;
        for (ns_t k = 1; stall->halves_ns != 0 && k * stall->halves_ns <= since_ns; k++)
            lost = k >= 20 ? 0.0 : lost / 2.0;
        m.stopped = m.stopped || stall->mode->stops_starts;
        m.suspended = m.suspended || stall->mode->stops_work;
        m.holds = m.holds || stall->mode->holds_answers;
        m.refuses = m.refuses || stall->mode->refuses;
        if (stall->mode->slows)
            m.speed *= 1.0 - lost;
    }
    if (m.suspended)
        m.speed = 0.0;
    return m;
}

enum state { FUTURE, WAITING, RUNNING, HELD, GONE, REFUSED };

struct request {
    enum state state;
    double left;
    ns_t started_ns, finished_ns;
};

/* Whether a blackout began before now and lasts beyond it; two that touch are two. */
static bool held_at(const struct server *server, ns_t now_ns)
{
    bool held = false;
    for (size_t i = 0; i < server->stall_count; i++) {
        const struct stall *stall = &server->stalls[i];
        ns_t since_ns = 0;
        if (stall->mode->holds_answers && is_on(stall, now_ns, &since_ns) && since_ns > 0)
            held = true;
    }
    return held;
}

static uint64_t busy_of(const struct request *r, size_t count)
{
    uint64_t busy = 0;
    for (size_t i = 0; i < count; i++)
        busy += r[i].state == RUNNING || r[i].state == HELD;
    return busy;
}

static void run_moment(const struct drawn *d, struct request *r, size_t count, ns_t now_ns)
{
    const struct server *server = &d->a.server;
    struct moment m = moment_of(server, now_ns);
    for (size_t i = 0; i < count; i++) {
        if (r[i].state == RUNNING && r[i].left < 1e-9)
            r[i].state = HELD;
        if (r[i].state == HELD && !held_at(server, now_ns)) {
            r[i].state = GONE;
            r[i].finished_ns = now_ns;
        }
    }
    for (size_t i = 0; i < count; i++)
        if (d->due_ns[i] == now_ns)
            r[i].state = m.refuses ? REFUSED : WAITING;
    uint64_t busy = busy_of(r, count);
    for (size_t i = 0; i < count && !m.stopped && busy < server->workers; i++) {
        if (r[i].state != WAITING)
            continue;
        r[i] = (struct request){RUNNING, (double)d->a.constant.value_ns, now_ns, 0};
        busy++;
    }
    for (size_t i = 0; i < count; i++)
        if (r[i].state == RUNNING)
            r[i].left -= m.speed;
}

static int by_value(const void *a, const void *b)
{
    ns_t x = *(const ns_t *)a, y = *(const ns_t *)b;
    return (x > y) - (x < y);
}

/* The values that a recorder would hold, sorted; how many. */
static size_t values_of(const struct drawn *d, ns_t *values)
{
    struct request r[MOST] = {{FUTURE, 0.0, 0, 0}};
    size_t count = 0, kept = 0;
    ns_t end_ns = d->a.run.duration_ns != 0 ? d->a.run.duration_ns : HORIZON;
    while (count < d->times.at.count && count < d->a.run.requests && d->due_ns[count] < end_ns)
        count++;
    for (ns_t now_ns = 0; now_ns < HORIZON; now_ns++)
        run_moment(d, r, count, now_ns);
    for (size_t i = 0; i < count; i++) {
        assert_true(r[i].state == GONE || r[i].state == REFUSED);
        if (r[i].state == REFUSED || d->due_ns[i] < d->a.q.warmup_ns)
            continue;
        ns_t from_ns = d->a.q.from == INSTANT_DUE ? d->due_ns[i] : r[i].started_ns;
        values[kept++] = r[i].finished_ns - from_ns;
    }
    qsort(values, kept, sizeof values[0], by_value);
    return kept;
}

/* How many differ. */
static size_t differences(const struct multiset *set, const ns_t *values, size_t count)
{
    struct correction_rule raw = {1, 0, 1};
    if (multiset_total(set, raw) != count)
        return count + 1;
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++)
        wrong += multiset_select(set, raw, i + 1) != values[i];
    return wrong;
}

static void every_request_is_as_if_run_ns_by_ns(void **state)
{
    (void)state;
    struct dice dice = {stream_open(11, 0, 0, PURPOSE_SERVICE), 0};
    int slowed = 0, refused_some = 0;
    for (int round = 0; round < 1500; round++) {
        struct drawn d;
        ns_t values[MOST];
        struct multiset set;
        char why[LAW_WHY_SIZE] = "";
        draw_question(&dice, &d);
        if (!law_one_by_one.exact(&d.a.q, &set, why))
            fail_msg("round %d: %s", round, why);
        size_t count = values_of(&d, values), wrong = differences(&set, values, count);
        if (wrong > 0)
            fail_msg("round %d: %zu of %zu values differ", round, wrong, count);
        for (size_t i = 0; i < d.a.server.stall_count; i++) {
            slowed += d.stalls[i].mode->slows;
            refused_some += d.stalls[i].mode->refuses;
        }
        multiset_free(&set);
    }
    assert_true(slowed > 300 && refused_some > 150);
}

/* The canary: a service of 1 ns more must show. */
static void a_service_of_1_ns_more_is_told_apart(void **state)
{
    (void)state;
    struct dice dice = {stream_open(12, 0, 0, PURPOSE_SERVICE), 0};
    int told = 0, asked = 0;
    for (int round = 0; round < 200; round++) {
        struct drawn d;
        ns_t values[MOST];
        struct multiset set;
        char why[LAW_WHY_SIZE] = "";
        draw_question(&dice, &d);
        size_t count = values_of(&d, values);
        d.a.constant.value_ns++;
        assert_true(law_one_by_one.exact(&d.a.q, &set, why));
        told += count > 0 && differences(&set, values, count) > 0;
        asked += count > 0;
        multiset_free(&set);
    }
    assert_true(told > asked * 9 / 10);
}

/* S3-10 and a server at a fifth of its speed: 2000 a second, away for 2 seconds. */
static void a_reject_of_2_s_refuses_4000_and_leaves_the_others_alone(void **state)
{
    (void)state;
    struct asked a = {0};
    struct law law;
    offer_open(&a, &arrivals_even, 500000);
    serve_constant(&a, 100000);
    a.run.requests = 20000;
    a.server.stall_count = 1;
    a.stall = (struct stall){.mode = &stall_reject, .first_ns = 1000000000, .last_ns = 2000000000};
    law_find(&a.q, &law);
    assert_int_equal(law.shape, LAW_EXACT);
    assert_string_equal(law.type->is.name, "one-by-one");
    assert_int_equal(multiset_total(&law.values, (struct correction_rule){1, 0, 1}), 16000);
    assert_int_equal(multiset_max(&law.values), 100000);
    law_free(&law);
    a.q.failures = FAILURES_INFINITE;
    refused(&a, "refuses is recorded too");
    a.q.failures = FAILURES_DROPPED;
    a.stall.mode = &stall_slowdown;
    a.stall.lost = (struct ratio){4, 5};
    law_find(&a.q, &law);
    assert_int_equal(law.shape, LAW_EXACT);
    assert_int_equal(multiset_at_most(&law.values, (struct correction_rule){1, 0, 1}, 499999),
                     16000);
    assert_int_equal(multiset_max(&law.values), 500000);
    law_free(&law);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_is_as_if_run_ns_by_ns),
        cmocka_unit_test(a_service_of_1_ns_more_is_told_apart),
        cmocka_unit_test(a_reject_of_2_s_refuses_4000_and_leaves_the_others_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
