/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "models/distributions/ahead.h"
#include "sim/heap.h"

#define ITEMS 3000

static const struct stream dice = {0x0123456789abcdef, 0xfedcba9876543210};

/* Small, so that many are equal in the first word and some in both. */
static struct node some_node(uint64_t i)
{
    return (struct node){below(stream_word(dice, 2 * i), 40),
                         below(stream_word(dice, 2 * i + 1), 40), i};
}

static int by_order(const void *a, const void *b)
{
    return node_before(b, a) - node_before(a, b);
}

static void assert_pops_in_order(struct heap *heap, struct node *expected, size_t count)
{
    qsort(expected, count, sizeof *expected, by_order);
    assert_int_equal(heap->count, count);
    for (size_t i = 0; i < count; i++) {
        struct node got = heap_pop(heap);
        assert_true(got.high == expected[i].high && got.low == expected[i].low);
    }
    assert_int_equal(heap->count, 0);
}

static void a_heap_gives_back_in_order_what_was_put_in(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 2, 3, 4, 5, 6, 20, 21, 22, 85, 86, 1000, ITEMS};
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        struct heap heap = {0};
        struct node expected[ITEMS];
        for (size_t i = 0; i < counts[k]; i++) {
            expected[i] = some_node(i);
            heap_push(&heap, expected[i]);
        }
        assert_pops_in_order(&heap, expected, counts[k]);
        free(heap.items);
    }
}

static void what_is_taken_out_of_the_middle_is_missing_and_nothing_else(void **state)
{
    (void)state;
    struct heap heap = {0};
    struct node expected[ITEMS];
    bool taken[ITEMS] = {false};
    for (size_t i = 0; i < ITEMS; i++)
        heap_push(&heap, some_node(i));
    for (size_t i = 0; i < ITEMS / 2; i++) {
        size_t which = (size_t)below(stream_word(dice, 9000 + i), heap.count);
        taken[heap_take(&heap, which).payload] = true;
    }
    size_t left = 0;
    for (size_t i = 0; i < ITEMS; i++)
        if (!taken[i])
            expected[left++] = some_node(i);
    assert_int_equal(left, ITEMS - ITEMS / 2);
    assert_pops_in_order(&heap, expected, left);
    free(heap.items);
}

static void items_in_any_order_are_made_a_heap(void **state)
{
    (void)state;
    for (size_t count = 1; count < 200; count++) {
        struct heap heap = {0};
        struct node expected[200];
        for (size_t i = 0; i < count; i++)
            heap_push(&heap, (struct node){0, 0, i});
        for (size_t i = 0; i < count; i++)
            heap.items[i] = expected[i] = some_node(i);
        heap_order(&heap);
        assert_pops_in_order(&heap, expected, count);
        free(heap.items);
    }
}

static ns_t alone(const struct drawn_ahead *d, uint64_t number)
{
    ns_t out_ns;
    distribution(d->from)->draw(d->from.params, d->stream, number, &out_ns, 1);
    return out_ns;
}

/* In order, with steps back and forth, and with leaps. */
static void a_draw_made_ahead_is_the_one_made_alone_in_whatever_order(void **state)
{
    (void)state;
    struct exponential mean = {1000000};
    const uint64_t spreads[] = {1, 30, 700, 5000};
    for (size_t k = 0; k < 4; k++) {
        struct drawn_ahead d = {.from = {&distribution_exponential.is, &mean}, .stream = dice};
        for (uint64_t i = 0; i < 4000; i++) {
            uint64_t number = 6000 + i + below(stream_word(dice, i), spreads[k]) -
                              below(stream_word(dice, 5000 + i), spreads[k]);
            assert_true(ahead_ns(&d, number) == alone(&d, number));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_heap_gives_back_in_order_what_was_put_in),
        cmocka_unit_test(what_is_taken_out_of_the_middle_is_missing_and_nothing_else),
        cmocka_unit_test(items_in_any_order_are_made_a_heap),
        cmocka_unit_test(a_draw_made_ahead_is_the_one_made_alone_in_whatever_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
