/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "models/arrivals/even_kernels.h"
#include "models/base/random.h"
#include "sim/fast.h"
#include "sim/queue_kernels.h"
#include "tests/fast_both.h"
#include "tests/fast_scenes.h"
#include "tests/two_ways.h"

/* Most scenarios must be taken. */
static struct fast_tally hold(enum scene_kind kind, unsigned unit, unsigned most, unsigned workers,
                              uint64_t seeds)
{
    struct fast_tally tally = {0};
    for (uint64_t seed = 1; seed <= fast_so_many(seeds) && tally.differ < 5; seed++) {
        char *text = fast_scene(seed, kind, unit, most, workers);
        fast_try_both(text, seed, unit, &tally);
        free(text);
    }
    assert_int_equal(tally.differ, 0);
    assert_true(tally.taken > fast_so_many(seeds) / 2);
    return tally;
}

static void every_row_and_total_of_one_worker_with_an_open_load_is_the_engines(void **state)
{
    (void)state;
    hold(SCENE_OPEN, 1, 60, 1, 6000);
    hold(SCENE_OPEN, 1000003, 60, 1, 1500);
}

static void so_it_is_of_a_paced_load(void **state)
{
    (void)state;
    hold(SCENE_PACED, 1, 60, 1, 4000);
    hold(SCENE_PACED, 1000003, 60, 1, 1000);
}

static void so_it_is_of_clients_that_wait(void **state)
{
    (void)state;
    hold(SCENE_CLOSED, 1, 60, 1, 5000);
    hold(SCENE_CLOSED, 1000003, 60, 1, 1000);
}

static void so_it_is_of_several_workers(void **state)
{
    (void)state;
    const enum scene_kind kinds[] = {SCENE_OPEN, SCENE_CLOSED};
    for (size_t i = 0; i < 2; i++) {
        hold(kinds[i], 1, 60, 6, 4000);
        hold(kinds[i], 1000003, 60, 30, 1500);
    }
}

static void so_it_is_over_many_batches(void **state)
{
    (void)state;
    for (int kind = 0; kind < SCENE_KINDS; kind++) {
        struct fast_tally small = hold((enum scene_kind)kind, 1, 5000, 1, 300);
        struct fast_tally large = hold((enum scene_kind)kind, 1009, 5000, 1, 300);
        assert_true(small.batches > 2 * small.taken && large.batches > 2 * large.taken);
        if (kind != SCENE_PACED)
            hold((enum scene_kind)kind, 1009, 5000, 500, 200);
    }
}

/* ---- the kernels ---- */

#define MOST 1024

/* Columns of instants in order, and of works, many of them 0 and as many equal; some late and long.
 */
static void some_columns(uint64_t seed, ns_t *arrives_ns, ns_t *work_ns, bool equal)
{
    struct stream dice = stream_open(seed, 2, 0, PURPOSE_START);
    bool late = seed % 10 == 4;
    ns_t at_ns = below(stream_word(dice, 0), 9) + ((ns_t)late << 61);
    ns_t range_ns = seed % 2 > 0 ? 6 : late ? QUEUE_LONG_NS / 2 : 1 << 30;
    for (uint64_t i = 0; i < MOST; i++) {
        arrives_ns[i] = at_ns += below(stream_word(dice, 2 * i + 1), range_ns);
        work_ns[i] = equal ? range_ns / 2 : below(stream_word(dice, 2 * i + 2), range_ns);
    }
}

static void ends_are_those_of_one_request_after_the_other(void **state)
{
    (void)state;
    const struct queue_kernels *const tables[] = {&queue_kernels_plain, &queue_kernels_avx2,
                                                  &queue_kernels_avx512};
    ns_t arrives_ns[MOST], work_ns[MOST], done_ns[MOST];
    for (uint64_t seed = 0; seed < 200; seed++) {
        size_t count = seed < 100 ? seed : MOST - seed % 5;
        some_columns(seed, arrives_ns, work_ns, seed % 3 == 0);
        ns_t free_ns = seed % 7 == 0 ? arrives_ns[MOST / 2] : 3;
        ns_t right_ns[MOST], last_ns = free_ns;
        struct served right = {0, 0};
        for (size_t i = 0; i < count; i++) {
            right_ns[i] = last_ns =
                (arrives_ns[i] > last_ns ? arrives_ns[i] : last_ns) + work_ns[i];
            right.work_ns += work_ns[i];
            right.time_ns += last_ns - arrives_ns[i];
        }
        for (int v = 0; v <= (int)vector_level(); v++) {
            struct served sums = tables[v]->serve(arrives_ns, work_ns, free_ns, done_ns, count);
            assert_memory_equal(done_ns, right_ns, count * sizeof *done_ns);
            assert_int_equal(sums.work_ns, right.work_ns);
            assert_int_equal(sums.time_ns, right.time_ns);
        }
    }
}

/* Everything that the kernels say of columns, in one list of words. */
#define SAID (9 * MOST + 40)
static void said(const struct queue_kernels *k, const ns_t *a_ns, const ns_t *b_ns, size_t count,
                 uint64_t *out)
{
    uint8_t gave_up[MOST] = {0};
    int64_t crew_ns[CREW_LARGE];
    uint32_t slot[CREW_LARGE], over_slot[MOST] = {0};
    memset(out, 0, SAID * sizeof *out);
    size_t sizes[] = {CREW_SMALL, CREW_MIDDLE, CREW_LARGE}, size = sizes[count % 3];
    for (uint32_t i = 0; i < CREW_LARGE; i++) {
        crew_ns[i] = i;
        slot[i] = i;
    }
    struct served sums = k->serve(a_ns, b_ns, 5, out, count);
    k->serve_on(b_ns, 5, out + MOST, count);
    k->serve_one(a_ns, b_ns, 7, out + 2 * MOST, out + 3 * MOST, count);
    k->take_over(a_ns, b_ns, crew_ns, slot, size, out + 4 * MOST, over_slot, out + 5 * MOST,
                 out + 6 * MOST, count);
    k->moved(a_ns, 11, out + 7 * MOST, count);
    k->later(a_ns, b_ns, out + 8 * MOST, count);
    uint64_t *more = out + 9 * MOST;
    *more++ = sums.work_ns;
    *more++ = sums.time_ns;
    *more++ = k->bits(b_ns, count);
    *more++ = k->between(a_ns, b_ns, count);
    *more++ = k->any_after(a_ns, b_ns, count);
    *more++ = k->any_after(out + 8 * MOST, a_ns, count);
    for (size_t i = 0; i < CREW_LARGE; i++)
        *more++ = (uint64_t)crew_ns[i] ^ slot[i];
    for (size_t i = 0; i < count; i++)
        out[6 * MOST + i] ^= (uint64_t)over_slot[i] << 50;
    k->less(out, b_ns, out + MOST, count);
    *more++ = k->give_up(a_ns, out + 3 * MOST, 4, out + 7 * MOST, gave_up, count);
    for (size_t i = 0; i < count; i++)
        out[8 * MOST + i] ^= (uint64_t)gave_up[i] << 50;
}

static void kernels_say_the_same_at_every_width(void **state)
{
    (void)state;
    ns_t a_ns[MOST], b_ns[MOST];
    uint64_t *plain = must_alloc(SAID, sizeof *plain), *wide = must_alloc(SAID, sizeof *wide);
    for (uint64_t seed = 0; seed < 200; seed++) {
        size_t count = seed < 100 ? seed : MOST - seed % 5;
        some_columns(seed, a_ns, b_ns, false);
        said(&queue_kernels_plain, a_ns, b_ns, count, plain);
        for (int v = VECTOR_AVX2; v <= (int)vector_level(); v++) {
            said(v == VECTOR_AVX2 ? &queue_kernels_avx2 : &queue_kernels_avx512, a_ns, b_ns, count,
                 wide);
            assert_memory_equal(plain, wide, SAID * sizeof *plain);
        }
    }
    free(plain);
    free(wide);
}

static void even_slots_are_the_same_at_every_width(void **state)
{
    (void)state;
    const struct even_kernels *const tables[] = {&even_kernels_plain, &even_kernels_avx2,
                                                 &even_kernels_avx512};
    for (size_t count = 0; count < 40; count++)
        for (int v = 0; v <= (int)vector_level(); v++) {
            ns_t out_ns[40] = {0};
            tables[v]->ramp(17, 200000, out_ns, count);
            for (size_t i = 0; i < 40; i++)
                assert_int_equal(out_ns[i], i < count ? 17 + 200000 * i : 0);
        }
}

/* The comparison itself must be able to fail. */
static void one_ns_in_one_row_or_total_is_a_difference(void **state)
{
    (void)state;
    char *text = scene("'service': {'constant': 3}", "'open': {'every': 2}", "'requests': 20");
    struct plan *plan = plan_from(text);
    for (int change = 0; change <= 4; change++) {
        struct fast_rows engine = {0}, fast = {0};
        struct engine_totals engine_totals, fast_totals;
        struct engine_request request = {.plan = plan, .wants = WANTS_ALL};
        request.consumer = (struct consumer){fast_gather, &engine};
        engine_run(&request, &engine_totals);
        request.consumer = (struct consumer){fast_gather, &fast};
        fast_run(&request, &fast_totals);
        fast.row[fast.count - 1][4] += change == 1;
        fast.count -= change == 2;
        fast_totals.flight_area += change == 3;
        fast_totals.in_flight_max -= change == 4;
        bool same =
            fast_rows_equal(&engine, &fast) && fast_totals_equal(&engine_totals, &fast_totals);
        assert_int_equal(same, change == 0);
        free(engine.row);
        free(fast.row);
    }
    plan_free(plan);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_and_total_of_one_worker_with_an_open_load_is_the_engines),
        cmocka_unit_test(so_it_is_of_a_paced_load),
        cmocka_unit_test(so_it_is_of_clients_that_wait),
        cmocka_unit_test(so_it_is_of_several_workers),
        cmocka_unit_test(so_it_is_over_many_batches),
        cmocka_unit_test(ends_are_those_of_one_request_after_the_other),
        cmocka_unit_test(kernels_say_the_same_at_every_width),
        cmocka_unit_test(even_slots_are_the_same_at_every_width),
        cmocka_unit_test(one_ns_in_one_row_or_total_is_a_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
