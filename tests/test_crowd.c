/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What is gathered of a crowd in one pass is, to the last ns, what a pass that knows the window
   sees; or it says that it does not know. */

#include <stdlib.h>

#include "models/base/random.h"
#include "sim/crowd.h"
#include "tests/claim.h"

#define ROWS (50 * BATCH_ROWS)

/* How requests come. */
enum manner {
    MANNER_EVENLY,
    MANNER_SLOWER, /* from the middle on */
    MANNER_FASTER,
    MANNER_AT_ONCE, /* as many as are in flight at the beginning, and then evenly */
    MANNER_COUNT,
};

struct row {
    ns_t due_ns, finished_ns;
};

struct made {
    enum manner manner;
    /* Until so many have been sent, from an eighth of all on, more or less of them is told: so
       many of a hundred. */
    size_t lies;
    uint64_t told;
    ns_t begin_ns, end_ns;
    struct row rows[ROWS]; /* in the order in which they leave */
    ns_t due_ns[ROWS], finished_ns[ROWS], sent_ns[ROWS] /* in order */;
};

static uint64_t draw(uint64_t scene, uint64_t i, uint64_t below)
{
    return stream_word(stream_open(scene, 0, 0, PURPOSE_SERVICE), i) % below;
}

static int leaves_first(const void *a, const void *b)
{
    const struct row *one = a, *other = b;
    return (one->finished_ns > other->finished_ns) - (one->finished_ns < other->finished_ns);
}

/* From a few hundred to some thousands are in flight; most take a short time, some a long one. */
static void make(struct made *m, uint64_t scene)
{
    static const ns_t flights[] = {200, 1500, 6000};
    ns_t in_flight = flights[draw(scene, 0, 3)], gap_ns = 1 + draw(scene, 1, 50), due_ns = 500;
    m->manner = scene % MANNER_COUNT;
    m->lies = draw(scene, 2, 2) * (ROWS / 8 + draw(scene, 5, ROWS / 3));
    m->told = 20 + draw(scene, 6, 200);
    m->begin_ns = draw(scene, 3, 2) * due_ns;
    for (size_t i = 0; i < ROWS; i++) {
        bool changed = i > ROWS / 2 && m->manner == MANNER_SLOWER;
        changed |= i < ROWS / 2 && m->manner == MANNER_FASTER;
        ns_t most_ns = changed ? 6 * gap_ns : 2 * gap_ns;
        if (m->manner != MANNER_AT_ONCE || i >= in_flight)
            due_ns += draw(scene, 10 + 3 * i, most_ns + 1);
        ns_t longest_ns = 2 * in_flight * gap_ns;
        ns_t takes_ns = draw(scene, 11 + 3 * i, longest_ns) * draw(scene, 12 + 3 * i, 4) / 2;
        m->rows[i] = (struct row){due_ns, due_ns + takes_ns};
        m->sent_ns[i] = due_ns;
    }
    m->end_ns = due_ns + draw(scene, 4, 2) * gap_ns;
    qsort(m->rows, ROWS, sizeof *m->rows, leaves_first);
    for (size_t i = 0; i < ROWS; i++) {
        m->due_ns[i] = m->rows[i].due_ns;
        m->finished_ns[i] = m->rows[i].finished_ns;
    }
}

/* So many have been sent when the last of the batch leaves. */
static struct batch batch_of(const struct made *m, size_t from, size_t *sent)
{
    static const uint8_t answered[BATCH_ROWS];
    while (*sent < ROWS && m->sent_ns[*sent] <= m->finished_ns[from + BATCH_ROWS - 1])
        ++*sent;
    bool lies = *sent > ROWS / 8 && *sent < m->lies;
    return (struct batch){.count = BATCH_ROWS,
                          .answered = true,
                          .due = m->due_ns + from,
                          .acquired = m->due_ns + from,
                          .sent = m->due_ns + from,
                          .finished = m->finished_ns + from,
                          .ended = m->finished_ns + from,
                          .status = answered,
                          .begun = lies ? *sent * m->told / 100 : *sent,
                          .begun_until_ns = m->sent_ns[*sent - 1]};
}

/* Whether the crowd knew. */
static bool crowd_sees_it(struct crowd *crowd, const struct made *m)
{
    struct load_watch gathered = {.begin_ns = m->begin_ns, .end_ns = m->end_ns}, seen = gathered;
    struct columns *columns = must_alloc_lines(1, sizeof *columns);
    crowd_begin(crowd, ROWS);
    for (size_t from = 0, sent = 0; from < ROWS; from += BATCH_ROWS) {
        struct batch batch = batch_of(m, from, &sent);
        columns_begin(columns, &batch);
        crowd_take(crowd, columns, m->begin_ns);
        load_watch_take(&seen, columns);
    }
    free(columns);
    if (!crowd_end(crowd, &gathered))
        return false;
    assert_int_equal(gathered.answered_in_window, seen.answered_in_window);
    for (size_t q = 0; q < WATCH_QUARTERS; q++) {
        assert_int_equal(gathered.quarter_count[q], seen.quarter_count[q]);
        assert_true(gathered.quarter_sum_ns[q] == seen.quarter_sum_ns[q]);
    }
    return true;
}

static void what_it_knows_is_what_a_second_pass_sees(void **state)
{
    (void)state;
    struct made *m = must_alloc(1, sizeof *m);
    struct crowd crowd = {0};
    size_t known[MANNER_COUNT] = {0}, honest[MANNER_COUNT] = {0};
    for (uint64_t scene = 0; scene < 240; scene++) {
        make(m, scene);
        bool knows = crowd_sees_it(&crowd, m);
        honest[m->manner] += m->lies == 0;
        known[m->manner] += knows && m->lies == 0;
        if (!knows || m->lies > 0)
            continue;
        assert_true(crowd.kept_count < ROWS / 4); /* most rows are not kept */
        assert_true(crowd.late_count < 13000);
    }
    assert_true(known[MANNER_EVENLY] == honest[MANNER_EVENLY]);
    assert_true(known[MANNER_AT_ONCE] == honest[MANNER_AT_ONCE]);
    assert_true(known[MANNER_SLOWER] == 0 &&
                known[MANNER_FASTER] == 0); /* quarters lie elsewhere */
    crowd_free(&crowd);
    free(m);
}

/* Rows as a crowd would have them, and one thing that it cannot deal with. */
static void it_knows_nothing_of_what_it_was_not_made_for(void **state)
{
    (void)state;
    struct made *m = must_alloc(1, sizeof *m);
    struct crowd crowd = {0};
    make(m, 0);
    m->lies = 0;
    assert_true(crowd_sees_it(&crowd, m));
    m->end_ns = m->sent_ns[ROWS - 1] - 1; /* as if the run had been cut */
    assert_false(crowd_sees_it(&crowd, m));
    make(m, 0);
    m->lies = 0;
    struct load_watch watch = {.begin_ns = m->begin_ns + 1, .end_ns = m->end_ns};
    assert_true(crowd_sees_it(&crowd, m) && !crowd_end(&crowd, &watch));
    m->due_ns[ROWS / 2] = 1; /* a row that is not recorded */
    m->begin_ns = 2;
    assert_false(crowd_sees_it(&crowd, m));
    make(m, 0);
    m->lies = 0;
    m->finished_ns[ROWS - 1] = m->due_ns[ROWS - 1] + SPAN_SUM_BELOW; /* sums might wrap */
    assert_false(crowd_sees_it(&crowd, m));
    crowd_free(&crowd);
    free(m);
}

/* Gaps are as long as requests take, so that few are in flight. */
static void few_in_flight_are_no_crowd(void **state)
{
    (void)state;
    struct made *m = must_alloc(1, sizeof *m);
    struct crowd crowd = {0};
    make(m, 0);
    m->lies = 0;
    for (size_t i = 0; i < ROWS; i++) {
        m->due_ns[i] = m->sent_ns[i] = 500 + 10 * i;
        m->finished_ns[i] = m->due_ns[i] + 10 * (ROWS / 4096 - 2);
    }
    m->end_ns = m->sent_ns[ROWS - 1];
    assert_false(crowd_sees_it(&crowd, m));
    for (size_t i = 0; i < ROWS; i++)
        m->finished_ns[i] += 20;
    assert_true(crowd_sees_it(&crowd, m));
    crowd_free(&crowd);
    free(m);
}

static void of_too_many_rows_none_is_kept(void **state)
{
    (void)state;
    struct made *m = must_alloc(1, sizeof *m);
    struct columns *columns = must_alloc_lines(1, sizeof *columns);
    struct crowd crowd = {0};
    make(m, 0);
    for (unsigned bits = 30; bits < 34; bits++) {
        crowd_begin(&crowd, UINT64_C(1) << bits);
        size_t sent = 0;
        struct batch batch = batch_of(m, 0, &sent);
        columns_begin(columns, &batch);
        crowd_take(&crowd, columns, m->begin_ns);
        assert_int_equal(crowd.lost, bits > 30);
        assert_int_equal(crowd.late_count > 0, bits == 30);
    }
    crowd_free(&crowd);
    free(columns);
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_knows_is_what_a_second_pass_sees),
        cmocka_unit_test(it_knows_nothing_of_what_it_was_not_made_for),
        cmocka_unit_test(few_in_flight_are_no_crowd),
        cmocka_unit_test(of_too_many_rows_none_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
