/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "models/base/random.h"
#include "models/base/wide.h"
#include "sim/wheel.h"

/* A wheel beside a list that is kept in order by comparing, one after the other. */
struct both {
    struct stream dice;
    uint64_t rolls, last, put_in;
    struct wheel *wheel;
    struct turn *list; /* from `first` on */
    size_t first, end, most;
};

static uint64_t roll(struct both *b, uint64_t most)
{
    return below(stream_word(b->dice, b->rolls++), most);
}

static void open_both(struct both *b, uint64_t seed, size_t turns)
{
    *b = (struct both){.dice = stream_open(seed, 3, 0, PURPOSE_START)};
    b->wheel = must_alloc(1, sizeof *b->wheel);
    b->list = must_alloc(turns, sizeof *b->list);
}

static void close_both(struct both *b)
{
    wheel_free(b->wheel);
    free(b->wheel);
    free(b->list);
}

static void push(struct both *b, uint64_t at)
{
    struct turn one = {at, b->put_in++};
    size_t place = b->end++;
    for (; place > b->first && b->list[place - 1].at > at; place--)
        b->list[place] = b->list[place - 1];
    b->list[place] = one;
    b->most = b->end - b->first > b->most ? b->end - b->first : b->most;
    wheel_push(b->wheel, one);
}

static void pop(struct both *b)
{
    struct turn right = b->list[b->first++], got = wheel_pop(b->wheel);
    assert_true(got.at == right.at && got.payload == right.payload);
    b->last = got.at;
}

/* How far off the next one is: now near, now far, in steps of its own for each seed. */
static uint64_t some_time(struct both *b, uint64_t seed)
{
    static const uint64_t steps[] = {
        1, 3, 64, 1000, 262144, 1000003, UINT64_C(1) << 33, UINT64_C(1) << 50};
    uint64_t step = steps[seed % 8];
    switch (roll(b, 4)) {
    case 0: return 0;
    case 1: return roll(b, 5) * step;
    case 2: return roll(b, 100) * step + roll(b, step);
    default: return roll(b, seed % 3 == 0 ? 3000 : 40) * step;
    }
}

#define STEPS 3000
static void turns_come_in_order_and_those_of_one_instant_as_they_were_put_in(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct both b;
        open_both(&b, seed, STEPS);
        uint64_t many = seed % 5 == 0 ? 1000 : 1 + seed % 300;
        for (size_t i = 0; i < STEPS; i++) {
            bool grows = b.end - b.first < many && roll(&b, 3) > 0;
            if (b.first == b.end || grows)
                push(&b, b.last + some_time(&b, seed));
            else
                pop(&b);
            if (b.first < b.end && roll(&b, 4) == 0) /* a look must change nothing */
                assert_true(wheel_first(b.wheel)->at == b.list[b.first].at);
            if (roll(&b, 8) == 0)
                wheel_turn(b.wheel);
        }
        while (b.first < b.end)
            pop(&b);
        assert_true(b.wheel->levels == 0 && wheel_near(b.wheel) == 0);
        close_both(&b);
    }
}

/* Before what has already come near, too: the later of these have to go back, some more than once.
 */
static void turns_may_come_before_those_that_are_next(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct both b;
        open_both(&b, seed, STEPS);
        for (uint64_t i = 0; i < STEPS; i++) {
            uint64_t span = (STEPS - i) << (seed % 40);
            push(&b, seed % 2 == 0 ? span : roll(&b, span));
            if (i % 50 < seed % 4)
                wheel_first(b.wheel);
        }
        while (b.first < b.end)
            pop(&b);
        close_both(&b);
    }
}

/* Instants near and far apart by turns, many of them twice and more often. */
static void a_wheel_leans_as_its_turns_are_apart_and_keeps_their_order(void **state)
{
    (void)state;
    static const unsigned apart_bits[] = {0, 11, 4, 27, 43, 8, 1};
    size_t leaned = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct both b;
        size_t steps = 40000, many = 50 + 40 * seed;
        open_both(&b, seed, steps);
        for (uint64_t i = 0; i < steps; i++) {
            unsigned lean = b.wheel->lean, bits = apart_bits[(i / 8000 + seed) % 7];
            uint64_t step = (UINT64_C(1) << bits) + seed % 3;
            while (b.end - b.first < many && b.end < steps)
                push(&b, b.last + roll(&b, 2 * many) * step);
            pop(&b);
            leaned += lean != b.wheel->lean;
        }
        close_both(&b);
    }
    assert_in_range(leaned, 50, 75); /* not back and forth */
}

/* A spoke of one level holds about ten of what comes steadily. */
static void a_spoke_holds_about_ten(void **state)
{
    (void)state;
    struct stream dice = stream_open(11, 3, 0, PURPOSE_START);
    for (uint64_t gap = 1; gap < UINT64_C(1) << 40; gap += gap / 3 + 1) {
        struct wheel *wheel = must_alloc(1, sizeof *wheel);
        for (uint64_t i = 0; i < 500; i++)
            wheel_push(wheel, (struct turn){below(stream_word(dice, i), 1000 * gap), i});
        for (uint64_t i = 500; i < 4000; i++) {
            struct turn one = wheel_pop(wheel);
            one.at += below(stream_word(dice, i), 1000 * gap);
            wheel_push(wheel, one);
        }
        uint64_t held = 0;
        for (unsigned level = 1; level < 9; level++) {
            uint64_t holds = (UINT64_C(1) << wheel_shift(wheel, level)) / gap;
            held = holds >= 4 && holds <= 20 ? holds : held;
        }
        assert_true(held > 0 || gap < 6); /* of a few ns level 0 has enough */
        wheel_free(wheel);
        free(wheel);
    }
}

static void the_last_instants_of_all_are_no_exception(void **state)
{
    (void)state;
    struct both b;
    open_both(&b, 1, STEPS);
    for (uint64_t i = 0; i < STEPS / 2; i++) {
        push(&b, UINT64_MAX - roll(&b, 90));
        push(&b, i << 60);
    }
    while (b.first < b.end)
        pop(&b);
    close_both(&b);
}

/* Some hundreds at one instant, others before and after, and later ones of it again and again: also
   at the first instant of a spoke that is dealt out. */
static void a_crowd_of_one_instant_keeps_its_order(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct both b;
        open_both(&b, seed, STEPS);
        uint64_t crowd = seed % 2 == 0 ? UINT64_C(1) << (6 + seed % 30) : 1000 + seed;
        for (uint64_t i = 0; i < STEPS; i++) {
            bool one_of_it = roll(&b, 2) == 0 && b.last <= crowd;
            uint64_t most = roll(&b, 2) == 0 || b.last >= crowd ? 2 * crowd : crowd - b.last;
            push(&b, one_of_it ? crowd : b.last + roll(&b, most + 1));
            if (roll(&b, 3) == 0)
                pop(&b);
            if (roll(&b, 3) == 0)
                wheel_turn(b.wheel);
        }
        while (b.first < b.end)
            pop(&b);
        close_both(&b);
    }
}

/* A chunk begun at each spoke in use, beyond what is full. */
static void memory_is_that_of_the_most_at_one_time(void **state)
{
    (void)state;
    struct stream dice = stream_open(9, 3, 0, PURPOSE_START);
    for (uint64_t count = 10; count <= 100000; count *= 100) {
        struct wheel *wheel = must_alloc(1, sizeof *wheel);
        for (uint64_t i = 0; i < count; i++)
            wheel_push(wheel, (struct turn){below(stream_word(dice, i), 1000000000), i});
        for (uint64_t i = 0; i < 5 * count; i++) {
            struct turn one = wheel_pop(wheel);
            one.at += below(stream_word(dice, count + i), 2000000000);
            wheel_push(wheel, one);
        }
        assert_true(wheel->chunk_count <= count / CHUNK_TURNS + 6 * WHEEL_SPOKES);
        assert_true(wheel->near_room <= 1000);
        wheel_free(wheel);
        free(wheel);
    }
}

static void wide_memory_keeps_what_it_held(void **state)
{
    (void)state;
    uint64_t *words = NULL;
    size_t count = 0;
    for (size_t room = 3; room < 3000000; room *= 3) {
        words = must_grow_wide(words, count, room, sizeof *words);
        for (size_t i = 0; i < count; i++)
            assert_true(words[i] == i * i);
        for (; count < room; count++)
            words[count] = count * count;
    }
    free(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_come_in_order_and_those_of_one_instant_as_they_were_put_in),
        cmocka_unit_test(turns_may_come_before_those_that_are_next),
        cmocka_unit_test(a_crowd_of_one_instant_keeps_its_order),
        cmocka_unit_test(a_wheel_leans_as_its_turns_are_apart_and_keeps_their_order),
        cmocka_unit_test(a_spoke_holds_about_ten),
        cmocka_unit_test(the_last_instants_of_all_are_no_exception),
        cmocka_unit_test(memory_is_that_of_the_most_at_one_time),
        cmocka_unit_test(wide_memory_keeps_what_it_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
