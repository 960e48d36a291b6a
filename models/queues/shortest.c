/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/queues/queue.h"

static bool before(const struct waiter *a, const struct waiter *b)
{
    return a->work_ns < b->work_ns || (a->work_ns == b->work_ns && a->turn < b->turn);
}

/* A binary heap; head stays 0. */
static void push(struct waiting *waiting, size_t index, ns_t work_ns)
{
    waiting_push(waiting, index, work_ns);
    struct waiter *items = waiting->items, one = items[waiting->count - 1];
    size_t i = waiting->count - 1;
    for (; i > 0 && before(&one, &items[(i - 1) / 2]); i = (i - 1) / 2)
        items[i] = items[(i - 1) / 2];
    items[i] = one;
}

static size_t pop(struct waiting *waiting, uint64_t word)
{
    (void)word;
    struct waiter *items = waiting->items, top = items[0], last = items[--waiting->count];
    size_t i = 0;
    for (size_t child = 1; child < waiting->count; child = 2 * i + 1) {
        if (child + 1 < waiting->count && before(&items[child + 1], &items[child]))
            child++;
        if (!before(&items[child], &last))
            break;
        items[i] = items[child];
        i = child;
    }
    items[i] = last;
    return top.index;
}

const struct queue_type queue_shortest = {
    .is = {"shortest", "the one with the least work; what is in service is not interrupted", NULL,
           0, 0, NULL},
    .late = true,
    .push = push,
    .pop = pop,
};
