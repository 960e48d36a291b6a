/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/two_ways.h"

/* Further copies, parts, sessions and the newer stalls: timelines worked by hand, as in
   test_semantics.c; the engine and the oracle must both show them. */

static void copies(const char *server, const char *load, const char *run, uint64_t attempts,
                   const char *rows)
{
    timeline(server, load, run, rows);
    struct oracle_answer got = both_ways(server, load, run);
    assert_int_equal(got.attempts, attempts);
    oracle_free(&got);
}

/* ---- retries ---- */

static void a_second_copy_keeps_the_worker_after_the_answer(void **state)
{
    (void)state;
    /* Request 0 is answered at 250 ms, its copy of 200 ms is served until 500 ms. */
    copies("'service': {'constant': '250ms'}",
           "'open': {'arrivals': {'times': [0, '260ms']}}, "
           "'retry': {'after': '200ms', 'copies': 3}",
           "'requests': 2", 5,
           "0 0 0 0 250000000, left 500000000 | "
           "1 260000000 260000000 500000000 750000000, left 1250000000");
}

static void an_answer_at_the_instant_of_the_resend_is_in_time(void **state)
{
    (void)state;
    copies("'service': {'constant': 200}",
           "'open': {'every': 500}, 'retry': {'after': 200, 'copies': 3}", "'requests': 3", 3,
           "0 0 0 0 200 | 1 500 500 500 700 | 2 1000 1000 1000 1200");
}

static void one_given_up_keeps_the_worker_and_one_behind_it_fails_too(void **state)
{
    (void)state;
    /* In ms: 6 s of work given up at 5 s; request 1 waits for it and misses its own 6 s. */
    copies("'service': {'samples': [6000, 1000, 1000]}",
           "'open': {'arrivals': {'times': [0, 1000, 20000]}}, 'timeout': 5000", "'requests': 3", 3,
           "0 0 0 0 5000 given up, left 6000 | 1 1000 1000 6000 6000 given up, left 7000 | "
           "2 20000 20000 20000 21000");
}

static void a_timeout_comes_before_a_resend_and_ends_them(void **state)
{
    (void)state;
    copies("'service': {'constant': 8}",
           "'open': {'every': 50}, 'timeout': 5, 'retry': {'after': 5, 'copies': 2}",
           "'requests': 1", 1, "0 0 0 0 5 given up, left 8");
}

static void a_timeout_cancels_nothing(void **state)
{
    (void)state;
    copies("'service': {'constant': 8}",
           "'open': {'every': 50}, 'timeout': 5, "
           "'retry': {'after': 2, 'copies': 2, 'cancel': 'in-service'}",
           "'requests': 1", 2, "0 0 0 8 5 given up, left 16");
}

static void a_copy_that_is_refused_refuses_the_request(void **state)
{
    (void)state;
    copies("'service': {'constant': 8}, 'queue_limit': 0",
           "'open': {'every': 50}, 'retry': {'after': 3, 'copies': 3}", "'requests': 1", 2,
           "0 0 0 3 3 refused, left 8");
}

/* Sorts the latencies of the answered, from due, and returns how many there are. */
static int by_value(const void *a, const void *b)
{
    const ns_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static size_t latencies(const struct oracle_answer *a, ns_t *out_ns)
{
    size_t n = 0;
    for (size_t i = 0; i < a->count; i++)
        if (a->rows[i].status == STATUS_ANSWERED)
            out_ns[n++] = a->rows[i].finished - a->rows[i].due;
    qsort(out_ns, n, sizeof *out_ns, by_value);
    return n;
}

static void with_retries_the_server_never_recovers_from_its_pauses(void **state)
{
    (void)state;
    struct oracle_answer got = both_ways(
        "'service': {'constant': '4ms'}, 'stalls': [{'mode': 'suspend', 'first': '10s', "
        "'every': '12s', 'last': '2s'}]",
        "'open': {'every': 5714286}, 'timeout': '5s', 'retry': {'after': '200ms', 'copies': 3}",
        "'duration': '40s'");
    ns_t *ns = must_alloc(got.count, sizeof *ns);
    size_t n = latencies(&got, ns), above = 0;
    for (size_t i = 0; i < n; i++)
        above += ns[i] > NS_PER_S;
    assert_int_equal(got.count, 7000);
    assert_int_equal(n, 2293);
    assert_int_equal(got.attempts, 17500);
    assert_int_equal(above, 543);
    assert_int_equal(ns[n / 2], 4000000);
    assert_int_equal(ns[n * 90 / 100], 3559427982);
    assert_int_equal(ns[n * 99 / 100], 4860570780);
    assert_int_equal(ns[n - 1], 4998856488);
    free(ns);
    oracle_free(&got);
}

/* ---- hedges ---- */

/* Request 0's copy of 5 waits behind request 1 on the other replica and starts at 6; the answer of
   10 finds it in service.  Requests 2 and 3 wait for the two.  A copy has the work of its request.
 */
#define HEDGED "'service': {'samples': [10, 3, 1, 2]}, 'replicas': 2, 'routing': 'round-robin'"
#define HEDGE                                                                                      \
    "'work': 'per-request', 'open': {'arrivals': {'times': [0, 3, 8, 9]}}, 'hedge': {'after': 5, " \
    "'cancel': "

static void a_hedge_taken_back_in_service_frees_its_worker_at_once(void **state)
{
    (void)state;
    copies(HEDGED, HEDGE "'in-service'}", "'requests': 4", 5,
           "0 0 0 0 10 | 1 3 3 3 6 | 2 8 8 10 11 | 3 9 9 10 12");
}

static void a_hedge_that_is_served_on_keeps_its_worker(void **state)
{
    (void)state;
    copies(HEDGED, HEDGE "'none'}", "'requests': 4", 6,
           "0 0 0 0 10, left 16 | 1 3 3 3 6 | 2 8 8 10 11 | 3 9 9 14 16, left 18");
}

static void taken_back_while_queued_it_costs_nothing(void **state)
{
    (void)state;
    copies(HEDGED, HEDGE "'queued'}", "'requests': 4", 6,
           "0 0 0 0 10, left 16 | 1 3 3 3 6 | 2 8 8 10 11 | 3 9 9 14 16");
}

static void after_0_all_copies_leave_at_once_each_to_its_replica(void **state)
{
    (void)state;
    copies("'service': {'constant': 5}, 'replicas': 2, 'routing': 'round-robin'",
           "'open': {'every': 3}, 'hedge': {'after': 0}", "'requests': 2", 4,
           "0 0 0 0 5 | 1 3 3 5 10");
}

static void hedging_does_not_help_where_the_work_itself_is_slow(void **state)
{
    (void)state;
    struct oracle_answer got =
        both_ways("'service': {'samples': ['100ms', '5ms', '5ms', '5ms', '5ms', '5ms', '5ms', "
                  "'5ms', '5ms', '5ms', '5ms', '5ms', '5ms', '5ms', '5ms', '5ms', '5ms', '5ms', "
                  "'5ms', '5ms']}, 'replicas': 2, 'workers': 'unlimited'",
                  "'open': {'every': '10ms'}, 'hedge': {'after': '12ms'}, 'work': 'per-request'",
                  "'requests': 1000");
    ns_t *ns = must_alloc(got.count, sizeof *ns);
    assert_int_equal(latencies(&got, ns), 1000);
    assert_int_equal(got.attempts, 1050);
    assert_int_equal(ns[949], 5000000);
    assert_int_equal(ns[950], 100000000);
    assert_int_equal(ns[999], 100000000);
    free(ns);
    oracle_free(&got);
}

/* ---- lists of samples ---- */

static void each_further_copy_takes_the_sample_behind_that_of_the_one_before(void **state)
{
    (void)state;
    const char *one = "'requests': 1";
    copies("'service': {'samples': [10, 3]}, 'workers': 2",
           "'open': {'every': 90}, 'hedge': {'after': 4, 'cancel': 'none'}", one, 2,
           "0 0 0 4 7, left 10");
    copies("'service': {'samples': [10, 9, 4]}, 'workers': 3",
           "'open': {'every': 90}, 'retry': {'after': 2, 'copies': 3, 'cancel': 'none'}", one, 3,
           "0 0 0 4 8, left 11");
    copies("'service': {'constant': 2}, 'workers': 2, "
           "'behind': {'service': {'samples': [9, 1]}, 'workers': 2}",
           "'open': {'every': 90}, 'hedge': {'after': 3, 'cancel': 'none'}", one, 2,
           "0 0 0 3 6, left 11");
}

static void the_work_of_a_request_is_one_sample_but_each_copy_has_its_own_way(void **state)
{
    (void)state;
    const char *load = "'open': {'every': 90}, 'hedge': {'after': 4, 'cancel': 'none'}, "
                       "'work': 'per-request'";
    copies("'service': {'samples': [10, 3]}, 'workers': 2", load, "'requests': 1", 2,
           "0 0 0 0 10, left 14");
    /* The second is 5 on its way, from 4 to 9. */
    copies("'service': {'samples': [10, 3]}, 'workers': 2, "
           "'network': {'delay': {'samples': [1, 5]}}",
           load, "'requests': 1", 2, "0 0 0 1 11, left 19");
}

static void parts_take_samples_one_behind_the_other(void **state)
{
    (void)state;
    /* 4 and 7; then, of the next request, 7 and 9. */
    copies("'service': {'samples': [4, 7, 9]}, 'replicas': 2",
           "'open': {'every': 20}, 'fan_out': 2", "'requests': 2", 4, "0 0 0 0 7 | 1 20 20 20 29");
}

/* ---- parts ---- */

static void a_request_is_answered_when_its_last_part_is(void **state)
{
    (void)state;
    /* Parts at replicas 0 and 1, then at 1 and 2: the first of request 1 waits. */
    copies("'service': {'constant': 10}, 'replicas': 3, 'routing': 'round-robin'",
           "'open': {'every': 4}, 'fan_out': 2", "'requests': 2", 4, "0 0 0 0 10 | 1 4 4 10 20");
}

static void a_part_that_is_refused_refuses_the_request(void **state)
{
    (void)state;
    copies("'service': {'constant': 10}, 'queue_limit': 0, 'replicas': 3, "
           "'routing': 'round-robin'",
           "'open': {'arrivals': {'times': [0, 0, 5]}}, 'fan_out': 2", "'requests': 3", 5,
           "0 0 0 0 10 | 1 0 0 0 0 refused | 2 5 5 5 5 refused, left 15");
}

/* ---- blackouts ---- */

static void an_answer_ready_in_a_blackout_leaves_at_its_end(void **state)
{
    (void)state;
    timeline("'service': {'constant': 10}, 'stalls': [{'mode': 'blackout', 'first': 5, "
             "'last': 20}]",
             "'open': {'arrivals': {'times': [0, 12]}}", "'requests': 2",
             "0 0 0 0 25 | 1 12 12 25 35");
}

static void one_ready_as_the_blackout_begins_or_ends_is_not_held(void **state)
{
    (void)state;
    timeline("'service': {'constant': 10}, 'stalls': [{'mode': 'blackout', 'first': 10, "
             "'last': 20}]",
             "'open': {'every': 30}", "'requests': 2", "0 0 0 0 10 | 1 30 30 30 40");
    timeline("'service': {'constant': 10}, 'stalls': [{'mode': 'blackout', 'first': 5, "
             "'last': 5}]",
             "'open': {'every': 10}", "'requests': 2", "0 0 0 0 10 | 1 10 10 10 20");
}

static void overlapping_blackouts_hold_until_the_last_of_them_ends(void **state)
{
    (void)state;
    timeline("'service': {'constant': 10}, 'stalls': [{'mode': 'blackout', 'first': 5, "
             "'last': 10}, {'mode': 'blackout', 'first': 12, 'last': 13}]",
             "'open': {'every': 90}", "'requests': 1", "0 0 0 0 25");
}

static void work_goes_on_in_a_blackout_but_not_in_a_suspension_inside_it(void **state)
{
    (void)state;
    /* 6 units done by 6, the other 4 from 16 to 20, and the answer is out at 22. */
    timeline("'service': {'constant': 10}, 'stalls': [{'mode': 'blackout', 'first': 5, "
             "'last': 17}, {'mode': 'suspend', 'first': 6, 'last': 10}]",
             "'open': {'every': 90}", "'requests': 1", "0 0 0 0 22");
}

/* ---- random stalls ---- */

static void up_and_down_are_drawn_in_turn(void **state)
{
    (void)state;
    /* Draws 0 .. 4: up 5, down 10, up 7, down 3, up 99: away over [5, 15) and [22, 25). */
    timeline("'service': {'constant': 10}, 'stalls': [{'mode': 'suspend', "
             "'up': {'samples': [5, 99, 7]}, 'down': {'samples': [98, 10, 97, 3]}}]",
             "'open': {'every': 20}", "'requests': 2", "0 0 0 0 20 | 1 20 20 20 33");
}

static void a_stall_of_no_length_delays_nothing(void **state)
{
    (void)state;
    timeline("'service': {'constant': 5}, 'stalls': [{'mode': 'gate', 'up': {'constant': 5}, "
             "'down': {'constant': 0}}]",
             "'open': {'every': 5}", "'requests': 3", "0 0 0 0 5 | 1 5 5 5 10 | 2 10 10 10 15");
}

/* ---- sessions ---- */

static void a_session_sends_thinks_and_leaves(void **state)
{
    (void)state;
    timeline("'service': {'constant': 4}",
             "'sessions': {'every': 10, 'arrivals': 'even', 'requests': 2, "
             "'think': {'constant': 3}}",
             "'requests': 4", "0 0 0 0 4 | 1 7 7 7 11 | 2 10 10 11 15 | 3 18 18 18 22");
}

static void a_session_begins_before_another_goes_on_at_one_instant(void **state)
{
    (void)state;
    /* Request 1 is the new session's: done at 11, it sends again at 17. */
    timeline("'service': {'samples': [4, 1, 7]}",
             "'sessions': {'every': 10, 'arrivals': 'even', 'requests': 2, "
             "'think': {'constant': 6}}",
             "'requests': 4", "0 0 0 0 4 | 1 10 10 10 11 | 2 10 10 11 18 | 3 17 17 18 22");
}

static void no_session_begins_after_the_run_has_ended(void **state)
{
    (void)state;
    struct oracle_answer got =
        both_ways("'service': {'constant': 4}",
                  "'sessions': {'every': 10, 'arrivals': 'even', 'requests': 2}", "'duration': 20");
    assert_int_equal(got.count, 4);
    assert_int_equal(got.window_end, 20);
    oracle_free(&got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_copy_keeps_the_worker_after_the_answer),
        cmocka_unit_test(an_answer_at_the_instant_of_the_resend_is_in_time),
        cmocka_unit_test(one_given_up_keeps_the_worker_and_one_behind_it_fails_too),
        cmocka_unit_test(a_timeout_comes_before_a_resend_and_ends_them),
        cmocka_unit_test(a_timeout_cancels_nothing),
        cmocka_unit_test(a_copy_that_is_refused_refuses_the_request),
        cmocka_unit_test(with_retries_the_server_never_recovers_from_its_pauses),
        cmocka_unit_test(a_hedge_taken_back_in_service_frees_its_worker_at_once),
        cmocka_unit_test(a_hedge_that_is_served_on_keeps_its_worker),
        cmocka_unit_test(taken_back_while_queued_it_costs_nothing),
        cmocka_unit_test(after_0_all_copies_leave_at_once_each_to_its_replica),
        cmocka_unit_test(hedging_does_not_help_where_the_work_itself_is_slow),
        cmocka_unit_test(each_further_copy_takes_the_sample_behind_that_of_the_one_before),
        cmocka_unit_test(the_work_of_a_request_is_one_sample_but_each_copy_has_its_own_way),
        cmocka_unit_test(parts_take_samples_one_behind_the_other),
        cmocka_unit_test(a_request_is_answered_when_its_last_part_is),
        cmocka_unit_test(a_part_that_is_refused_refuses_the_request),
        cmocka_unit_test(an_answer_ready_in_a_blackout_leaves_at_its_end),
        cmocka_unit_test(one_ready_as_the_blackout_begins_or_ends_is_not_held),
        cmocka_unit_test(overlapping_blackouts_hold_until_the_last_of_them_ends),
        cmocka_unit_test(work_goes_on_in_a_blackout_but_not_in_a_suspension_inside_it),
        cmocka_unit_test(up_and_down_are_drawn_in_turn),
        cmocka_unit_test(a_stall_of_no_length_delays_nothing),
        cmocka_unit_test(a_session_sends_thinks_and_leaves),
        cmocka_unit_test(a_session_begins_before_another_goes_on_at_one_instant),
        cmocka_unit_test(no_session_begins_after_the_run_has_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
