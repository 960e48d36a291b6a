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

/* ---- fence posts ---- */

static void the_first_even_arrival_is_due_at_0_and_requests_counts_slots(void **state)
{
    (void)state;
    timeline("'service': {'constant': 2}", "'open': {'every': 10}", "'requests': 3",
             "0 0 0 0 2 | 1 10 10 10 12 | 2 20 20 20 22");
}

static void a_duration_takes_arrivals_from_0_up_to_but_not_at_its_end(void **state)
{
    (void)state;
    timeline("'service': {'constant': 2}", "'open': {'every': 10}", "'duration': 20",
             "0 0 0 0 2 | 1 10 10 10 12");
    timeline("'service': {'constant': 2}", "'open': {'every': 10}", "'duration': 21",
             "0 0 0 0 2 | 1 10 10 10 12 | 2 20 20 20 22");
}

static void with_requests_and_duration_the_earlier_ends_the_run(void **state)
{
    (void)state;
    timeline("'service': {'constant': 2}", "'open': {'every': 10}", "'requests': 1, 'duration': 50",
             "0 0 0 0 2");
    timeline("'service': {'constant': 2}", "'open': {'every': 10}", "'requests': 9, 'duration': 11",
             "0 0 0 0 2 | 1 10 10 10 12");
}

static void the_run_stops_at_the_first_due_instant_that_no_longer_counts(void **state)
{
    (void)state;
    struct oracle_answer got =
        both_ways("'service': {'constant': 2}", "'open': {'every': 10}", "'requests': 3");
    assert_true(got.has_window_end);
    assert_int_equal(got.window_end, 30);
    assert_int_equal(got.claimed, 3);
    oracle_free(&got);
}

static void a_rate_is_split_over_connections_without_losing_a_slot(void **state)
{
    (void)state;
    /* 7/s over 3 connections for 1 s: all 7, at floor(i * 1e9 / 7). */
    timeline("'service': {'constant': 0}", "'paced': {'rate': 7, 'connections': 3}",
             "'duration': '1s'",
             "0 0 0 0 0 | 1 142857142 142857142 142857142 142857142 | "
             "2 285714285 285714285 285714285 285714285 | "
             "3 428571428 428571428 428571428 428571428 | "
             "4 571428571 571428571 571428571 571428571 | "
             "5 714285714 714285714 714285714 714285714 | "
             "6 857142857 857142857 857142857 857142857");
}

static void slot_i_belongs_to_connection_i_mod_n(void **state)
{
    (void)state;
    /* Slot 0 keeps connection 0 for 35: slots 2 waits for it, 1 and 3 go out in time. */
    timeline("'service': {'samples': [35, 1, 1, 1]}, 'workers': 2",
             "'paced': {'every': 10, 'connections': 2}", "'requests': 4",
             "0 0 0 0 35 | 1 10 10 10 11 | 2 20 35 35 36 | 3 30 30 30 31");
}

/* ---- stall boundaries ---- */

static void work_that_ends_as_a_stall_begins_is_not_extended(void **state)
{
    (void)state;
    timeline("'service': {'constant': 10}, 'stalls': [{'mode': 'suspend', 'first': 10, 'last': 5}]",
             "'open': {'every': 30}", "'requests': 1", "0 0 0 0 10");
}

static void work_that_would_end_after_a_stall_begins_is_extended_by_all_of_it(void **state)
{
    (void)state;
    timeline("'service': {'constant': 11}, 'stalls': [{'mode': 'suspend', 'first': 10, 'last': 5}]",
             "'open': {'every': 30}", "'requests': 1", "0 0 0 0 16");
}

static void a_request_that_would_start_as_a_stall_begins_waits_for_all_of_it(void **state)
{
    (void)state;
    timeline("'service': {'constant': 10}, 'stalls': [{'mode': 'suspend', 'first': 10, 'last': 5}]",
             "'open': {'every': 10}", "'requests': 2", "0 0 0 0 10 | 1 10 10 15 25");
}

static void a_request_sent_as_a_stall_ends_is_not_delayed(void **state)
{
    (void)state;
    timeline("'service': {'constant': 2}, 'stalls': [{'mode': 'suspend', 'first': 0, 'last': 10}]",
             "'open': {'arrivals': {'times': [10]}}", "'requests': 1", "0 10 10 10 12");
}

static void zero_work_due_inside_a_stall_finishes_at_its_end(void **state)
{
    (void)state;
    timeline("'service': {'constant': 0}, 'stalls': [{'mode': 'suspend', 'first': 5, 'last': 10}]",
             "'open': {'arrivals': {'times': [4, 5, 6, 15, 16]}}", "'requests': 5",
             "0 4 4 4 4 | 1 5 5 15 15 | 2 6 6 15 15 | 3 15 15 15 15 | 4 16 16 16 16");
}

static void a_schedule_meets_a_stall_at_time_0_in_falling_steps(void **state)
{
    (void)state;
    timeline("'service': {'constant': 0}, 'stalls': [{'mode': 'suspend', 'first': 0, 'last': 100}]",
             "'open': {'every': 1}", "'requests': 4",
             "0 0 0 100 100 | 1 1 1 100 100 | 2 2 2 100 100 | 3 3 3 100 100");
}

static void overlapping_and_touching_stalls_act_as_their_union(void **state)
{
    (void)state;
    timeline("'service': {'constant': 10}, 'stalls': [{'mode': 'suspend', 'first': 5, 'last': 10},"
             " {'mode': 'suspend', 'first': 8, 'last': 4},"
             " {'mode': 'suspend', 'first': 15, 'last': 5}]",
             "'open': {'arrivals': {'times': [0, 15]}}", "'requests': 2",
             "0 0 0 0 25 | 1 15 15 25 35");
}

static void a_stall_of_no_length_is_none(void **state)
{
    (void)state;
    struct oracle_answer got = both_ways("'service': {'constant': 10},"
                                         " 'stalls': [{'mode': 'suspend', 'first': 5, 'last': 0}]",
                                         "'open': {'every': 10}", "'requests': 2");
    assert_int_equal(got.rows[0].finished, 10);
    assert_int_equal(got.rows[1].finished, 20);
    assert_int_equal(got.stalls, 0);
    oracle_free(&got);
}

static void behind_a_gate_what_is_in_service_finishes_and_the_next_waits(void **state)
{
    (void)state;
    timeline("'service': {'constant': 10}, 'stalls': [{'mode': 'gate', 'first': 5, 'last': 20}]",
             "'open': {'every': 6}", "'requests': 2", "0 0 0 0 10 | 1 6 6 25 35");
}

static void a_suspension_inside_a_gate_stops_the_work_only_for_itself(void **state)
{
    (void)state;
    timeline("'service': {'constant': 10}, 'stalls': [{'mode': 'gate', 'first': 2, 'last': 30},"
             " {'mode': 'suspend', 'first': 4, 'last': 5}]",
             "'open': {'every': 6}", "'requests': 2", "0 0 0 0 15 | 1 6 6 32 42");
}

static void a_service_longer_than_the_time_between_stalls_meets_several(void **state)
{
    (void)state;
    timeline("'service': {'constant': 12}, 'stalls': [{'mode': 'suspend', 'first': 5, 'every': 10,"
             " 'last': 5}]",
             "'open': {'every': 100}", "'requests': 1", "0 0 0 0 22");
}

/* ---- ties ---- */

static void an_answer_makes_room_before_the_arrival_of_its_instant(void **state)
{
    (void)state;
    timeline("'service': {'constant': 10}, 'queue_limit': 0", "'open': {'every': 10}",
             "'requests': 3", "0 0 0 0 10 | 1 10 10 10 20 | 2 20 20 20 30");
}

static void a_request_answered_at_the_instant_of_its_timeout_was_answered(void **state)
{
    (void)state;
    timeline("'service': {'constant': 5}", "'open': {'every': 10}, 'timeout': 5", "'requests': 2",
             "0 0 0 0 5 | 1 10 10 10 15");
    timeline("'service': {'constant': 0}, 'stalls': [{'mode': 'suspend', 'first': 0, 'last': 5}]",
             "'open': {'every': 10}, 'timeout': 5", "'requests': 1", "0 0 0 5 5");
}

static void two_requests_due_at_one_instant_are_served_in_order(void **state)
{
    (void)state;
    timeline("'service': {'constant': 4}", "'open': {'arrivals': {'times': [1, 1, 1]}}",
             "'requests': 3", "0 1 1 1 5 | 1 1 1 5 9 | 2 1 1 9 13");
}

static void clients_that_send_at_one_instant_take_the_next_numbers(void **state)
{
    (void)state;
    timeline("'service': {'constant': 10}, 'workers': 2", "'closed': {'clients': 2, 'stagger': 10}",
             "'requests': 4", "0 0 0 0 10 | 1 10 10 10 20 | 2 10 10 10 20 | 3 20 20 20 30");
}

/* ---- the server ---- */

static void two_workers_serve_one_queue(void **state)
{
    (void)state;
    timeline("'service': {'samples': [10, 4, 7]}, 'workers': 2", "'open': {'every': 1}",
             "'requests': 3", "0 0 0 0 10 | 1 1 1 1 5 | 2 2 2 5 12");
}

static void unlimited_workers_make_nobody_wait(void **state)
{
    (void)state;
    timeline("'service': {'constant': 9}, 'workers': 'unlimited'", "'open': {'every': 1}",
             "'requests': 3", "0 0 0 0 9 | 1 1 1 1 10 | 2 2 2 2 11");
}

static void a_full_queue_refuses_at_once(void **state)
{
    (void)state;
    timeline("'service': {'constant': 10}, 'queue_limit': 1", "'open': {'every': 1}",
             "'requests': 3", "0 0 0 0 10 | 1 1 1 10 20 | 2 2 2 2 2 refused");
}

static void requests_held_by_a_stall_count_as_waiting(void **state)
{
    (void)state;
    timeline("'service': {'constant': 1}, 'queue_limit': 1,"
             " 'stalls': [{'mode': 'gate', 'first': 0, 'last': 10}]",
             "'open': {'every': 1}", "'requests': 2", "0 0 0 10 11 | 1 1 1 1 1 refused");
}

static void a_request_given_up_still_occupies_the_server(void **state)
{
    (void)state;
    /* Request 0 needs 6 and is given up at 5; request 1, due 1 with 1 of work, waits for it. */
    timeline("'service': {'samples': [6, 1, 1]}",
             "'open': {'arrivals': {'times': [0, 1, 20]}}, 'timeout': 5", "'requests': 3",
             "0 0 0 0 5 given up, left 6 | 1 1 1 6 6 given up, left 7 | 2 20 20 20 21");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_even_arrival_is_due_at_0_and_requests_counts_slots),
        cmocka_unit_test(a_duration_takes_arrivals_from_0_up_to_but_not_at_its_end),
        cmocka_unit_test(with_requests_and_duration_the_earlier_ends_the_run),
        cmocka_unit_test(the_run_stops_at_the_first_due_instant_that_no_longer_counts),
        cmocka_unit_test(a_rate_is_split_over_connections_without_losing_a_slot),
        cmocka_unit_test(slot_i_belongs_to_connection_i_mod_n),
        cmocka_unit_test(work_that_ends_as_a_stall_begins_is_not_extended),
        cmocka_unit_test(work_that_would_end_after_a_stall_begins_is_extended_by_all_of_it),
        cmocka_unit_test(a_request_that_would_start_as_a_stall_begins_waits_for_all_of_it),
        cmocka_unit_test(a_request_sent_as_a_stall_ends_is_not_delayed),
        cmocka_unit_test(zero_work_due_inside_a_stall_finishes_at_its_end),
        cmocka_unit_test(a_schedule_meets_a_stall_at_time_0_in_falling_steps),
        cmocka_unit_test(overlapping_and_touching_stalls_act_as_their_union),
        cmocka_unit_test(a_stall_of_no_length_is_none),
        cmocka_unit_test(behind_a_gate_what_is_in_service_finishes_and_the_next_waits),
        cmocka_unit_test(a_suspension_inside_a_gate_stops_the_work_only_for_itself),
        cmocka_unit_test(a_service_longer_than_the_time_between_stalls_meets_several),
        cmocka_unit_test(an_answer_makes_room_before_the_arrival_of_its_instant),
        cmocka_unit_test(a_request_answered_at_the_instant_of_its_timeout_was_answered),
        cmocka_unit_test(two_requests_due_at_one_instant_are_served_in_order),
        cmocka_unit_test(clients_that_send_at_one_instant_take_the_next_numbers),
        cmocka_unit_test(two_workers_serve_one_queue),
        cmocka_unit_test(unlimited_workers_make_nobody_wait),
        cmocka_unit_test(a_full_queue_refuses_at_once),
        cmocka_unit_test(requests_held_by_a_stall_count_as_waiting),
        cmocka_unit_test(a_request_given_up_still_occupies_the_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
