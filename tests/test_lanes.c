/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lines of Poisson arrivals and exponential works, whose whole batches are drawn and served in
   lanes where vectors are wide enough. */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "models/base/random.h"
#include "sim/fast.h"
#include "sim/lane_kernels.h"
#include "tests/fast_both.h"
#include "tests/random_text.h"
#include "tests/two_ways.h"

/* As JSON; owned by the caller.  From all but idle to past its capacity, over at a row or at an
   instant, which may be anywhere in a batch. */
static char *drawn_scene(uint64_t seed)
{
    static const uint64_t means_ns[] = {1, 40, 1000, 77777, 10000000, 2000000000, 3600000000000};
    struct writer w = {.text = must_alloc(TEXT_SIZE, 1),
                       .dice = stream_open(seed, 0, 0, PURPOSE_START)};
    uint64_t mean_ns = means_ns[roll(&w, 0, 6)], every_ns = mean_ns / 100 * roll(&w, 60, 400) + 1;
    put(&w,
        "{\"title\": \"seed %llu\", \"server\": {\"service\": {\"exponential\": %llu}}, "
        "\"loads\": {\"it\": {\"open\": {\"every\": %llu, \"arrivals\": \"poisson\"}}}, "
        "\"recorders\": {\"it\": {\"load\": \"it\", \"from\": \"due\"}}, \"run\": {",
        (unsigned long long)seed, (unsigned long long)mean_ns, (unsigned long long)every_ns);
    unsigned rows =
        one_in(&w, 3) ? 992 + 1024 * roll(&w, 1, 4) + roll(&w, 0, 2) - 1 : roll(&w, 1, 9000);
    if (one_in(&w, 2))
        put(&w, "\"requests\": %u", rows);
    else
        put(&w, "\"duration\": %llu", (unsigned long long)(1 + rows * every_ns));
    if (one_in(&w, 3))
        put(&w, ", \"warmup\": %llu", (unsigned long long)(roll(&w, 0, rows / 2) * every_ns));
    put(&w, ", \"start\": \"empty\", \"seed\": %llu}}", (unsigned long long)seed);
    return w.text;
}

/* Nobody asks when a row began: what lanes do not find. */
static void gather_all_but_begins(void *self, const struct batch *b)
{
    static const ns_t none[BATCH_ROWS];
    struct batch without = *b;
    without.started = none;
    fast_gather(self, &without);
}

static void every_row_and_total_of_a_drawn_line_is_the_engines(void **state)
{
    (void)state;
    size_t whole = 0;
    for (uint64_t seed = 1; seed <= fast_so_many(400); seed++) {
        char *text = drawn_scene(seed);
        struct plan *plan = plan_from(text);
        struct fast_rows rows[2] = {{0}, {0}};
        struct engine_totals totals[2];
        for (int fast = 0; fast < 2; fast++) {
            struct engine_request request = {.plan = plan,
                                             .consumer = {gather_all_but_begins, &rows[fast]}};
            assert_true(fast_accepts(&request));
            assert_int_equal((fast ? fast_run : engine_run)(&request, &totals[fast]), ENGINE_DONE);
        }
        bool same =
            fast_rows_equal(&rows[0], &rows[1]) && fast_totals_equal(&totals[0], &totals[1]);
        if (!same)
            print_error("%s\n", text);
        assert_true(same);
        whole += rows[1].count > 2 * BATCH_ROWS;
        free(rows[0].row);
        free(rows[1].row);
        plan_free(plan);
        free(text);
    }
    assert_true(whole > fast_so_many(100));
}

static void draws_in_lanes_are_those_in_a_row(void **state)
{
    (void)state;
    if (draw_kernels()->in_lanes == NULL)
        skip();
    for (uint64_t first = 0; first < 4000; first += 16) {
        struct stream stream = stream_open(first, 0, 0, PURPOSE_SERVICE);
        ns_t lanes_ns[2 * DRAWS_IN_LANES], row_ns[2 * DRAWS_IN_LANES];
        draw_kernels()->in_lanes(stream, first, 1e6 + (double)first, lanes_ns, 2 * DRAWS_IN_LANES);
        draw_kernels()->exponential(stream, first, 1e6 + (double)first, row_ns, 2 * DRAWS_IN_LANES);
        for (size_t i = 0; i < 2 * DRAWS_IN_LANES; i++) {
            size_t block = i / DRAWS_IN_LANES * DRAWS_IN_LANES, lane = i % DRAWS_IN_LANES / STRETCH;
            assert_int_equal(lanes_ns[block + draw_in_lanes(i % STRETCH) + lane], row_ns[i]);
        }
    }
}

#define ROWS ((size_t)3 * DRAWS_IN_LANES)
#define FREE_NS 2000000 /* some gaps: the first rows wait */

/* How many rows, and sums and ends, are not those of Lindley's recursion from that end on. */
static size_t wrong_of_line(uint64_t seed, ns_t free_ns)
{
    struct stream stream = stream_open(seed, 0, 0, PURPOSE_THINK);
    ns_t gap_ns[ROWS], work_ns[ROWS], due_ns[ROWS], done_ns[ROWS], due = seed, wrong = 0;
    struct line_state own = {seed, FREE_NS, {7, 9}}, line = own;
    ns_t done = free_ns;
    for (size_t i = 0; i < ROWS; i++) {
        gap_ns[i] = stream_word(stream, 2 * i) >> 44;
        work_ns[i] = stream_word(stream, 2 * i + 1) >> (44 + seed % 3);
    }
    lane_kernels()->serve(gap_ns, work_ns, &line, due_ns, done_ns, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        size_t block = i / DRAWS_IN_LANES * DRAWS_IN_LANES, lane = i % DRAWS_IN_LANES / STRETCH;
        size_t at = block + draw_in_lanes(i % STRETCH) + lane;
        due += gap_ns[at];
        done = (due > done ? due : done) + work_ns[at];
        own.sums.work_ns += work_ns[at];
        own.sums.time_ns += done - due;
        wrong += due_ns[i] != due || done_ns[i] != done;
    }
    wrong += line.due_ns != due || line.done_ns != done;
    return wrong + (line.sums.work_ns != own.sums.work_ns || line.sums.time_ns != own.sums.time_ns);
}

static void lanes_are_served_as_lindley_says(void **state)
{
    (void)state;
    if (lane_kernels()->serve == NULL)
        skip();
    for (uint64_t seed = 1; seed <= 500; seed++)
        assert_int_equal(wrong_of_line(seed, FREE_NS), 0);
}

static void canary_an_end_that_is_a_ns_off_is_found(void **state)
{
    (void)state;
    if (lane_kernels()->serve == NULL)
        skip();
    size_t found = 0;
    for (uint64_t seed = 1; seed <= 500; seed++)
        found += wrong_of_line(seed, FREE_NS + 1) > 0;
    assert_true(found > 400); /* in the others the first comes later */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_and_total_of_a_drawn_line_is_the_engines),
        cmocka_unit_test(draws_in_lanes_are_those_in_a_row),
        cmocka_unit_test(lanes_are_served_as_lindley_says),
        cmocka_unit_test(canary_an_end_that_is_a_ns_off_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
