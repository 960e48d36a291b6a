/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/sim.h"

static bool service_before(const struct service *a, const struct service *b)
{
    return a->ends < b->ends || (a->ends == b->ends && a->order < b->order);
}

void services_add(struct service_heap *heap, struct service one)
{
    if (heap->count == heap->capacity) {
        heap->capacity = heap->capacity ? 2 * heap->capacity : 16;
        heap->items = must_grow(heap->items, heap->capacity, sizeof *heap->items);
    }
    size_t i = heap->count++;
    for (; i > 0 && service_before(&one, &heap->items[(i - 1) / 2]); i = (i - 1) / 2)
        heap->items[i] = heap->items[(i - 1) / 2];
    heap->items[i] = one;
}

size_t services_take(struct service_heap *heap, size_t i)
{
    size_t taken = heap->items[i].copy;
    struct service last = heap->items[--heap->count];
    if (i == heap->count)
        return taken;
    for (; i > 0 && service_before(&last, &heap->items[(i - 1) / 2]); i = (i - 1) / 2)
        heap->items[i] = heap->items[(i - 1) / 2];
    for (size_t child = 2 * i + 1; child < heap->count; child = 2 * i + 1) {
        if (child + 1 < heap->count && service_before(&heap->items[child + 1], &heap->items[child]))
            child++;
        if (!service_before(&heap->items[child], &last))
            break;
        heap->items[i] = heap->items[child];
        i = child;
    }
    heap->items[i] = last;
    return taken;
}

/* Of node and those below it that have ended by that progress, the first in order; best: so far. */
static size_t first_ended(const struct sim *sim, const struct service_heap *heap, u128 progress,
                          size_t node, size_t best)
{
    if (node >= heap->count || heap->items[node].ends > progress)
        return best;
    bool there = sim->copies[heap->items[node].copy].place != PLACE_CANCELLED;
    if (there && heap->items[node].order < heap->items[best].order)
        best = node;
    best = first_ended(sim, heap, progress, 2 * node + 1, best);
    return first_ended(sim, heap, progress, 2 * node + 2, best);
}

/* Several may end between two whole ns, and then not their ends but their order tells. */
size_t services_first(const struct sim *sim, const struct station *station, u128 progress)
{
    const struct service_heap *heap = &station->services;
    return heap->items[0].ends == progress ? 0 : first_ended(sim, heap, progress, 0, 0);
}
