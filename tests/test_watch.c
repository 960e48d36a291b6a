/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The windows of a watch, however far its rows reach and in whatever shares they come, against
   counts that are made when all is known. */

#include <stdlib.h>

#include "models/base/random.h"
#include "sim/watch.h"
#include "tests/claim.h"

#define ROWS_MOST (6 * BATCH_ROWS)
#define TAIL_NS 500

struct made {
    size_t count;
    bool in_order;
    ns_t due[ROWS_MOST], finished[ROWS_MOST];
};

static uint64_t draw(uint64_t scenario, uint64_t i, uint64_t below)
{
    return stream_word(stream_open(scenario, 0, 0, PURPOSE_SERVICE), i) % below;
}

/* From rows of one window to some that reach beyond 4096 of them several times over. */
static void make(struct made *m, uint64_t s)
{
    static const ns_t apart_ns[] = {1, 1000, NS_PER_S / 100, 3 * NS_PER_S, 1000 * NS_PER_S};
    ns_t most_ns = apart_ns[draw(s, 0, 5)], due_ns = draw(s, 1, 50) * NS_PER_S;
    m->count = 1 + draw(s, 2, ROWS_MOST);
    m->in_order = draw(s, 3, 2) == 0;
    for (size_t i = 0; i < m->count; i++) {
        due_ns += draw(s, 10 + 3 * i, 2 * most_ns);
        bool early = !m->in_order && draw(s, 11 + 3 * i, 4) == 0;
        m->due[i] = early ? due_ns / 2 : due_ns;
        m->finished[i] = m->due[i] + draw(s, 12 + 3 * i, 2 * TAIL_NS);
    }
}

static void take(struct recorder_watch *watch, struct columns *columns, const struct made *m,
                 size_t from, size_t rows)
{
    static const uint8_t answered[BATCH_ROWS];
    struct batch b = {.count = rows,
                      .answered = true,
                      .in_order = m->in_order,
                      .due = m->due + from,
                      .sent = m->due + from,
                      .started = m->due + from,
                      .finished = m->finished + from,
                      .ended = m->finished + from,
                      .status = answered};
    columns_begin(columns, &b);
    recorder_watch_take(watch, columns);
}

static void assert_counts(const struct made *m, const struct recorder_watch *watch)
{
    struct watch_window *wanted = must_alloc(WATCH_WINDOWS, sizeof *wanted);
    ns_t last_ns = 0, width_ns = NS_PER_S;
    for (size_t i = 0; i < m->count; i++)
        last_ns = m->due[i] > last_ns ? m->due[i] : last_ns;
    while (last_ns / width_ns >= WATCH_WINDOWS)
        width_ns *= 2;
    for (size_t i = 0; i < m->count; i++) {
        wanted[m->due[i] / width_ns].count++;
        wanted[m->due[i] / width_ns].above += m->finished[i] - m->due[i] > TAIL_NS;
    }
    assert_int_equal(watch->width_ns, width_ns);
    assert_true(watch->window_count <= WATCH_WINDOWS);
    for (size_t w = 0; w < WATCH_WINDOWS; w++) {
        bool there = w < watch->window_count;
        assert_int_equal(there ? watch->windows[w].count : 0, wanted[w].count);
        assert_int_equal(there ? watch->windows[w].above : 0, wanted[w].above);
    }
    free(wanted);
}

static void windows_count_the_same_however_they_grow_and_are_merged(void **state)
{
    (void)state;
    struct made *m = must_alloc(1, sizeof *m);
    struct columns *columns = must_alloc_lines(1, sizeof *columns);
    const struct recorder_plan plan = {.from = INSTANT_DUE, .to = INSTANT_FINISHED};
    const struct recorder_watch as = {.plan = &plan, .tail_ns = TAIL_NS, .width_ns = NS_PER_S};
    for (uint64_t s = 0; s < 300; s++) {
        struct recorder_watch *watches[3];
        make(m, s);
        for (size_t k = 0; k < 3; k++)
            watches[k] = recorder_watch_new(&as);
        for (size_t from = 0, rows; from < m->count; from += rows) {
            rows = 1 + draw(s, 100000 + from, BATCH_ROWS);
            rows = rows < m->count - from ? rows : m->count - from;
            take(watches[draw(s, 200000 + from, 3)], columns, m, from, rows);
        }
        recorder_watch_merge(watches[0], watches[1]);
        recorder_watch_merge(watches[0], watches[2]);
        assert_counts(m, watches[0]);
        assert_int_equal(watches[0]->sends, m->count);
        for (size_t k = 0; k < 3; k++)
            recorder_watch_free(watches[k]);
    }
    free(columns);
    free(m);
}

static void a_short_run_has_few_windows(void **state)
{
    (void)state;
    struct made *m = must_alloc(1, sizeof *m);
    struct columns *columns = must_alloc_lines(1, sizeof *columns);
    const struct recorder_plan plan = {.from = INSTANT_DUE, .to = INSTANT_FINISHED};
    const struct recorder_watch as = {.plan = &plan, .tail_ns = TAIL_NS, .width_ns = NS_PER_S};
    struct recorder_watch *watch = recorder_watch_new(&as);
    m->count = 1;
    m->due[0] = m->finished[0] = 40 * NS_PER_S;
    assert_int_equal(watch->window_count, 0);
    take(watch, columns, m, 0, 1);
    assert_int_equal(watch->window_count, 64);
    recorder_watch_free(watch);
    free(columns);
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_count_the_same_however_they_grow_and_are_merged),
        cmocka_unit_test(a_short_run_has_few_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
