/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/queues/queue.h"

#include <stdlib.h>

/* Slots in the order of arrival: `head` of them are used, and those of whom has left stay empty
   until there is no free one.  A Fenwick tree over the slots finds the k-th who waits: node i, from
   1, is the work_ns of item i - 1, which no draw looks at, and counts those in slots i - (i & -i)
   to i - 1.  The turn says whether a slot is empty. */
enum { GONE, THERE };

#define SLOTS_LEAST 64 /* a power of two, as all capacities */

static size_t lowest_bit(size_t i)
{
    return i & (0 - i);
}

/* of the first `count` slots, all full, those that lie before slot i */
static size_t full_before(size_t i, size_t count)
{
    return i < count ? i : count;
}

/* Those who wait move to the first slots, of which no more than half are full then. */
static void make_room(struct waiting *waiting)
{
    size_t capacity = SLOTS_LEAST, count = 0;
    while (capacity < 2 * waiting->count)
        capacity *= 2;
    struct waiter *items = must_alloc(capacity, sizeof *items);
    for (size_t i = 0; i < waiting->head; i++)
        if (waiting->items[i].turn == THERE)
            items[count++] = waiting->items[i];
    for (size_t i = 1; i <= capacity; i++)
        items[i - 1].work_ns = full_before(i, count) - full_before(i - lowest_bit(i), count);
    free(waiting->items);
    waiting->items = items;
    waiting->head = count;
    waiting->capacity = capacity;
}

static void push(struct waiting *waiting, size_t index, ns_t work_ns)
{
    (void)work_ns;
    if (waiting->head == waiting->capacity)
        make_room(waiting);
    struct waiter *items = waiting->items;
    size_t slot = waiting->head++;
    items[slot].index = index;
    items[slot].turn = THERE;
    for (size_t i = slot + 1; i <= waiting->capacity; i += lowest_bit(i))
        items[i - 1].work_ns++;
    waiting->count++;
}

static void take_out(struct waiting *waiting, size_t slot)
{
    waiting->items[slot].turn = GONE;
    for (size_t i = slot + 1; i <= waiting->capacity; i += lowest_bit(i))
        waiting->items[i - 1].work_ns--;
    waiting->count--;
}

/* The slot of who has k before it, k < count. */
static size_t slot_of(const struct waiting *waiting, uint64_t k)
{
    size_t slot = 0;
    for (size_t step = waiting->capacity; step > 0; step /= 2)
        if (slot + step <= waiting->capacity && waiting->items[slot + step - 1].work_ns <= k) {
            slot += step;
            k -= waiting->items[slot - 1].work_ns;
        }
    return slot;
}

static size_t pop(struct waiting *waiting, uint64_t word)
{
    size_t slot = slot_of(waiting, below(word, waiting->count));
    take_out(waiting, slot);
    return waiting->items[slot].index;
}

/* Who gives up is mostly among those who have waited longest. */
static void remove_one(struct waiting *waiting, size_t index)
{
    if (waiting->count == 0)
        return;
    for (size_t i = slot_of(waiting, 0); i < waiting->head; i++)
        if (waiting->items[i].turn == THERE && waiting->items[i].index == index) {
            take_out(waiting, i);
            return;
        }
}

const struct queue_type queue_random = {
    .is = {"random", "any of those that wait, with the same probability", NULL, 0, 0, NULL},
    .random = true,
    .late = true,
    .push = push,
    .pop = pop,
    .remove = remove_one,
};
