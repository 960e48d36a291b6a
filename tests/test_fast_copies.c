/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "models/plan.h"
#include "sim/fast.h"
#include "tests/fast_both.h"
#include "tests/fast_scenes.h"
#include "tests/two_ways.h"

/* Most scenarios must be taken, and in many of them everything that can happen to a copy must. */
static void hold(unsigned unit, unsigned most, unsigned workers, uint64_t seeds)
{
    struct fast_tally tally = {0};
    for (uint64_t seed = 1; seed <= fast_so_many(seeds) && tally.differ < 5; seed++) {
        char *text = fast_scene_of_copies(seed, unit, most, workers);
        fast_try_both(text, seed, unit, &tally);
        free(text);
    }
    unsigned many = (unsigned)fast_so_many(seeds) / 50;
    assert_int_equal(tally.differ, 0);
    assert_true(tally.taken > fast_so_many(seeds) / 2);
    assert_true(tally.resent > 8 * many);
    assert_true(tally.cancelled > 8 * many);
    assert_true(tally.wasted > 8 * many);
    assert_true(tally.timed_out > 4 * many);
    assert_true(tally.refused > many);
    assert_true(tally.withheld > many);
}

static void every_row_and_total_of_copies_is_the_engines(void **state)
{
    (void)state;
    hold(1, 60, 3, 8000);
    hold(1000003, 60, 3, 2000);
}

static void so_it_is_with_many_in_service_and_over_many_batches(void **state)
{
    (void)state;
    hold(1, 200, 60, 2000);
    hold(1009, 200, 60, 1000);
    hold(1009, 5000, 40, 150);
}

static bool is_taken(const char *server, const char *load, const char *run)
{
    char *text = scene(server, load, run);
    struct plan *plan = plan_from(text);
    struct engine_request request = {.plan = plan};
    bool taken = fast_accepts(&request);
    plan_free(plan);
    free(text);
    return taken;
}

#define SERVER "'service': {'exponential': 3}, 'replicas': 2"
#define LOAD "'open': {'every': 2}"
#define RUN "'requests': 20"

static void what_it_does_not_know_is_left_to_the_engine(void **state)
{
    (void)state;
    static const char *const servers[] = {
        SERVER ", 'queue': 'lifo'",
        SERVER ", 'queue': 'processor-sharing'",
        SERVER ", 'stalls': [{'mode': 'suspend', 'first': 3, 'last': 2}]",
        SERVER ", 'load_dependence': 0.5",
        SERVER ", 'quota': {'budget': 3, 'period': 5}",
        SERVER ", 'behind': {'service': {'constant': 1}}",
        SERVER ", 'network': {'delay': {'constant': 1}}",
    };
    static const char *const loads[] = {
        "'open': {'every': 2, 'max_in_flight': 3}, 'hedge': {'after': 3}",
        "'closed': {'clients': 3}, 'hedge': {'after': 3}",
        LOAD ", 'hedge': {'percentile': 95}",
        LOAD ", 'tied': {}",
        LOAD ", 'fan_out': 2",
        LOAD ", 'retry': {'after': 3, 'jitter': 0.5}",
        LOAD ", 'retry': {'after': 3, 'copies': 3, 'backoff': 2}",
        LOAD ", 'hedge': {'after': 3}, 'idempotent': false",
        LOAD ", 'hedge': {'after': 3}, 'overhead': 1",
        LOAD ", 'hedge': {'after': 3}, 'generator': {'cost': 1}",
    };
    for (size_t i = 0; i < sizeof servers / sizeof servers[0]; i++)
        assert_false(is_taken(servers[i], LOAD ", 'hedge': {'after': 3}", RUN));
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++)
        assert_false(is_taken(SERVER, loads[i], RUN));
    assert_false(is_taken(SERVER, LOAD ", 'hedge': {'after': 3}", RUN ", 'cut': 5"));
    assert_true(is_taken(SERVER, LOAD ", 'hedge': {'after': 3}", RUN));
    assert_true(is_taken(SERVER, LOAD ", 'retry': {'after': 3, 'backoff': 2}", RUN));
    assert_true(is_taken(SERVER ", 'queue_limit': 2", LOAD ", 'timeout': 3", RUN));
}

static enum engine_end end_of(const char *server, const char *load, bool fast)
{
    char *text = scene(server, load, RUN);
    struct plan *plan = plan_from(text);
    struct engine_request request = {.plan = plan};
    struct engine_totals totals;
    assert_true(fast_accepts(&request));
    enum engine_end end = fast ? fast_run(&request, &totals) : engine_run(&request, &totals);
    plan_free(plan);
    free(text);
    return end;
}

static void beyond_the_clock_there_is_no_copy(void **state)
{
    (void)state;
    static const struct {
        const char *server, *load;
        enum engine_end end;
    } cases[] = {
        {"'service': {'constant': '2000000000s'}", "'open': {'every': '1s'}, 'retry': {'after': 1}",
         ENGINE_OVERFLOW},
        {"'service': {'constant': 1}", "'open': {'every': 1}, 'retry': {'after': '4600000000s'}",
         ENGINE_DONE},
        {"'service': {'constant': 1}", "'open': {'every': '1s'}, 'retry': {'after': '4611686018s'}",
         ENGINE_OVERFLOW},
        {"'service': {'samples': [1, '4600000000s']}, 'workers': 'unlimited'",
         "'open': {'every': '20000000s'}, 'retry': {'after': 5, 'cancel': 'in-service'}",
         ENGINE_DONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int fast = 0; fast < 2; fast++)
            assert_int_equal(end_of(cases[i].server, cases[i].load, fast > 0), cases[i].end);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_and_total_of_copies_is_the_engines),
        cmocka_unit_test(so_it_is_with_many_in_service_and_over_many_batches),
        cmocka_unit_test(what_it_does_not_know_is_left_to_the_engine),
        cmocka_unit_test(beyond_the_clock_there_is_no_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
