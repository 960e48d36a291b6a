/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "models/base/random.h"
#include "models/loads/load.h"
#include "models/stalls/stall.h"
#include "sim/fast.h"
#include "tests/random_plan.h"
#include "tests/two_ways.h"

#define MOST_JOBS 8

/* Small jobs for time 0, many of them equal, at any of the stations. */
static void some_jobs(uint64_t seed, uint64_t stations, ns_t out_ns[MOST_JOBS],
                      size_t out_station[MOST_JOBS])
{
    struct stream dice = stream_open(seed, 1, 0, PURPOSE_START);
    for (uint64_t i = 0; i < MOST_JOBS; i++) {
        out_ns[i] = below(stream_word(dice, i), 6);
        out_station[i] = below(stream_word(dice, MOST_JOBS + i), stations);
    }
}

/* One scenario down one path and through the oracle; false where they differ, told on stderr. */
static bool same(engine_path *path, const char *text, uint64_t seed, bool jobs_at_start)
{
    struct plan *plan = plan_from(text);
    bool closed = strcmp(plan->loads[0].kind.type->name, "closed") == 0;
    ns_t jobs_ns[MOST_JOBS];
    size_t jobs_station[MOST_JOBS];
    some_jobs(seed, plan->server.replicas, jobs_ns, jobs_station);
    struct oracle_question question = {
        .plan = plan, .run = (uint32_t)(seed % 2), .replication = (uint32_t)(seed % 5)};
    if (jobs_at_start) {
        const struct closed_load *load = plan->loads[0].kind.params;
        question.jobs_ns = jobs_ns;
        question.jobs_station = seed % 3 > 0 ? jobs_station : NULL;
        question.job_count = closed ? load->clients : seed % (MOST_JOBS + 1);
    }
    struct engine_request request = engine_question(&question);
    assert_true(path == engine_run || fast_accepts(&request));
    struct oracle_answer oracle, engine;
    oracle_run(&question, &oracle);
    engine_answer(path, &question, &engine);
    bool equal = answers_equal(plan, &oracle, &engine, text);
    oracle_free(&oracle);
    oracle_free(&engine);
    plan_free(plan);
    return equal;
}

/* ORACLE_TIMES=k in the environment: k times as many. */
static uint64_t so_many(uint64_t seeds)
{
    const char *times = getenv("ORACLE_TIMES");
    uint64_t k = times ? strtoull(times, NULL, 10) : 1;
    return k > 0 ? k * seeds : seeds;
}

static void hold(engine_path *path, enum flavour flavour, bool jobs_at_start, uint64_t seeds)
{
    unsigned differ = 0;
    for (uint64_t seed = 1; seed <= so_many(seeds) && differ < 5; seed++) {
        char *text = random_scenario(seed, flavour);
        differ += !same(path, text, seed, jobs_at_start);
        free(text);
    }
    assert_int_equal(differ, 0);
}

static void every_row_and_total_of_random_scenarios_is_the_oracles(void **state)
{
    (void)state;
    hold(engine_run, FLAVOUR_SMALL, false, 20000);
}

static void so_it_is_when_jobs_or_clients_are_there_at_time_0(void **state)
{
    (void)state;
    hold(engine_run, FLAVOUR_SMALL, true, 8000);
}

static void so_it_is_over_some_hundred_requests(void **state)
{
    (void)state;
    hold(engine_run, FLAVOUR_LONG, false, 1000);
}

static void the_fast_path_is_the_oracles_too(void **state)
{
    (void)state;
    hold(fast_run, FLAVOUR_PLAIN_OPEN, false, 1500);
    hold(fast_run, FLAVOUR_PLAIN_OPEN, true, 1500);
}

static void plain_scenarios_are_the_oracles_down_the_engine_too(void **state)
{
    (void)state;
    hold(engine_run, FLAVOUR_PLAIN_OPEN, false, 500);
    hold(engine_run, FLAVOUR_PLAIN_OPEN, true, 500);
    hold(engine_run, FLAVOUR_NEARLY_PLAIN, false, 1500);
}

static bool fast_path_takes(const char *text)
{
    struct plan *plan = plan_from(text);
    struct engine_request request = {.plan = plan};
    bool takes = fast_accepts(&request);
    plan_free(plan);
    return takes;
}

static void it_takes_no_scenario_that_it_cannot_run(void **state)
{
    (void)state;
    unsigned differ = 0, taken = 0;
    for (uint64_t seed = 1; seed <= so_many(3000) && differ < 5; seed++) {
        char *text = random_scenario(seed, FLAVOUR_NEARLY_PLAIN);
        bool takes = fast_path_takes(text);
        taken += takes;
        differ += takes && !same(fast_run, text, seed, false);
        free(text);
    }
    assert_int_equal(differ, 0);
    assert_true(taken > 500);
}

static ns_t settle_ns(const struct plan *plan)
{
    return plan->run.seed % 50;
}

/* The engine with some time to settle first. */
static enum engine_end settled_run(const struct engine_request *request,
                                   struct engine_totals *totals)
{
    struct engine_request more = *request;
    more.settle_ns = settle_ns(request->plan);
    return engine_run(&more, totals);
}

static bool takes_time(struct choice c)
{
    return c.type && distribution(c)->mean_ns(c.params) > 0.0;
}

/* Of several copies or parts the first may always be one that takes no time. */
static bool may_be_quick(const struct load_plan *load)
{
    return load->resend.type != NULL || load->wait_for > 0;
}

/* Clients that send again in no time never come to the end of it; where a load claims ahead of its
   sends, and where a cut ends it, it is not as simple. */
static bool settles_simply(const struct plan *plan)
{
    const char *kind = plan->loads[0].kind.type->name;
    if (strcmp(kind, "paced") == 0 || plan->run.cut_ns > 0)
        return false;
    const struct closed_load *closed = plan->loads[0].kind.params;
    const struct load_plan *load = &plan->loads[0];
    bool refuses = plan->server.queue_limit != UNLIMITED;
    for (size_t i = 0; i < plan->server.stall_count; i++)
        refuses |= plan->server.stalls[i].mode->refuses;
    return strcmp(kind, "closed") != 0 || takes_time(closed->think) ||
           (takes_time(plan->server.service) && !refuses && !may_be_quick(load));
}

/* As if the run were so many requests, or so much time, longer. */
static bool same_once_settled(const char *text, uint64_t seed)
{
    struct plan *plan = plan_from(text);
    if (!settles_simply(plan)) {
        plan_free(plan);
        return true;
    }
    struct oracle_question question = {.plan = plan, .replication = (uint32_t)(seed % 5)};
    struct oracle_answer oracle, engine;
    engine_answer(settled_run, &question, &engine);
    uint64_t before = 0;
    for (size_t i = 0; i < engine.count; i++)
        before += engine.rows[i].due < settle_ns(plan);
    engine.claimed += before;
    plan->run.requests += plan->run.requests > 0 ? before : 0;
    plan->run.duration_ns += plan->run.duration_ns > 0 ? settle_ns(plan) : 0;
    oracle_run(&question, &oracle);
    bool equal = answers_equal(plan, &oracle, &engine, text);
    oracle_free(&oracle);
    oracle_free(&engine);
    plan_free(plan);
    return equal;
}

static void what_is_sent_before_the_run_has_settled_comes_on_top(void **state)
{
    (void)state;
    unsigned differ = 0;
    for (uint64_t seed = 1; seed <= so_many(5000) && differ < 5; seed++) {
        char *text = random_scenario(seed, FLAVOUR_SMALL);
        differ += !same_once_settled(text, seed);
        free(text);
    }
    assert_int_equal(differ, 0);
}

/* The comparison itself must be able to fail. */
static void one_ns_in_one_instant_of_one_request_is_a_difference(void **state)
{
    (void)state;
    char *text = scene("'service': {'constant': 3}", "'open': {'every': 2}", "'requests': 20");
    struct plan *plan = plan_from(text);
    struct oracle_question question = {.plan = plan};
    for (int change = 0; change < 5; change++) {
        struct oracle_answer oracle, engine;
        oracle_run(&question, &oracle);
        engine_answer(engine_run, &question, &engine);
        assert_true(answers_equal(plan, &oracle, &engine, text));
        engine.rows[7].finished += change == 0;
        engine.rows[19].started -= change == 1;
        engine.rows[0].acquired += change == 2;
        engine.in_flight_ns += change == 3;
        engine.count -= change == 4;
        assert_false(answers_equal(plan, &oracle, &engine, "a scene that was changed on purpose"));
        oracle_free(&oracle);
        oracle_free(&engine);
    }
    plan_free(plan);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_and_total_of_random_scenarios_is_the_oracles),
        cmocka_unit_test(so_it_is_when_jobs_or_clients_are_there_at_time_0),
        cmocka_unit_test(so_it_is_over_some_hundred_requests),
        cmocka_unit_test(the_fast_path_is_the_oracles_too),
        cmocka_unit_test(plain_scenarios_are_the_oracles_down_the_engine_too),
        cmocka_unit_test(it_takes_no_scenario_that_it_cannot_run),
        cmocka_unit_test(what_is_sent_before_the_run_has_settled_comes_on_top),
        cmocka_unit_test(one_ns_in_one_instant_of_one_request_is_a_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
