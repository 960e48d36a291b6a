/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "models/base/error.h"
#include "models/base/random.h"
#include "tests/two_ways.h"

/* What clients do about requests that take long: timelines worked by hand, as in test_semantics.c;
   the engine and the oracle must both show them. */

/* Copies sent, withheld, taken back, and served for nothing. */
struct copies {
    uint64_t attempts, withheld, cancelled, wasted;
};

static void copies(const char *server, const char *load, const char *run, struct copies expected,
                   const char *rows)
{
    timeline(server, load, run, rows);
    struct oracle_answer got = both_ways(server, load, run);
    assert_int_equal(got.attempts, expected.attempts);
    assert_int_equal(got.withheld, expected.withheld);
    assert_int_equal(got.cancelled, expected.cancelled);
    assert_int_equal(got.wasted, expected.wasted);
    oracle_free(&got);
}

/* ---- retries ---- */

static void with_backoff_each_wait_is_longer_than_the_one_before(void **state)
{
    (void)state;
    /* Copies at 4, 12 and 28. */
    copies("'service': {'constant': 100}, 'workers': 'unlimited'",
           "'open': {'every': 500}, 'retry': {'after': 4, 'copies': 4, 'backoff': 2}",
           "'requests': 1", (struct copies){4, 0, 0, 3}, "0 0 0 0 100, left 128");
    /* 3, then 4.5 rounded down, then 6: at 3, 7 and 13. */
    copies("'service': {'constant': 100}, 'workers': 'unlimited'",
           "'open': {'every': 500}, 'retry': {'after': 3, 'copies': 4, 'backoff': 1.5}",
           "'requests': 1", (struct copies){4, 0, 0, 3}, "0 0 0 0 100, left 113");
}

static void jitter_takes_a_part_of_each_wait_away(void **state)
{
    (void)state;
    struct stream stream = stream_at(stream_open(7, 0, 0, PURPOSE_CLIENT), 0);
    uint64_t first = 100 - below(stream_word(stream, 1), 51);
    uint64_t second = first + 200 - below(stream_word(stream, 2), 101);
    assert_true(first < 100 && second - first < 200);
    char *row = must_format("0 0 0 0 1000, left %llu", (unsigned long long)(1000 + second));
    copies("'service': {'constant': 1000}, 'workers': 'unlimited'",
           "'open': {'every': 5000}, "
           "'retry': {'after': 100, 'copies': 3, 'backoff': 2, 'jitter': 0.5}",
           "'requests': 1, 'seed': 7", (struct copies){3, 0, 0, 2}, row);
    free(row);
}

static void a_budget_withholds_copies_beyond_its_share_of_the_requests(void **state)
{
    (void)state;
    /* At 5, 15, 25 and 35 with 1, 2, 3 and 4 requests sent: half of them is 0, 1, 1, 2 copies. */
    copies("'service': {'constant': 35}, 'workers': 'unlimited'",
           "'open': {'every': 10}, 'retry': {'after': 5, 'copies': 2, 'budget': 0.5}",
           "'requests': 4", (struct copies){6, 2, 0, 2},
           "0 0 0 0 35 | 1 10 10 10 45, left 50 | 2 20 20 20 55 | 3 30 30 30 65, left 70");
}

static void a_request_whose_copy_is_withheld_sends_no_more(void **state)
{
    (void)state;
    copies("'service': {'constant': 35}, 'workers': 'unlimited'",
           "'open': {'every': 10}, 'retry': {'after': 5, 'copies': 9, 'budget': 0}",
           "'requests': 2", (struct copies){2, 2, 0, 0}, "0 0 0 0 35 | 1 10 10 10 45");
}

static void a_copy_passes_the_generator_like_any_other(void **state)
{
    (void)state;
    /* Sent at 2; the timer fires at 7, the copy leaves at 9. */
    copies("'service': {'constant': 10}, 'workers': 'unlimited'",
           "'open': {'every': 500}, 'generator': {'cost': 2}, 'retry': {'after': 5}",
           "'requests': 1", (struct copies){2, 0, 0, 1}, "0 0 2 2 12, left 19");
}

static void a_copy_on_the_network_counts_as_not_begun(void **state)
{
    (void)state;
    const char *server = "'service': {'constant': 3}, 'network': {'delay': {'constant': 3}}";
    copies(server, "'open': {'every': 500}, 'retry': {'after': 4, 'cancel': 'queued'}",
           "'requests': 1", (struct copies){2, 0, 1, 0}, "0 0 0 3 6");
    copies(server, "'open': {'every': 500}, 'retry': {'after': 4, 'cancel': 'none'}",
           "'requests': 1", (struct copies){2, 0, 0, 1}, "0 0 0 3 6, left 10");
}

static void what_might_do_harm_is_sent_once(void **state)
{
    (void)state;
    copies("'service': {'constant': 30}, 'workers': 'unlimited'",
           "'open': {'every': 500}, 'retry': {'after': 4, 'copies': 4}, 'idempotent': false",
           "'requests': 1", (struct copies){1, 0, 0, 0}, "0 0 0 0 30");
    copies("'service': {'constant': 30}, 'replicas': 2, 'routing': 'round-robin'",
           "'open': {'every': 500}, 'tied': {}, 'idempotent': false", "'requests': 1",
           (struct copies){1, 0, 0, 0}, "0 0 0 0 30");
}

/* ---- patience ---- */

static void the_timeout_counts_from_the_send(void **state)
{
    (void)state;
    copies("'service': {'constant': 2}",
           "'open': {'every': 500}, 'generator': {'cost': 4}, 'timeout': 3", "'requests': 1",
           (struct copies){1, 0, 0, 0}, "0 0 4 4 6");
}

static void one_that_is_given_up_may_be_taken_out_of_service(void **state)
{
    (void)state;
    copies("'service': {'samples': [10, 10, 3]}",
           "'open': {'arrivals': {'times': [0, 1, 6]}}, 'timeout': 4, "
           "'timeout_cancel': 'in-service'",
           "'requests': 3", (struct copies){3, 0, 2, 0},
           "0 0 0 0 4 given up | 1 1 1 4 5 given up | 2 6 6 6 9");
}

static void or_only_out_of_the_queue(void **state)
{
    (void)state;
    copies("'service': {'samples': [10, 3, 3]}",
           "'open': {'arrivals': {'times': [0, 1, 8]}}, 'timeout': 4, 'timeout_cancel': 'queued'",
           "'requests': 3", (struct copies){3, 0, 1, 2},
           "0 0 0 0 4 given up, left 10 | 1 1 1 5 5 given up | 2 8 8 10 12 given up, left 13");
}

static void each_copy_is_abandoned_so_long_after_its_own_send(void **state)
{
    (void)state;
    copies("'service': {'constant': 30}, 'workers': 'unlimited'",
           "'open': {'every': 500}, 'timeout': 10, 'timeout_cancel': 'in-service', "
           "'retry': {'after': 6}",
           "'requests': 1", (struct copies){2, 0, 2, 0}, "0 0 0 6 10 given up, left 16");
}

/* ---- hedges ---- */

/* So many works of 5 ns, those of requests `slow` and 100 excepted. */
static char *mostly_quick(size_t slow)
{
    char *text = must_copy("'workers': 'unlimited', 'service': {'samples': [5");
    for (size_t i = 1; i <= 100; i++) {
        char *more = must_format("%s, %d", text, i == 100 ? 50 : i == slow ? 80 : 5);
        free(text);
        text = more;
    }
    char *whole = must_format("%s]}", text);
    free(text);
    return whole;
}

static void a_hedge_may_wait_for_a_percentile_of_what_answers_took(void **state)
{
    (void)state;
    /* Request 50 takes 80 before anything was measured; request 100 gets a copy after 5. */
    char *server = mostly_quick(50);
    struct oracle_answer got =
        both_ways(server,
                  "'open': {'every': 100}, 'hedge': {'percentile': 90, 'cancel': 'none'}, "
                  "'work': 'per-request'",
                  "'requests': 101");
    assert_int_equal(got.attempts, 102);
    assert_int_equal(got.rows[50].ended, 5080);
    assert_int_equal(got.rows[100].finished, 10050);
    assert_int_equal(got.rows[100].ended, 10055);
    oracle_free(&got);
    /* The slowest of the hundred: by nearest rank 99.5 % is the 100th. */
    got = both_ways(server, "'open': {'every': 100}, 'hedge': {'percentile': 99.5}",
                    "'requests': 101");
    assert_int_equal(got.attempts, 101);
    oracle_free(&got);
    free(server);
}

static void of_tied_copies_the_first_to_begin_takes_the_others_back(void **state)
{
    (void)state;
    /* Both of request 0 begin.  At 10 replica 0 begins what request 1 has there, so replica 1
       begins request 2. */
    const char *server = "'service': {'constant': 10}, 'replicas': 2, 'routing': 'round-robin'";
    const char *load = "'open': {'arrivals': {'times': [0, 3, 5]}}, 'tied': {}";
    copies(server, load, "'requests': 3", (struct copies){6, 0, 2, 1},
           "0 0 0 0 10 | 1 3 3 10 20 | 2 5 5 10 20");
    struct oracle_answer got = both_ways(server, load, "'requests': 3");
    assert_int_equal(got.rows[1].replica, 0);
    assert_int_equal(got.rows[2].replica, 1);
    oracle_free(&got);
}

static void a_tied_copy_that_would_wait_for_its_begun_twin_is_withdrawn(void **state)
{
    (void)state;
    copies("'service': {'constant': 10}, 'replicas': 2, 'routing': 'round-robin', 'stalls': "
           "[{'mode': 'gate', 'first': 0, 'last': 50, 'target': {'replica': 1}}]",
           "'open': {'every': 500}, 'tied': {}", "'requests': 1", (struct copies){2, 0, 1, 0},
           "0 0 0 0 10");
}

/* ---- parts ---- */

static void a_request_may_be_answered_by_some_of_its_parts(void **state)
{
    (void)state;
    const char *server = "'service': {'constant': 5}, 'replicas': 3, 'routing': 'round-robin', "
                         "'stalls': [{'mode': 'suspend', 'first': 2, 'last': 20, "
                         "'target': {'replica': 1}}]";
    copies(server, "'open': {'every': 500}, 'fan_out': 3, 'wait_for': 2", "'requests': 1",
           (struct copies){3, 0, 0, 1}, "0 0 0 0 5, left 25");
    copies(server, "'open': {'every': 500}, 'fan_out': 3", "'requests': 1",
           (struct copies){3, 0, 0, 0}, "0 0 0 0 25");
}

/* How many of 50 requests have a part that takes longer than their first. */
static size_t uneven(const char *work)
{
    char *load =
        must_format("'open': {'every': 5000}, 'fan_out': 2, 'wait_for': 1, 'work': '%s'", work);
    struct oracle_answer got =
        both_ways("'service': {'exponential': 100}, 'replicas': 2", load, "'requests': 50");
    size_t n = 0;
    for (size_t i = 0; i < got.count; i++)
        n += got.rows[i].ended > got.rows[i].finished;
    oracle_free(&got);
    free(load);
    return n;
}

static void parts_may_share_one_draw_of_work_or_have_their_own(void **state)
{
    (void)state;
    assert_int_equal(uneven("per-request"), 0);
    assert_true(uneven("per-attempt") > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_backoff_each_wait_is_longer_than_the_one_before),
        cmocka_unit_test(jitter_takes_a_part_of_each_wait_away),
        cmocka_unit_test(a_budget_withholds_copies_beyond_its_share_of_the_requests),
        cmocka_unit_test(a_request_whose_copy_is_withheld_sends_no_more),
        cmocka_unit_test(a_copy_passes_the_generator_like_any_other),
        cmocka_unit_test(a_copy_on_the_network_counts_as_not_begun),
        cmocka_unit_test(what_might_do_harm_is_sent_once),
        cmocka_unit_test(the_timeout_counts_from_the_send),
        cmocka_unit_test(one_that_is_given_up_may_be_taken_out_of_service),
        cmocka_unit_test(or_only_out_of_the_queue),
        cmocka_unit_test(each_copy_is_abandoned_so_long_after_its_own_send),
        cmocka_unit_test(a_hedge_may_wait_for_a_percentile_of_what_answers_took),
        cmocka_unit_test(of_tied_copies_the_first_to_begin_takes_the_others_back),
        cmocka_unit_test(a_tied_copy_that_would_wait_for_its_begun_twin_is_withdrawn),
        cmocka_unit_test(a_request_may_be_answered_by_some_of_its_parts),
        cmocka_unit_test(parts_may_share_one_draw_of_work_or_have_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
