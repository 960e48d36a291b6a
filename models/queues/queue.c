/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/queues/queue.h"

#include <stdlib.h>

static void grow(struct waiting *waiting)
{
    size_t capacity = waiting->capacity ? 2 * waiting->capacity : 64;
    struct waiter *items = must_alloc(capacity, sizeof *items);
    for (size_t i = 0; i < waiting->count; i++)
        items[i] = waiting->items[(waiting->head + i) & (waiting->capacity - 1)];
    free(waiting->items);
    waiting->items = items;
    waiting->head = 0;
    waiting->capacity = capacity;
}

void waiting_push(struct waiting *waiting, size_t index, ns_t work_ns)
{
    if (waiting->count == waiting->capacity)
        grow(waiting);
    size_t back = (waiting->head + waiting->count++) & (waiting->capacity - 1);
    waiting->items[back] = (struct waiter){index, work_ns, waiting->turns++};
}

size_t waiting_pop_front(struct waiting *waiting, uint64_t word)
{
    (void)word;
    size_t index = waiting->items[waiting->head].index;
    waiting->head = (waiting->head + 1) & (waiting->capacity - 1);
    waiting->count--;
    return index;
}

size_t waiting_pop_back(struct waiting *waiting, uint64_t word)
{
    (void)word;
    waiting->count--;
    return waiting->items[(waiting->head + waiting->count) & (waiting->capacity - 1)].index;
}
