/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What one pass gathers of a load is what a pass that knows the window sees. */

#include <stdlib.h>

#include "models/base/random.h"
#include "sim/gather.h"
#include "tests/claim.h"

#define ROWS_MOST (40 * BATCH_ROWS)

/* Rows in the order in which they leave. */
struct made {
    size_t count;
    ns_t due[ROWS_MOST], finished[ROWS_MOST];
    uint8_t status[ROWS_MOST];
    ns_t record_from_ns, begin_ns, end_ns, warmup_ns;
    size_t turned; /* rows of a block that leave with the last due first */
};

static uint64_t draw(uint64_t scenario, uint64_t i, uint64_t below)
{
    return stream_word(stream_open(scenario, 0, 0, PURPOSE_SERVICE), i) % below;
}

static void turn(struct made *m)
{
    for (size_t from = 0; from + m->turned <= m->count; from += m->turned)
        for (size_t i = 0; i < m->turned / 2; i++) {
            ns_t *a = &m->due[from + i], *b = &m->due[from + m->turned - 1 - i], kept = *a;
            *a = *b;
            *b = kept;
        }
}

/* Latencies so long that some thousands, or a handful, are in flight; some fail in some. */
static void make(struct made *m, uint64_t s)
{
    static const size_t rows[] = {1, 10, 700, 1024, 5000, ROWS_MOST};
    static const ns_t late_ns[] = {0, 1, 50, 5000, 30000};
    m->count = rows[draw(s, 0, 6)];
    ns_t longest_ns = late_ns[draw(s, 1, 5)], due_ns = 0, left_ns = 0;
    bool fails = draw(s, 2, 3) == 0;
    m->turned = draw(s, 6, 3) == 0 ? 2 + draw(s, 7, 8) * m->count / 16 : 1;
    for (size_t i = 0; i < m->count; i++)
        m->due[i] = due_ns += draw(s, 10 + 4 * i, 3);
    turn(m);
    for (size_t i = 0; i < m->count; i++) {
        ns_t end_ns = m->due[i] + longest_ns / 2 + draw(s, 11 + 4 * i, longest_ns + 1);
        left_ns = end_ns > left_ns ? end_ns : left_ns;
        m->finished[i] = left_ns;
        m->status[i] = fails && draw(s, 12 + 4 * i, 20) == 0 ? STATUS_TIMED_OUT : STATUS_ANSWERED;
    }
    m->warmup_ns = draw(s, 3, 3) == 0 ? due_ns / 5 : 0;
    m->record_from_ns = draw(s, 4, 3) == 0 ? m->due[m->count / 4] : 0;
    m->begin_ns = m->record_from_ns + m->warmup_ns;
    m->end_ns = due_ns + 1;
}

static struct batch batch_of(const struct made *m, size_t from, size_t rows)
{
    static const ns_t nothing[BATCH_ROWS];
    static const uint32_t replica[BATCH_ROWS];
    struct batch b = {.count = rows,
                      .answered = true,
                      .record_from_ns = m->record_from_ns,
                      .due = m->due + from,
                      .acquired = m->due + from,
                      .sent = m->due + from,
                      .started = m->due + from,
                      .finished = m->finished + from,
                      .ended = m->finished + from,
                      .status = m->status + from,
                      .client = nothing,
                      .replica = replica,
                      .waited_stalled = nothing,
                      .served_stalled = nothing,
                      .waited_behind = nothing};
    for (size_t i = 0; i < rows; i++)
        b.answered &= b.status[i] == STATUS_ANSWERED;
    /* An engine that settles does not know when recording begins before it does. */
    if (m->record_from_ns > 0 && m->finished[from + rows - 1] < m->record_from_ns)
        b.record_from_ns = NS_LIMIT;
    return b;
}

static void assert_same(const struct made *m, const struct load_watch *gathered,
                        const struct load_watch *seen)
{
    uint64_t count = 0, of_seen = 0;
    u128 sum_ns = 0, sum_of_seen_ns = 0;
    assert_int_equal(gathered->answered_in_window, seen->answered_in_window);
    for (size_t q = 0; q < WATCH_QUARTERS; q++) {
        count += gathered->quarter_count[q];
        of_seen += seen->quarter_count[q];
        sum_ns += gathered->quarter_sum_ns[q];
        sum_of_seen_ns += seen->quarter_sum_ns[q];
        uint64_t off = gathered->quarter_count[q] > seen->quarter_count[q]
                           ? gathered->quarter_count[q] - seen->quarter_count[q]
                           : seen->quarter_count[q] - gathered->quarter_count[q];
        /* A bucket at either edge, each a five-hundredth at most; or as many as it lets be. */
        uint64_t most = m->turned == 1 ? m->count / 256 + 1 : m->count / 64;
        assert_true(off <= (m->count <= GATHER_BUCKETS ? 0 : most));
    }
    assert_int_equal(count, of_seen);
    assert_true(sum_ns == sum_of_seen_ns);
}

static void it_sees_what_a_second_pass_would(void **state)
{
    (void)state;
    struct made *m = must_alloc(1, sizeof *m);
    struct gather *g = must_alloc(1, sizeof *g);
    gather_open(g);
    size_t known = 0;
    for (uint64_t s = 0; s < 600; s++) {
        make(m, s);
        struct load_watch gathered = {.begin_ns = m->begin_ns, .end_ns = m->end_ns};
        struct load_watch seen = gathered;
        gather_begin(g, m->warmup_ns, draw(s, 5, 2) == 0 ? m->count : 0, false);
        for (size_t from = 0; from < m->count; from += BATCH_ROWS) {
            size_t rows = m->count - from < BATCH_ROWS ? m->count - from : BATCH_ROWS;
            struct batch b = batch_of(m, from, rows);
            struct columns columns;
            columns_begin(&columns, &b);
            gather_take(g, &columns);
            load_watch_take(&seen, &columns);
        }
        struct load_watch of_crowd;
        gather_end(g, &gathered, &of_crowd);
        if (!gathered.known)
            continue;
        known++;
        assert_same(m, &gathered, &seen);
    }
    assert_true(known > 400 && known < 600); /* too many in flight at the end: it says so */
    gather_close(g);
    free(g);
    free(m);
}

static void take(struct gather *g, const struct batch *batch)
{
    struct columns columns;
    columns_begin(&columns, batch);
    gather_take(g, &columns);
}

/* A row that left in the window while nobody knew that it began: whether that was an answer in it
   is not known any more. */
static void it_knows_nothing_where_the_window_began_unnoticed(void **state)
{
    (void)state;
    struct made *m = must_alloc(1, sizeof *m);
    struct gather *g = must_alloc(1, sizeof *g);
    gather_open(g);
    for (ns_t left_ns = 98; left_ns <= 102; left_ns++) {
        struct load_watch watch = {.begin_ns = 100, .end_ns = 200};
        *m = (struct made){.count = 2, .due = {0, 100}, .finished = {left_ns, 150}};
        struct batch before = batch_of(m, 0, 1), after = batch_of(m, 1, 1);
        before.record_from_ns = NS_LIMIT;
        after.record_from_ns = 100;
        gather_begin(g, 0, 0, false);
        take(g, &before);
        take(g, &after);
        struct load_watch of_crowd;
        gather_end(g, &watch, &of_crowd);
        assert_int_equal(watch.known, left_ns < 100);
        assert_int_equal(watch.answered_in_window, 1);
    }
    gather_close(g);
    free(g);
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_sees_what_a_second_pass_would),
        cmocka_unit_test(it_knows_nothing_where_the_window_began_unnoticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
