/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_EVENTS_H
#define DUETIME_EVENTS_H

/* A binary heap of events, earliest first; at one instant by class, then by order. */

#include "models/base/error.h"
#include "models/base/time.h"

/* The tie order of one instant. */
enum event_class {
    EVENT_EXHAUSTION, /* of a quota within the ns that ends here */
    EVENT_COMPLETION,
    EVENT_STALL_END,
    EVENT_STALL_BEGIN,
    EVENT_TIMER,
    EVENT_SEND,
    EVENT_ARRIVAL, /* of a copy at its next station */
};

#define EVENT_ORDER_BITS 60

struct event {
    ns_t at_ns;
    uint64_t key; /* class above, order below */
    uint64_t payload;
};

struct event_heap {
    struct event *items; /* owned */
    size_t count, capacity;
};

static inline uint64_t event_key(enum event_class class, uint64_t order)
{
    return ((uint64_t) class << EVENT_ORDER_BITS) | order;
}

static inline enum event_class event_class_of(const struct event *e)
{
    return (enum event_class)(e->key >> EVENT_ORDER_BITS);
}

static inline uint64_t event_order_of(const struct event *e)
{
    return e->key & ((UINT64_C(1) << EVENT_ORDER_BITS) - 1);
}

static inline bool event_before(const struct event *a, const struct event *b)
{
    return a->at_ns < b->at_ns || (a->at_ns == b->at_ns && a->key < b->key);
}

static inline void event_push(struct event_heap *heap, struct event e)
{
    if (heap->count == heap->capacity) {
        heap->capacity = heap->capacity ? 2 * heap->capacity : 64;
        heap->items = must_grow(heap->items, heap->capacity, sizeof *heap->items);
    }
    size_t i = heap->count++;
    while (i > 0 && event_before(&e, &heap->items[(i - 1) / 2])) {
        heap->items[i] = heap->items[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap->items[i] = e;
}

/* The earliest event; the heap must not be empty. */
static inline struct event event_pop(struct event_heap *heap)
{
    struct event top = heap->items[0];
    struct event last = heap->items[--heap->count];
    size_t i = 0, child = 1;
    while (child < heap->count) {
        if (child + 1 < heap->count && event_before(&heap->items[child + 1], &heap->items[child]))
            child++;
        if (!event_before(&heap->items[child], &last))
            break;
        heap->items[i] = heap->items[child];
        i = child;
        child = 2 * i + 1;
    }
    heap->items[i] = last;
    return top;
}

#endif
