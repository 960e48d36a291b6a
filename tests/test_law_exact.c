/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The exact laws against a run of every request over a table of every nanosecond, on thousands of
   small questions: odd stall phases, overlapping and touching stalls, service longer than the
   interval or none at all, intervals that are no whole number of ns. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "models/base/random.h"
#include "models/laws/law.h"
#include "models/loads/load.h"
#include "models/policies/late.h"
#include "models/stalls/stall.h"
#include "tests/plain_server.h"

extern const struct law_type law_schedule, law_closed_constant, law_paced_skip;

enum kind { KIND_OPEN, KIND_CATCH_UP, KIND_SKIP, KIND_CLOSED };

struct dice {
    struct stream stream;
    uint64_t next;
};

static uint64_t roll(struct dice *dice, uint64_t bound)
{
    return below(stream_word(dice->stream, dice->next++), bound);
}

/* A question with all it points to. */
struct asked {
    struct server server;
    struct stall stalls[4];
    struct constant service, think;
    struct load_plan load;
    struct open_load open;
    struct closed_load closed;
    struct paced_load paced;
    struct catch_up catch_up;
    struct run_plan run;
    struct law_question q;
    const struct law_type *law;
};

static void draw_stalls(struct dice *dice, struct asked *a)
{
    static const struct stall_type *const modes[] = {&stall_suspend, &stall_suspend, &stall_gate,
                                                     &stall_blackout};
    a->server.stalls = a->stalls;
    a->server.stall_count = roll(dice, 4);
    for (size_t i = 0; i < a->server.stall_count; i++) {
        struct stall *stall = &a->stalls[i];
        stall->mode = modes[roll(dice, 4)];
        stall->first_ns = roll(dice, 120);
        stall->every_ns = roll(dice, 3) == 0 ? 0 : 10 + roll(dice, 200);
        stall->last_ns = roll(dice, 8) == 0 ? 0 : roll(dice, 60);
        if (stall->every_ns > 0)
            stall->last_ns %= roll(dice, 4) == 0 ? stall->every_ns : stall->every_ns / 2;
        if (i > 0 && roll(dice, 5) == 0) /* touches the one before */
            stall->first_ns = a->stalls[i - 1].first_ns + a->stalls[i - 1].last_ns;
    }
}

/* An interval of ten ns or so, whole or with a fraction. */
static void draw_pace(struct dice *dice, struct ratio *rate, ns_t *every_ns)
{
    *rate = (struct ratio){0, 1};
    *every_ns = 0;
    if (roll(dice, 2) == 0)
        *every_ns = 1 + roll(dice, 20);
    else
        *rate = ratio_make(1000000000 * (1 + roll(dice, 7)), 1 + roll(dice, 60));
}

static void draw_load(struct dice *dice, struct asked *a, enum kind kind)
{
    static const struct {
        const struct load_type *load;
        const struct law_type *law;
    } kinds[] = {
        [KIND_OPEN] = {&load_open, &law_schedule},
        [KIND_CATCH_UP] = {&load_paced, &law_schedule},
        [KIND_SKIP] = {&load_paced, &law_paced_skip},
        [KIND_CLOSED] = {&load_closed, &law_closed_constant},
    };
    a->law = kinds[kind].law;
    a->load.kind.type = &kinds[kind].load->is;
    uint64_t clients = 1 + roll(dice, roll(dice, 3) == 0 ? 20 : 5);
    switch (kind) {
    case KIND_OPEN:
        draw_pace(dice, &a->open.rate_per_s, &a->open.every_ns);
        a->open.arrivals = (struct choice){&arrivals_even.is, NULL};
        a->open.max_in_flight = roll(dice, 3) == 0 ? UNLIMITED : clients;
        a->load.kind.params = &a->open;
        break;
    case KIND_CATCH_UP:
    case KIND_SKIP:
        draw_pace(dice, &a->paced.rate_per_s, &a->paced.every_ns);
        a->paced.connections = clients;
        a->paced.late = (struct choice){&late_skip.is, NULL};
        if (kind == KIND_CATCH_UP)
            a->paced.late = (struct choice){&late_catch_up.is, &a->catch_up};
        a->load.kind.params = &a->paced;
        break;
    case KIND_CLOSED:
        a->closed.clients = clients;
        a->closed.think = (struct choice){&distribution_constant.is, &a->think};
        a->closed.stagger_ns = roll(dice, 2) == 0 ? 0 : roll(dice, 80);
        a->think.value_ns = roll(dice, 3) == 0 ? 0 : roll(dice, 60);
        a->load.kind.params = &a->closed;
        break;
    }
}

static void draw_question(struct dice *dice, struct asked *a, enum kind kind)
{
    static const enum instant pairs[][2] = {
        {INSTANT_DUE, INSTANT_FINISHED},  {INSTANT_ACQUIRED, INSTANT_FINISHED},
        {INSTANT_SENT, INSTANT_FINISHED}, {INSTANT_STARTED, INSTANT_FINISHED},
        {INSTANT_DUE, INSTANT_SENT},      {INSTANT_DUE, INSTANT_STARTED},
        {INSTANT_SENT, INSTANT_STARTED},
    };
    memset(a, 0, sizeof *a);
    a->service.value_ns = roll(dice, 6) == 0 ? 0 : roll(dice, 40);
    a->server.service = (struct choice){&distribution_constant.is, &a->service};
    a->server.workers = roll(dice, 6) == 0 ? UNLIMITED : 1 + roll(dice, 5);
    a->server.queue_limit = UNLIMITED;
    draw_stalls(dice, a);
    draw_load(dice, a, kind);
    a->run.requests = 1 + roll(dice, roll(dice, 4) == 0 ? 600 : 60);
    if (roll(dice, 3) == 0)
        a->run.duration_ns = 1 + roll(dice, 3000);
    if (a->run.duration_ns > 0 && a->service.value_ns > 0 && roll(dice, 2) == 0)
        a->run.requests = 0;
    const enum instant *pair = pairs[roll(dice, 7)];
    ns_t warmup_ns = roll(dice, 3) == 0 ? roll(dice, 300) : 0;
    a->q = (struct law_question){.server = &a->server,
                                 .load = &a->load,
                                 .run = &a->run,
                                 .from = pair[0],
                                 .to = pair[1],
                                 .warmup_ns = warmup_ns};
}

static int by_value(const void *a, const void *b)
{
    ns_t x = *(const ns_t *)a, y = *(const ns_t *)b;
    return (x > y) - (x < y);
}

static void assert_same(const struct multiset *set, const ns_t *sorted, size_t count)
{
    struct correction_rule raw = {1, 0, 1};
    u128 sum = 0;
    assert_true(multiset_total(set, raw) == count);
    for (size_t i = 0; i < count; i++) {
        sum += sorted[i];
        if (count <= 100 || i % 16 == 0)
            assert_int_equal(multiset_select(set, raw, i + 1), sorted[i]);
        if (i + 1 == count || sorted[i + 1] > sorted[i])
            assert_true(multiset_at_most(set, raw, sorted[i]) == i + 1);
        if (sorted[i] > 0 && (i == 0 || sorted[i - 1] < sorted[i]))
            assert_true(multiset_at_most(set, raw, sorted[i] - 1) == i);
    }
    assert_true(multiset_sum(set, raw) == sum);
    if (count > 0) {
        assert_int_equal(multiset_min(set, raw), sorted[0]);
        assert_int_equal(multiset_max(set), sorted[count - 1]);
    }
}

/* Returns 1 when the question could be put to both. */
static int compare(const struct asked *a, struct plain_run *run)
{
    static const char *const late_answer = "Some answers come after the client's timeout.";
    ns_t values[PLAIN_MOST], longest_ns = 0;
    size_t count = 0;
    plain_run(&a->q, run);
    if (run->too_long)
        return 0;
    for (size_t i = 0; i < run->count; i++) {
        const struct plain_request *r = &run->requests[i];
        if (r->finished_ns - r->sent_ns > longest_ns)
            longest_ns = r->finished_ns - r->sent_ns;
        if (r->due_ns >= a->q.warmup_ns)
            values[count++] = plain_instant(r, a->q.to) - plain_instant(r, a->q.from);
    }
    qsort(values, count, sizeof values[0], by_value);
    struct multiset set;
    char why[LAW_WHY_SIZE] = "";
    if (!a->law->exact(&a->q, &set, why)) {
        assert_string_equal(why, late_answer);
        assert_true(a->load.timeout_ns > 0 && longest_ns > a->load.timeout_ns);
        return 1;
    }
    assert_true(a->load.timeout_ns == 0 || longest_ns <= a->load.timeout_ns);
    assert_same(&set, values, count);
    multiset_free(&set);
    return 1;
}

static void compare_many(enum kind kind, uint64_t seed, int rounds)
{
    struct dice dice = {stream_open(seed, 0, 0, PURPOSE_SERVICE), 0};
    struct plain_run *run = malloc(sizeof *run);
    int compared = 0;
    for (int i = 0; i < rounds; i++) {
        struct asked a;
        draw_question(&dice, &a, kind);
        if (roll(&dice, 10) == 0)
            a.load.timeout_ns = 1 + roll(&dice, 200);
        int one = compare(&a, run);
        compared += one;
    }
    free(run);
    assert_true(compared > rounds * 3 / 4);
}

static void even_open_loads_are_as_if_every_request_were_run(void **state)
{
    (void)state;
    compare_many(KIND_OPEN, 1, 4000);
}

static void paced_loads_that_catch_up_are_as_if_every_request_were_run(void **state)
{
    (void)state;
    compare_many(KIND_CATCH_UP, 2, 3000);
}

static void paced_loads_that_skip_are_as_if_every_request_were_run(void **state)
{
    (void)state;
    compare_many(KIND_SKIP, 3, 4000);
}

static void closed_loops_are_as_if_every_request_were_run(void **state)
{
    (void)state;
    compare_many(KIND_CLOSED, 4, 4000);
}

/* The canary: a law whose service is 1 ns too long must not pass for the right one. */
static void a_service_that_is_1_ns_longer_shows_in_every_question(void **state)
{
    (void)state;
    struct dice dice = {stream_open(5, 0, 0, PURPOSE_SERVICE), 0};
    struct plain_run *run = malloc(sizeof *run);
    for (int i = 0; i < 400; i++) {
        struct asked a;
        draw_question(&dice, &a, (enum kind)(i % 4));
        a.q.from = INSTANT_DUE;
        a.q.to = INSTANT_FINISHED;
        a.q.warmup_ns = 0;
        a.run.requests = 1 + roll(&dice, 40);
        a.run.duration_ns = 0;
        for (size_t j = 0; j < a.server.stall_count; j++)
            if (a.stalls[j].mode == &stall_blackout) /* whose end hides what a service took */
                a.stalls[j].mode = &stall_gate;
        plain_run(&a.q, run);
        a.service.value_ns++;
        struct multiset set;
        char why[LAW_WHY_SIZE];
        if (run->too_long || !a.law->exact(&a.q, &set, why))
            continue;
        u128 sum = 0;
        for (size_t j = 0; j < run->count; j++)
            sum += run->requests[j].finished_ns - run->requests[j].due_ns;
        struct correction_rule raw = {1, 0, 1};
        assert_true(multiset_sum(&set, raw) != sum || multiset_total(&set, raw) != run->count);
        multiset_free(&set);
    }
    free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(even_open_loads_are_as_if_every_request_were_run),
        cmocka_unit_test(paced_loads_that_catch_up_are_as_if_every_request_were_run),
        cmocka_unit_test(paced_loads_that_skip_are_as_if_every_request_were_run),
        cmocka_unit_test(closed_loops_are_as_if_every_request_were_run),
        cmocka_unit_test(a_service_that_is_1_ns_longer_shows_in_every_question),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
