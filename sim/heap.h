/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_HEAP_H
#define DUETIME_HEAP_H

/* Whatever comes first: a heap whose nodes have four children, so that a million entries are ten
   levels and four neighbours in memory are compared without a branch. */

#include "models/base/error.h"
#include "models/base/time.h"

/* Ordered by (high, low); the payload is the owner's affair. */
struct node {
    uint64_t high, low, payload;
};

struct heap {
    struct node *items; /* owned */
    size_t count, capacity;
};

static inline bool node_before(const struct node *a, const struct node *b)
{
    return (((u128)a->high << 64) | a->low) < (((u128)b->high << 64) | b->low);
}

/* The first of the children of node i, which has at least one. */
static inline size_t heap_first_child(const struct heap *heap, size_t i)
{
    const struct node *items = heap->items;
    size_t first = 4 * i + 1;
    if (first + 4 <= heap->count) {
        size_t a = first + node_before(&items[first + 1], &items[first]);
        size_t b = first + 2 + node_before(&items[first + 3], &items[first + 2]);
        return a + (b - a) * node_before(&items[b], &items[a]);
    }
    size_t best = first;
    for (size_t k = first + 1; k < heap->count; k++)
        best += (k - best) * node_before(&items[k], &items[best]);
    return best;
}

/* Puts `one` at the empty node i or below it, where it belongs. */
static inline void heap_sink(struct heap *heap, size_t i, struct node one)
{
    while (4 * i + 1 < heap->count) {
        size_t child = heap_first_child(heap, i);
        if (!node_before(&heap->items[child], &one))
            break;
        heap->items[i] = heap->items[child];
        i = child;
    }
    heap->items[i] = one;
}

/* Puts `one` at the empty node i or above it. */
static inline void heap_rise(struct heap *heap, size_t i, struct node one)
{
    for (; i > 0 && node_before(&one, &heap->items[(i - 1) / 4]); i = (i - 1) / 4)
        heap->items[i] = heap->items[(i - 1) / 4];
    heap->items[i] = one;
}

static inline void heap_push(struct heap *heap, struct node one)
{
    if (heap->count == heap->capacity) {
        heap->capacity = heap->capacity ? 2 * heap->capacity : 16;
        heap->items = must_grow(heap->items, heap->capacity, sizeof *heap->items);
    }
    heap_rise(heap, heap->count++, one);
}

/* A heap of so many stays near the processor. */
#define HEAP_CACHED 8192

/* The grandchildren of a node lie side by side; they come from memory while the children are
   compared. */
static inline void heap_fetch(const struct heap *heap, size_t first)
{
    for (size_t i = first; i < first + 16 && i < heap->count; i += 2)
        __builtin_prefetch(&heap->items[i]);
}

/* Takes the first out; the heap must not be empty.  Its place goes down to the bottom, and what was
   the last item rises from there: it seldom rises far, so no comparison tells where to stop. */
static inline struct node heap_pop(struct heap *heap)
{
    struct node top = heap->items[0];
    struct node last = heap->items[--heap->count];
    size_t i = 0;
    while (4 * i + 1 < heap->count) {
        if (heap->count > HEAP_CACHED)
            heap_fetch(heap, 16 * i + 5);
        size_t child = heap_first_child(heap, i);
        heap->items[i] = heap->items[child];
        i = child;
    }
    if (heap->count > 0)
        heap_rise(heap, i, last);
    return top;
}

/* Takes item i out. */
static inline struct node heap_take(struct heap *heap, size_t i)
{
    struct node taken = heap->items[i], last = heap->items[--heap->count];
    if (i == heap->count)
        return taken;
    if (i > 0 && node_before(&last, &heap->items[(i - 1) / 4]))
        heap_rise(heap, i, last);
    else
        heap_sink(heap, i, last);
    return taken;
}

/* Makes a heap of items in any order. */
static inline void heap_order(struct heap *heap)
{
    for (size_t i = heap->count / 4 + 1; i-- > 0;)
        if (i < heap->count)
            heap_sink(heap, i, heap->items[i]);
}

#endif
