/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/two_ways.h"

/* Budgets, and the stations before and behind a server: timelines worked by hand, as in
   test_semantics.c; the engine and the oracle must both show them. */

/* ---- budgets ---- */

static void quota_of(const char *server, const char *load, const char *run, const char *rows,
                     uint64_t throttled, uint64_t periods)
{
    timeline(server, load, run, rows);
    struct oracle_answer got = both_ways(server, load, run);
    assert_int_equal(got.throttled, throttled);
    assert_int_equal(got.periods, periods);
    oracle_free(&got);
}

static void work_stops_when_the_budget_is_used_up_until_the_next_period(void **state)
{
    (void)state;
    quota_of("'service': {'constant': 9}, 'quota': {'budget': 4, 'period': 10}",
             "'open': {'every': 90}", "'requests': 1", "0 0 0 0 21", 2, 3);
    stalled("'service': {'constant': 9}, 'quota': {'budget': 4, 'period': 10}",
            "'open': {'every': 90}", "'requests': 1", "0 0 12 0");
}

static void more_workers_use_it_up_sooner(void **state)
{
    (void)state;
    quota_of("'service': {'constant': 3}, 'workers': 2, 'quota': {'budget': 4, 'period': 10}",
             "'open': {'arrivals': {'times': [0, 0]}}", "'requests': 2", "0 0 0 0 11 | 1 0 0 0 11",
             1, 2);
}

static void services_that_end_as_it_is_used_up_have_ended(void **state)
{
    (void)state;
    /* Three workers use 6 by 2; nobody starts before 10, which counts as a stall. */
    quota_of("'service': {'constant': 2}, 'workers': 3, 'quota': {'budget': 6, 'period': 10}",
             "'open': {'arrivals': {'times': [0, 0, 0, 5]}}", "'requests': 4",
             "0 0 0 0 2 | 1 0 0 0 2 | 2 0 0 0 2 | 3 5 5 10 12", 1, 2);
    stalled("'service': {'constant': 4}, 'quota': {'budget': 4, 'period': 10}",
            "'open': {'every': 5}", "'requests': 2", "0 0 0 0 | 1 5 0 0");
}

#define THREE_AT_0 "'open': {'arrivals': {'times': [0, 0, 0]}}"

static void used_up_between_two_ns_it_stops_what_would_end_at_the_second(void **state)
{
    (void)state;
    /* At 8/3, with a third of a ns to do. */
    quota_of("'service': {'constant': 3}, 'workers': 3, 'quota': {'budget': 8, 'period': 10}",
             THREE_AT_0, "'requests': 3", "0 0 0 0 11 | 1 0 0 0 11 | 2 0 0 0 11", 1, 2);
    /* At 29/3, a third of a ns before the next period. */
    quota_of("'service': {'constant': 12}, 'workers': 3, 'quota': {'budget': 29, 'period': 10}",
             THREE_AT_0, "'requests': 3", "0 0 0 0 13 | 1 0 0 0 13 | 2 0 0 0 13", 1, 2);
    /* Five use 20.8 in each of 48 periods and have 1.6 left. */
    quota_of("'service': {'samples': [1000]}, 'workers': 5, "
             "'quota': {'budget': 104, 'period': 1000}",
             "'open': {'arrivals': {'times': [0, 0, 0, 0, 0]}}", "'requests': 5",
             "0 0 0 0 48002 | 1 0 0 0 48002 | 2 0 0 0 48002 | 3 0 0 0 48002 | 4 0 0 0 48002", 48,
             49);
}

static void work_that_is_done_as_it_is_used_up_is_done(void **state)
{
    (void)state;
    /* 10/3 in each of three periods: done at 23 1/3 and seen at 24.  Nothing is stopped then. */
    quota_of("'service': {'constant': 10}, 'workers': 3, 'quota': {'budget': 10, 'period': 10}",
             THREE_AT_0, "'requests': 3", "0 0 0 0 24 | 1 0 0 0 24 | 2 0 0 0 24", 2, 3);
}

static void used_up_between_two_ns_nobody_begins_at_the_second(void **state)
{
    (void)state;
    /* At 2.5.  The third comes at 3 and begins at 10; at 11 2/3 it has 10/3 left.  The others end
       at 21, and alone it has 2 of 5 left until 23, and then a third. */
    const char *server =
        "'service': {'constant': 5}, 'workers': 3, 'quota': {'budget': 5, 'period': 10}";
    const char *load = "'open': {'arrivals': {'times': [0, 0, 3]}}";
    quota_of(server, load, "'requests': 3", "0 0 0 0 21 | 1 0 0 0 21 | 2 3 3 10 31", 3, 4);
    stalled(server, load, "'requests': 3", "0 0 15 0 | 1 0 15 0 | 2 7 15 0");
}

static void a_period_counts_only_where_something_is_stopped(void **state)
{
    (void)state;
    /* Used up as the first ends; nobody comes before the next period. */
    quota_of("'service': {'samples': [4, 3]}, 'quota': {'budget': 4, 'period': 10}",
             "'open': {'arrivals': {'times': [0, 12]}}", "'requests': 2",
             "0 0 0 0 4 | 1 12 12 12 15", 0, 2);
    /* Somebody does; or waits already. */
    quota_of("'service': {'samples': [4, 3]}, 'quota': {'budget': 4, 'period': 10}",
             "'open': {'arrivals': {'times': [0, 9]}}", "'requests': 2", "0 0 0 0 4 | 1 9 9 10 13",
             1, 2);
    quota_of("'service': {'samples': [4, 3]}, 'quota': {'budget': 4, 'period': 10}",
             "'open': {'arrivals': {'times': [0, 1]}}", "'requests': 2", "0 0 0 0 4 | 1 1 1 10 13",
             1, 2);
    /* One that is refused does not wait. */
    quota_of("'service': {'samples': [4, 3]}, 'queue_limit': 0, "
             "'quota': {'budget': 4, 'period': 10}",
             "'open': {'arrivals': {'times': [0, 9]}}", "'requests': 2",
             "0 0 0 0 4 | 1 9 9 9 9 refused", 0, 1);
}

static void used_up_at_the_end_of_the_period_it_stops_nothing(void **state)
{
    (void)state;
    quota_of("'service': {'constant': 25}, 'quota': {'budget': 10, 'period': 10}",
             "'open': {'every': 90}", "'requests': 1", "0 0 0 0 25", 0, 3);
}

static void every_replica_has_a_budget_of_its_own(void **state)
{
    (void)state;
    quota_of("'service': {'samples': [3, 6]}, 'replicas': 2, 'routing': 'round-robin', "
             "'quota': {'budget': 4, 'period': 10}",
             "'open': {'arrivals': {'times': [0, 0]}}", "'requests': 2", "0 0 0 0 3 | 1 0 0 0 12",
             1, 4);
}

static void the_generator_may_spend_the_servers_budget(void **state)
{
    (void)state;
    /* 2 for the first send, 1 more by 3, when both run: 4 half a ns later.  From 10 both have 1.5
       to do; 4 are used as they end at 12.  The second is at the server then, which is stopped. */
    quota_of("'service': {'constant': 3}, 'quota': {'budget': 4, 'period': 10, 'shared': true}",
             "'open': {'arrivals': {'times': [0, 3]}}, 'generator': {'cost': 2}", "'requests': 2",
             "0 0 2 2 12 | 1 3 12 20 23", 2, 3);
}

/* ---- the other stations ---- */

static void sender_threads_take_their_time_for_each_send(void **state)
{
    (void)state;
    timeline("'service': {'constant': 1}, 'workers': 'unlimited'",
             "'open': {'arrivals': {'times': [0, 0, 0]}}, 'generator': {'cost': 3}",
             "'requests': 3", "0 0 3 3 4 | 1 0 6 6 7 | 2 0 9 9 10");
    timeline("'service': {'constant': 1}, 'workers': 'unlimited'",
             "'open': {'arrivals': {'times': [0, 0, 0]}}, 'generator': {'cost': 3, 'threads': 2}",
             "'requests': 3", "0 0 3 3 4 | 1 0 3 3 4 | 2 0 6 6 7");
}

static void nobody_waits_on_the_network(void **state)
{
    (void)state;
    timeline("'service': {'constant': 2}, 'network': {'delay': {'constant': 5}}",
             "'open': {'every': 1}", "'requests': 2", "0 0 0 5 7 | 1 1 1 7 9");
}

static void the_station_behind_has_a_queue_of_its_own(void **state)
{
    (void)state;
    timeline("'service': {'constant': 2}, 'behind': {'service': {'constant': 3}}",
             "'open': {'arrivals': {'times': [0, 0]}}", "'requests': 2", "0 0 0 0 5 | 1 0 0 2 8");
}

static void a_worker_may_be_kept_until_the_station_behind_is_done(void **state)
{
    (void)state;
    timeline("'service': {'constant': 2}, 'behind': {'service': {'constant': 3}, "
             "'keeps_worker': true}",
             "'open': {'arrivals': {'times': [0, 0]}}", "'requests': 2", "0 0 0 0 5 | 1 0 0 5 10");
}

static void time_in_the_queue_behind_is_neither_a_stall_nor_service(void **state)
{
    (void)state;
    const char *server = "'service': {'constant': 3}, 'workers': 2, "
                         "'behind': {'service': {'constant': 10}}";
    timeline(server, "'open': {'every': 1}", "'requests': 2", "0 0 0 0 13 | 1 1 1 1 23");
    stalled(server, "'open': {'every': 1}", "'requests': 2", "0 0 0 0 | 1 0 0 9");
}

static void replicas_share_the_station_behind(void **state)
{
    (void)state;
    timeline("'service': {'samples': [4, 2]}, 'replicas': 2, 'routing': 'round-robin', "
             "'behind': {'service': {'constant': 5}}",
             "'open': {'arrivals': {'times': [0, 0]}}", "'requests': 2", "0 0 0 0 12 | 1 0 0 0 7");
}

static void the_clients_own_work_comes_after_the_answer_and_holds_no_worker(void **state)
{
    (void)state;
    timeline("'service': {'constant': 2}", "'open': {'arrivals': {'times': [0, 0]}}, 'overhead': 3",
             "'requests': 2", "0 0 0 0 5 | 1 0 0 2 7");
}

static void work_grows_with_the_others_that_are_there_as_it_begins(void **state)
{
    (void)state;
    timeline("'service': {'constant': 4}, 'load_dependence': 0.5", "'open': {'every': 1}",
             "'requests': 3", "0 0 0 0 4 | 1 1 1 4 10 | 2 2 2 10 14");
    /* 4.5 is rounded to the even 4, 7.5 to 8. */
    timeline("'service': {'samples': [9, 3]}, 'workers': 2, 'load_dependence': 0.5",
             "'open': {'arrivals': {'times': [0, 0]}}", "'requests': 2", "0 0 0 0 9 | 1 0 0 0 4");
    timeline("'service': {'samples': [9, 5]}, 'workers': 2, 'load_dependence': 0.5",
             "'open': {'arrivals': {'times': [0, 0]}}", "'requests': 2", "0 0 0 0 9 | 1 0 0 0 8");
}

static void the_replica_with_the_fewest_takes_the_next(void **state)
{
    (void)state;
    const char *server = "'service': {'samples': [10, 2, 2, 2]}, 'replicas': 2, "
                         "'routing': 'least-in-flight'";
    const char *load = "'open': {'arrivals': {'times': [0, 1, 4, 5]}}";
    timeline(server, load, "'requests': 4", "0 0 0 0 10 | 1 1 1 1 3 | 2 4 4 4 6 | 3 5 5 10 12");
    struct oracle_answer got = both_ways(server, load, "'requests': 4");
    const uint64_t replicas[] = {0, 1, 1, 0};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(got.rows[i].replica, replicas[i]);
    oracle_free(&got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_stops_when_the_budget_is_used_up_until_the_next_period),
        cmocka_unit_test(more_workers_use_it_up_sooner),
        cmocka_unit_test(services_that_end_as_it_is_used_up_have_ended),
        cmocka_unit_test(used_up_between_two_ns_it_stops_what_would_end_at_the_second),
        cmocka_unit_test(work_that_is_done_as_it_is_used_up_is_done),
        cmocka_unit_test(used_up_between_two_ns_nobody_begins_at_the_second),
        cmocka_unit_test(a_period_counts_only_where_something_is_stopped),
        cmocka_unit_test(used_up_at_the_end_of_the_period_it_stops_nothing),
        cmocka_unit_test(every_replica_has_a_budget_of_its_own),
        cmocka_unit_test(the_generator_may_spend_the_servers_budget),
        cmocka_unit_test(sender_threads_take_their_time_for_each_send),
        cmocka_unit_test(nobody_waits_on_the_network),
        cmocka_unit_test(the_station_behind_has_a_queue_of_its_own),
        cmocka_unit_test(a_worker_may_be_kept_until_the_station_behind_is_done),
        cmocka_unit_test(time_in_the_queue_behind_is_neither_a_stall_nor_service),
        cmocka_unit_test(replicas_share_the_station_behind),
        cmocka_unit_test(the_clients_own_work_comes_after_the_answer_and_holds_no_worker),
        cmocka_unit_test(work_grows_with_the_others_that_are_there_as_it_begins),
        cmocka_unit_test(the_replica_with_the_fewest_takes_the_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
