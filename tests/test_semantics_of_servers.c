/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "models/base/error.h"
#include "models/base/random.h"
#include "models/queues/queue.h"
#include "tests/two_ways.h"

/* Disciplines, speeds and disturbances of a server: timelines worked by hand, as in
   test_semantics.c; the engine and the oracle must both show them. */

/* ---- disciplines ---- */

static void last_come_first_served_only_one_client_is_ever_served(void **state)
{
    (void)state;
    /* Client 0 sends again as it is answered, and so comes last, until the sends are used up. */
    timeline("'service': {'constant': 10}, 'queue': 'lifo'", "'closed': {'clients': 3}",
             "'requests': 6",
             "0 0 0 0 10 | 1 0 0 50 60 | 2 0 0 40 50 | 3 10 10 10 20 | 4 20 20 20 30 | "
             "5 30 30 30 40");
}

static void last_come_first_served_turns_the_queue_around(void **state)
{
    (void)state;
    timeline("'service': {'constant': 5}, 'queue': 'lifo'",
             "'open': {'arrivals': {'times': [0, 1, 2, 3]}}", "'requests': 4",
             "0 0 0 0 5 | 1 1 1 15 20 | 2 2 2 10 15 | 3 3 3 5 10");
}

static void the_shortest_goes_first_and_of_equal_ones_the_first_to_come(void **state)
{
    (void)state;
    timeline("'service': {'samples': [5, 9, 2, 4]}, 'queue': 'shortest'",
             "'open': {'arrivals': {'times': [0, 1, 2, 3]}}", "'requests': 4",
             "0 0 0 0 5 | 1 1 1 11 20 | 2 2 2 5 7 | 3 3 3 7 11");
    timeline("'service': {'samples': [5, 3, 3]}, 'queue': 'shortest'",
             "'open': {'arrivals': {'times': [0, 1, 2]}}", "'requests': 3",
             "0 0 0 0 5 | 1 1 1 5 8 | 2 2 2 8 11");
}

static void one_that_comes_as_a_worker_is_free_may_go_first_but_not_in_fifo(void **state)
{
    (void)state;
    timeline("'service': {'samples': [5, 9, 2]}, 'queue': 'shortest'",
             "'open': {'arrivals': {'times': [0, 1, 5]}}", "'requests': 3",
             "0 0 0 0 5 | 1 1 1 7 16 | 2 5 5 5 7");
    timeline("'service': {'samples': [5, 9, 2]}", "'open': {'arrivals': {'times': [0, 1, 5]}}",
             "'requests': 3", "0 0 0 0 5 | 1 1 1 5 14 | 2 5 5 14 16");
}

static void at_random_each_pick_has_a_word_of_its_own(void **state)
{
    (void)state;
    /* Requests 1, 2 and 3 wait at 5; who is picked is by words 0 and 1 of the station's stream. */
    for (unsigned seed = 1; seed <= 20; seed++) {
        struct stream picks = stream_at(stream_open(seed, 0, 0, PURPOSE_QUEUE), 0);
        unsigned waiting[] = {1, 2, 3}, started[4] = {0};
        for (unsigned d = 0; d < 3; d++) {
            uint64_t k = below(stream_word(picks, d), 3 - d);
            started[waiting[k]] = 5 * (d + 1);
            for (; k + 1 < 3 - d; k++)
                waiting[k] = waiting[k + 1];
        }
        char *rows =
            must_format("0 0 0 0 5 | 1 1 1 %u %u | 2 2 2 %u %u | 3 3 3 %u %u", started[1],
                        started[1] + 5, started[2], started[2] + 5, started[3], started[3] + 5);
        char *run = must_format("'requests': 4, 'seed': %u", seed);
        timeline("'service': {'constant': 5}, 'queue': 'random'",
                 "'open': {'arrivals': {'times': [0, 1, 2, 3]}}", run, rows);
        free(run);
        free(rows);
    }
}

/* The tree of the discipline against a plain list, as many coming as going, and more, and fewer. */
static void at_random_is_who_stands_there_in_the_order_of_arrival(void **state)
{
    (void)state;
    size_t plain[3000], count = 0, next = 0;
    struct waiting waiting = {0};
    struct stream stream = stream_open(5, 0, 0, PURPOSE_QUEUE);
    for (uint64_t i = 0; i < 20000; i++) {
        uint64_t word = stream_word(stream, 2 * i), pick = stream_word(stream, 2 * i + 1);
        bool comes = word % 100 < (i / 4000 % 2 == 0 ? 60 : 40);
        if (comes) {
            queue_random.push(&waiting, next, word);
            plain[count++] = next++;
            continue;
        }
        if (count == 0)
            continue;
        size_t k = (size_t)below(pick, count);
        if (word / 128 % 4 == 0)
            queue_random.remove(&waiting, plain[k]);
        else
            assert_int_equal(queue_random.pop(&waiting, pick), plain[k]);
        count--;
        for (; k < count; k++)
            plain[k] = plain[k + 1];
        queue_random.remove(&waiting, next); /* not there */
        assert_int_equal(waiting.count, count);
    }
    assert_true(waiting.capacity <= 4096);
    free(waiting.items);
}

static void two_that_share_a_worker_go_at_half_speed(void **state)
{
    (void)state;
    /* 4 done alone, then 6 in 12; the other has 6 of 10 by 16 and ends alone. */
    timeline("'service': {'constant': 10}, 'queue': 'processor-sharing'",
             "'open': {'arrivals': {'times': [0, 4]}}", "'requests': 2", "0 0 0 0 16 | 1 4 4 4 20");
}

static void three_that_share_a_worker_go_at_a_third_each(void **state)
{
    (void)state;
    timeline("'service': {'samples': [1, 2, 4]}, 'queue': 'processor-sharing'",
             "'open': {'arrivals': {'times': [0, 0, 0]}}", "'requests': 3",
             "0 0 0 0 3 | 1 0 0 0 5 | 2 0 0 0 7");
    timeline("'service': {'constant': 9}, 'queue': 'processor-sharing'",
             "'open': {'arrivals': {'times': [0, 0, 0]}}", "'requests': 3",
             "0 0 0 0 27 | 1 0 0 0 27 | 2 0 0 0 27");
}

static void a_shared_service_ends_at_the_first_whole_ns_that_is_enough(void **state)
{
    (void)state;
    /* 3.5 left at 1, a third a ns: enough at 12.  By then the third has 11/3 of 4. */
    timeline("'service': {'constant': 4}, 'queue': 'processor-sharing'",
             "'open': {'arrivals': {'times': [0, 0, 1]}}", "'requests': 3",
             "0 0 0 0 12 | 1 0 0 0 12 | 2 1 1 1 13");
}

static void two_workers_are_shared_by_three(void **state)
{
    (void)state;
    timeline("'service': {'constant': 6}, 'queue': 'processor-sharing', 'workers': 2",
             "'open': {'arrivals': {'times': [0, 0, 0]}}", "'requests': 3",
             "0 0 0 0 9 | 1 0 0 0 9 | 2 0 0 0 9");
}

static void where_all_share_the_limit_is_on_those_beyond_the_workers(void **state)
{
    (void)state;
    timeline("'service': {'constant': 10}, 'queue': 'processor-sharing', 'queue_limit': 1",
             "'open': {'arrivals': {'times': [0, 1, 2]}}", "'requests': 3",
             "0 0 0 0 19 | 1 1 1 1 20 | 2 2 2 2 2 refused");
    timeline("'service': {'constant': 10}, 'queue': 'processor-sharing', 'queue_limit': 0",
             "'open': {'arrivals': {'times': [0, 1]}}", "'requests': 2",
             "0 0 0 0 10 | 1 1 1 1 1 refused");
}

/* ---- disturbances ---- */

static void a_slowdown_takes_its_part_of_the_work_inside_it(void **state)
{
    (void)state;
    /* 4 done by 4, 3 by half speed until 10, 3 more.  Services start inside it. */
    timeline("'service': {'constant': 10}, 'stalls': [{'mode': 'slowdown', 'factor': 0.5, "
             "'first': 4, 'last': 6}]",
             "'open': {'every': 90}", "'requests': 1", "0 0 0 0 13");
    timeline("'service': {'constant': 2}, 'stalls': [{'mode': 'slowdown', 'factor': 0.5, "
             "'first': 4, 'last': 6}]",
             "'open': {'arrivals': {'times': [5]}}", "'requests': 1", "0 5 5 5 9");
}

static void tenths_of_a_speed_are_exact(void **state)
{
    (void)state;
    timeline("'service': {'samples': [3, 2, 7]}, 'stalls': [{'mode': 'slowdown', 'factor': 0.3, "
             "'first': 0, 'last': 300}]",
             "'open': {'every': 100}", "'requests': 3",
             "0 0 0 0 10 | 1 100 100 100 107 | 2 200 200 200 224");
    timeline("'service': {'constant': '7s'}, 'stalls': [{'mode': 'slowdown', 'factor': 0.1, "
             "'first': 0, 'last': '100s'}]",
             "'open': {'every': 100}", "'requests': 1", "0 0 0 0 70000000000");
}

static void what_two_take_of_the_speed_is_multiplied(void **state)
{
    (void)state;
    timeline("'service': {'constant': 9}, 'stalls': [{'mode': 'neighbour', 'share': 0.25, "
             "'first': 0, 'last': 90}]",
             "'open': {'every': 90}", "'requests': 1", "0 0 0 0 12");
    timeline("'service': {'constant': 3}, 'stalls': [{'mode': 'neighbour', 'share': 0.5, "
             "'first': 0, 'last': 90}, {'mode': 'slowdown', 'factor': 0.5, 'first': 0, "
             "'last': 90}]",
             "'open': {'every': 90}", "'requests': 1", "0 0 0 0 12");
}

static void what_is_lost_halves_again_and_again(void **state)
{
    (void)state;
    /* 2 by 10, 8 by 20, then 0.8 a ns: 13 at 26.25.  The next neighbour begins with all of it. */
    timeline("'service': {'samples': [13, 1]}, 'stalls': [{'mode': 'neighbour', 'share': 0.8, "
             "'halves': 10, 'first': 0, 'last': 50, 'every': 100}]",
             "'open': {'every': 100}", "'requests': 2", "0 0 0 0 27 | 1 100 100 100 105");
}

static void an_alarm_refuses_who_comes_and_lets_the_others_go_on(void **state)
{
    (void)state;
    timeline("'service': {'constant': 3}, 'stalls': [{'mode': 'reject', 'first': 5, 'last': 5}]",
             "'open': {'arrivals': {'times': [4, 5, 9, 10]}}", "'requests': 4",
             "0 4 4 4 7 | 1 5 5 5 5 refused | 2 9 9 9 9 refused | 3 10 10 10 13");
}

static void a_stall_of_one_replica_leaves_the_other_alone(void **state)
{
    (void)state;
    timeline("'service': {'constant': 5}, 'replicas': 2, 'routing': 'round-robin', 'stalls': "
             "[{'mode': 'suspend', 'first': 2, 'last': 10, 'target': {'replica': 1}}]",
             "'open': {'every': 1}", "'requests': 2", "0 0 0 0 5 | 1 1 1 1 16");
    timeline("'service': {'constant': 5}, 'replicas': 2, 'routing': 'round-robin', 'stalls': "
             "[{'mode': 'blackout', 'first': 3, 'last': 17, 'target': {'replica': 0}}]",
             "'open': {'arrivals': {'times': [0, 0]}}", "'requests': 2", "0 0 0 0 20 | 1 0 0 0 5");
}

static void stalls_strike_the_network_the_station_behind_and_the_generator(void **state)
{
    (void)state;
    timeline("'service': {'constant': 3}, 'network': {'delay': {'constant': 2}}, 'stalls': "
             "[{'mode': 'blackout', 'first': 1, 'last': 5, 'target': 'network'}]",
             "'open': {'every': 90}", "'requests': 1", "0 0 0 6 9");
    timeline("'service': {'constant': 3}, 'behind': {'service': {'constant': 4}}, 'stalls': "
             "[{'mode': 'suspend', 'first': 5, 'last': 5, 'target': 'behind'}]",
             "'open': {'every': 90}", "'requests': 1", "0 0 0 0 12");
    timeline("'service': {'constant': 3}, 'stalls': [{'mode': 'gate', 'first': 1, 'last': 7, "
             "'target': 'generator'}]",
             "'open': {'every': 1}, 'generator': {'cost': 2}", "'requests': 2",
             "0 0 2 2 5 | 1 1 10 10 13");
}

static void each_request_knows_what_of_it_was_lost_in_stalls(void **state)
{
    (void)state;
    const char *two = "'open': {'arrivals': {'times': [0, 6]}}";
    stalled("'service': {'constant': 10}, 'stalls': [{'mode': 'suspend', 'first': 5, 'last': 10}]",
            two, "'requests': 2", "0 0 10 0 | 1 9 0 0");
    stalled("'service': {'constant': 10}, 'stalls': [{'mode': 'gate', 'first': 5, 'last': 10}]",
            two, "'requests': 2", "0 0 0 0 | 1 9 0 0");
    stalled("'service': {'constant': 10}, 'stalls': [{'mode': 'blackout', 'first': 5, "
            "'last': 15}]",
            two, "'requests': 2", "0 0 10 0 | 1 14 0 0");
}

static void stalls_on_the_way_to_the_server_are_part_of_the_wait_for_it(void **state)
{
    (void)state;
    /* Before it, on it, and at the end of it: from 5 to 100, from 2 to 7, from 2 to 6. */
    const char *server = "'service': {'constant': 9}, 'network': {'delay': {'constant': 2}}, "
                         "'stalls': [{'mode': 'suspend', 'first': 0, 'last': 100, "
                         "'target': 'network'}]";
    timeline(server, "'open': {'arrivals': {'times': [5]}}", "'requests': 1", "0 5 5 102 111");
    stalled(server, "'open': {'arrivals': {'times': [5]}}", "'requests': 1", "0 95 0 0");
    stalled("'service': {'constant': 9}, 'network': {'delay': {'constant': 4}}, 'stalls': "
            "[{'mode': 'suspend', 'first': 2, 'last': 5, 'target': 'network'}]",
            "'open': {'every': 90}", "'requests': 1", "0 5 0 0");
    stalled("'service': {'constant': 3}, 'network': {'delay': {'constant': 2}}, 'stalls': "
            "[{'mode': 'blackout', 'first': 1, 'last': 5, 'target': 'network'}]",
            "'open': {'every': 90}", "'requests': 1", "0 4 0 0");
    /* At 2 it is at the server, which is stopped until 6. */
    stalled("'service': {'constant': 3}, 'network': {'delay': {'constant': 2}}, 'stalls': "
            "[{'mode': 'gate', 'first': 1, 'last': 5}]",
            "'open': {'every': 90}", "'requests': 1", "0 4 0 0");
}

static void stalls_behind_the_server_are_part_of_what_the_service_lost(void **state)
{
    (void)state;
    /* Standing still from 11 to 16; held from 7 to 20; and not let in, from 8 to 12, after 2 in the
       queue there. */
    stalled("'service': {'constant': 10}, 'behind': {'service': {'constant': 3}}, 'stalls': "
            "[{'mode': 'suspend', 'first': 11, 'last': 5, 'target': 'behind'}]",
            "'open': {'arrivals': {'times': [0, 6]}}", "'requests': 2", "0 0 5 0 | 1 0 0 0");
    stalled("'service': {'constant': 3}, 'behind': {'service': {'constant': 4}}, 'stalls': "
            "[{'mode': 'blackout', 'first': 4, 'last': 16, 'target': 'behind'}]",
            "'open': {'every': 90}", "'requests': 1", "0 0 13 0");
    const char *server = "'service': {'constant': 3}, 'behind': {'service': {'constant': 7}}, "
                         "'stalls': [{'mode': 'gate', 'first': 8, 'last': 4, 'target': 'behind'}]";
    timeline(server, "'open': {'every': 3}", "'requests': 2", "0 0 0 0 10 | 1 3 3 3 19");
    stalled(server, "'open': {'every': 3}", "'requests': 2", "0 0 0 0 | 1 0 4 2");
}

static void a_request_that_was_given_up_lost_nothing_in_stalls(void **state)
{
    (void)state;
    stalled("'service': {'constant': 4}, 'behind': {'service': {'constant': 9}}, 'stalls': "
            "[{'mode': 'suspend', 'first': 1, 'last': 5}]",
            "'open': {'arrivals': {'times': [0, 5]}}, 'timeout': 19", "'requests': 2",
            "0 0 5 0 | 1 0 0 0");
}

/* From row i on, how many have that status; i becomes the first behind them. */
static double run_of(const struct oracle_answer *a, size_t *i, enum status status)
{
    size_t first = *i;
    while (*i < a->count && a->rows[*i].status == status)
        (*i)++;
    return (double)(*i - first);
}

/* Both would be the same uniform number if two draws were made of one word: once a stall was as
   long as it was, the second began when it did. */
static void how_long_a_stall_lasts_tells_nothing_of_when_the_next_begins(void **state)
{
    (void)state;
    char *text =
        scene("'service': {'constant': 1}, 'stalls': [{'mode': 'reject', 'up': "
              "{'exponential': '100ms'}, 'down': {'uniform': {'low': 0, 'high': '100ms'}}}]",
              "'open': {'every': '1ms'}", "'duration': '2s'");
    struct plan *plan = plan_from(text);
    double together = 0.0, count = 0.0;
    for (uint32_t k = 0; k < 400; k++) {
        struct oracle_answer rows;
        engine_answer(engine_run, &(struct oracle_question){.plan = plan, .replication = k}, &rows);
        size_t i = 0;
        run_of(&rows, &i, STATUS_ANSWERED);
        double length = run_of(&rows, &i, STATUS_REFUSED) / 100.0;
        double gone = exp(-run_of(&rows, &i, STATUS_ANSWERED) / 100.0);
        if (i < rows.count) { /* the next has begun */
            together += (length - 0.5) * (gone - 0.5) * 12.0;
            count += 1.0;
        }
        oracle_free(&rows);
    }
    assert_true(count > 390.0);
    assert_true(fabs(together) < 5.5 * sqrt(count)); /* 5.5 sigmas; 20 where they are the same */
    plan_free(plan);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(last_come_first_served_only_one_client_is_ever_served),
        cmocka_unit_test(last_come_first_served_turns_the_queue_around),
        cmocka_unit_test(the_shortest_goes_first_and_of_equal_ones_the_first_to_come),
        cmocka_unit_test(one_that_comes_as_a_worker_is_free_may_go_first_but_not_in_fifo),
        cmocka_unit_test(at_random_each_pick_has_a_word_of_its_own),
        cmocka_unit_test(at_random_is_who_stands_there_in_the_order_of_arrival),
        cmocka_unit_test(two_that_share_a_worker_go_at_half_speed),
        cmocka_unit_test(three_that_share_a_worker_go_at_a_third_each),
        cmocka_unit_test(a_shared_service_ends_at_the_first_whole_ns_that_is_enough),
        cmocka_unit_test(two_workers_are_shared_by_three),
        cmocka_unit_test(where_all_share_the_limit_is_on_those_beyond_the_workers),
        cmocka_unit_test(a_slowdown_takes_its_part_of_the_work_inside_it),
        cmocka_unit_test(tenths_of_a_speed_are_exact),
        cmocka_unit_test(what_two_take_of_the_speed_is_multiplied),
        cmocka_unit_test(what_is_lost_halves_again_and_again),
        cmocka_unit_test(an_alarm_refuses_who_comes_and_lets_the_others_go_on),
        cmocka_unit_test(a_stall_of_one_replica_leaves_the_other_alone),
        cmocka_unit_test(stalls_strike_the_network_the_station_behind_and_the_generator),
        cmocka_unit_test(each_request_knows_what_of_it_was_lost_in_stalls),
        cmocka_unit_test(stalls_on_the_way_to_the_server_are_part_of_the_wait_for_it),
        cmocka_unit_test(stalls_behind_the_server_are_part_of_what_the_service_lost),
        cmocka_unit_test(a_request_that_was_given_up_lost_nothing_in_stalls),
        cmocka_unit_test(how_long_a_stall_lasts_tells_nothing_of_when_the_next_begins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
