/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/two_ways.h"

/* Timelines worked by hand, in ns unless they say so; the engine and the oracle must both show
   them.  Each request: number, due, sent, started, finished. */

static void a_window_holds_requests_back_first_come_first_served(void **state)
{
    (void)state;
    /* At 10 the slot due at 5 leaves, not the one due at 10. */
    timeline("'service': {'constant': 10}, 'workers': 'unlimited'",
             "'open': {'every': 5, 'max_in_flight': 1}", "'requests': 3",
             "0 0 0 0 10 | 1 5 10 10 20 | 2 10 20 20 30");
}

static void giving_up_frees_the_window(void **state)
{
    (void)state;
    timeline("'service': {'constant': 10}, 'workers': 'unlimited'",
             "'open': {'every': 5, 'max_in_flight': 1}, 'timeout': 6", "'requests': 2",
             "0 0 0 0 6 given up, left 10 | 1 5 6 6 12 given up, left 16");
}

static void a_closed_load_ends_before_its_duration(void **state)
{
    (void)state;
    timeline("'service': {'constant': 5}", "'closed': {'clients': 1}", "'duration': 10",
             "0 0 0 0 5 | 1 5 5 5 10");
}

static void requests_of_a_closed_load_are_sends_over_all_clients(void **state)
{
    (void)state;
    timeline("'service': {'constant': 5}", "'closed': {'clients': 2, 'think': {'constant': 1}}",
             "'requests': 3", "0 0 0 0 5 | 1 0 0 5 10 | 2 6 6 10 15");
}

static void a_client_that_is_refused_goes_on_at_once(void **state)
{
    (void)state;
    timeline("'service': {'constant': 5}, 'queue_limit': 0", "'closed': {'clients': 2}",
             "'requests': 3", "0 0 0 0 5 | 1 0 0 0 0 refused | 2 0 0 0 0 refused");
}

static void a_slot_due_as_the_answer_comes_is_sent_not_dropped(void **state)
{
    (void)state;
    timeline("'service': {'samples': [20, 1, 1, 1]}", "'paced': {'every': 10, 'late': 'skip'}",
             "'requests': 4", "0 0 0 0 20 | 2 20 20 20 21 | 3 30 30 30 31");
}

static void skip_drops_and_counts_what_was_due_strictly_before_the_answer(void **state)
{
    (void)state;
    struct oracle_answer got = both_ways("'service': {'samples': [25, 1, 1, 1, 1]}",
                                         "'paced': {'every': 10, 'late': 'skip'}", "'requests': 5");
    assert_int_equal(got.count, 3);
    assert_int_equal(got.rows[1].number, 3);
    assert_int_equal(got.rows[1].sent, 30);
    assert_int_equal(got.dropped, 2);
    assert_int_equal(got.claimed, 5);
    oracle_free(&got);
}

static void coalesce_sends_the_oldest_missed_slot_and_drops_the_others(void **state)
{
    (void)state;
    timeline("'service': {'samples': [35, 1, 1, 1, 1]}",
             "'paced': {'every': 10, 'late': 'coalesce'}", "'requests': 5",
             "0 0 0 0 35 | 1 10 35 35 36 | 4 40 40 40 41");
}

static void rebase_moves_the_schedule_to_the_answer(void **state)
{
    (void)state;
    timeline("'service': {'samples': [25, 1, 1, 1]}", "'paced': {'every': 10, 'late': 'rebase'}",
             "'requests': 4", "0 0 0 0 25 | 1 25 25 25 26 | 2 35 35 35 36 | 3 45 45 45 46");
    timeline("'service': {'samples': [25, 1, 1, 1]}", "'paced': {'every': 10, 'late': 'rebase'}",
             "'duration': 35", "0 0 0 0 25 | 1 25 25 25 26");
}

static void catch_up_keeps_due_times_and_goes_back_to_back(void **state)
{
    (void)state;
    timeline("'service': {'samples': [35, 1, 1, 1, 1]}", "'paced': {'every': 10}", "'requests': 5",
             "0 0 0 0 35 | 1 10 35 35 36 | 2 20 36 36 37 | 3 30 37 37 38 | 4 40 40 40 41");
}

static void a_factor_keeps_sends_apart_while_catching_up(void **state)
{
    (void)state;
    /* 10 / 1.5 = 6.67: at least 6 apart. */
    timeline("'service': {'samples': [25, 1, 1, 1, 1]}",
             "'paced': {'every': 10, 'late': {'catch-up': {'factor': 1.5}}}", "'requests': 5",
             "0 0 0 0 25 | 1 10 25 25 26 | 2 20 31 31 32 | 3 30 37 37 38 | 4 40 43 43 44");
}

static void what_is_under_way_at_the_cut_is_cut(void **state)
{
    (void)state;
    timeline("'service': {'constant': 10}", "'open': {'every': 5, 'max_in_flight': 3}",
             "'requests': 9, 'cut': 20",
             "0 0 0 0 10 | 1 5 5 10 20 | 2 10 10 20 20 cut | 3 15 15 20 20 cut | "
             "4 20 20 20 20 cut");
}

/* ---- longer ones ---- */

static ns_t response(const struct oracle_answer *a, size_t i)
{
    return a->rows[i].finished - a->rows[i].due;
}

static void a_queued_schedule_shows_the_whole_wait_by_itself(void **state)
{
    (void)state;
    static const ns_t expected_us[] = {20000, 16500, 13000, 9500, 6000, 2500,
                                       500,   500,   500,   500,  500,  500};
    struct oracle_answer got = both_ways(
        "'service': {'samples': ['20ms', '0.5ms', '0.5ms', '0.5ms', '0.5ms', '0.5ms', '0.5ms',"
        " '0.5ms', '0.5ms', '0.5ms', '0.5ms', '0.5ms']}",
        "'paced': {'every': '4ms'}", "'requests': 12");
    assert_int_equal(got.count, 12);
    for (size_t i = 0; i < 12; i++)
        assert_int_equal(response(&got, i), expected_us[i] * NS_PER_US);
    oracle_free(&got);
}

static void from_due_may_exceed_the_longest_service(void **state)
{
    (void)state;
    static const ns_t expected[] = {30, 50, 42, 34, 26, 18, 10, 2, 2, 2};
    struct oracle_answer got = both_ways("'service': {'samples': [30, 30, 2, 2, 2, 2, 2, 2, 2, 2]}",
                                         "'paced': {'every': 10}", "'requests': 10");
    assert_int_equal(got.count, 10);
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(response(&got, i), expected[i]);
    oracle_free(&got);
}

/* One answer of 500 ms in 200 slots of 10 ms; how many leave late, and the sum of the responses. */
static void one_late_answer(const char *late, uint64_t late_count, ns_t sum_us, ns_t last_sent_us)
{
    char server[4096], load[200];
    size_t n = (size_t)snprintf(server, sizeof server, "'service': {'samples': ['500ms'");
    for (int i = 1; i < 200; i++)
        n += (size_t)snprintf(server + n, sizeof server - n, ", '1ms'");
    snprintf(server + n, sizeof server - n, "]}");
    snprintf(load, sizeof load, "'paced': {'every': '10ms', 'late': %s}", late);
    struct oracle_answer got = both_ways(server, load, "'requests': 200");
    uint64_t left_late = 0;
    ns_t sum = 0;
    for (size_t i = 0; i < got.count; i++) {
        left_late += got.rows[i].sent > got.rows[i].due;
        sum += response(&got, i);
    }
    assert_int_equal(left_late, late_count);
    assert_int_equal(sum / NS_PER_US, sum_us);
    assert_int_equal(got.rows[got.count - 1].sent / NS_PER_US, last_sent_us);
    oracle_free(&got);
}

static void the_catch_up_policy_decides_how_long_a_late_answer_is_felt(void **state)
{
    (void)state;
    one_late_answer("'catch-up'", 55, 14284000, 1990000);
    one_late_answer("{'catch-up': {'factor': 1.5}}", 147, 36958992, 1990000);
    one_late_answer("{'catch-up': {'factor': 1}}", 199, 98209000, 2480000);
    one_late_answer("'skip'", 0, 650000, 1990000);
}

static void a_frozen_server_delays_889_of_2000(void **state)
{
    (void)state;
    struct oracle_answer got =
        both_ways("'service': {'constant': '1ms'},"
                  " 'stalls': [{'mode': 'suspend', 'first': '8s', 'last': '8s'}]",
                  "'open': {'rate': 100}", "'requests': 2000");
    uint64_t delayed = 0;
    for (size_t i = 0; i < got.count; i++)
        delayed += response(&got, i) > NS_PER_MS;
    assert_int_equal(delayed, 889);
    assert_int_equal(response(&got, 800), 8001 * NS_PER_MS);
    assert_int_equal(response(&got, 801), 7992 * NS_PER_MS);
    oracle_free(&got);
}

static void one_timeline_of_20_stalls_is_20_slow_sends_or_39820_slow_responses(void **state)
{
    (void)state;
    const char *server = "'service': {'constant': '100us'}, 'stalls': [{'mode': 'suspend',"
                         " 'first': '500ms', 'every': '1s', 'last': '200ms'}]";
    struct oracle_answer paced =
        both_ways(server, "'paced': {'rate': 5000, 'connections': 1}", "'requests': 100000");
    struct oracle_answer open = both_ways(server, "'open': {'rate': 5000}", "'requests': 100000");
    uint64_t slow_sends = 0, slow_responses = 0;
    ns_t from_sent = 0, from_due = 0;
    for (size_t i = 0; i < 100000; i++) {
        ns_t send = paced.rows[i].finished - paced.rows[i].sent;
        from_sent += send;
        from_due += response(&open, i);
        slow_sends += send > NS_PER_MS;
        slow_responses += response(&open, i) > NS_PER_MS;
        assert_int_equal(paced.rows[i].finished, open.rows[i].finished);
    }
    assert_int_equal(slow_sends, 20);
    assert_int_equal(slow_responses, 39820);
    assert_int_equal(from_sent, 14 * NS_PER_S);
    assert_int_equal(from_due, 4012 * NS_PER_S);
    assert_int_equal(paced.stalls, 20);
    assert_int_equal(open.stalls, 20);
    assert_int_equal(paced.last_answer, open.last_answer);
    oracle_free(&paced);
    oracle_free(&open);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_holds_requests_back_first_come_first_served),
        cmocka_unit_test(giving_up_frees_the_window),
        cmocka_unit_test(a_closed_load_ends_before_its_duration),
        cmocka_unit_test(requests_of_a_closed_load_are_sends_over_all_clients),
        cmocka_unit_test(a_client_that_is_refused_goes_on_at_once),
        cmocka_unit_test(a_slot_due_as_the_answer_comes_is_sent_not_dropped),
        cmocka_unit_test(skip_drops_and_counts_what_was_due_strictly_before_the_answer),
        cmocka_unit_test(coalesce_sends_the_oldest_missed_slot_and_drops_the_others),
        cmocka_unit_test(rebase_moves_the_schedule_to_the_answer),
        cmocka_unit_test(catch_up_keeps_due_times_and_goes_back_to_back),
        cmocka_unit_test(a_factor_keeps_sends_apart_while_catching_up),
        cmocka_unit_test(what_is_under_way_at_the_cut_is_cut),
        cmocka_unit_test(a_queued_schedule_shows_the_whole_wait_by_itself),
        cmocka_unit_test(from_due_may_exceed_the_longest_service),
        cmocka_unit_test(the_catch_up_policy_decides_how_long_a_late_answer_is_felt),
        cmocka_unit_test(a_frozen_server_delays_889_of_2000),
        cmocka_unit_test(one_timeline_of_20_stalls_is_20_slow_sends_or_39820_slow_responses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
