/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "sim/sim.h"

#define LANE_LEAST 16

static bool is_dead(const struct sim *sim, const struct node *e)
{
    return event_class_of(e) == EVENT_TIMER && timers_dead(sim, e);
}

void agenda_drop_dead(struct sim *sim, struct lane_ring *ring)
{
    while (ring->count > 0 && is_dead(sim, &ring->items[ring->head])) {
        ring->head = (ring->head + 1) & (ring->capacity - 1);
        ring->count--;
    }
}

/* Drops the dead; a ring that is still more than half full grows. */
static void make_room_in_lane(struct sim *sim, struct lane_ring *ring)
{
    struct lane_ring old = *ring;
    size_t kept = 0;
    for (size_t i = 0; i < old.count; i++)
        if (!is_dead(sim, lane_node(&old, i)))
            *lane_node(&old, kept++) = *lane_node(&old, i);
    ring->count = kept;
    if (2 * kept < old.capacity)
        return;
    ring->capacity = old.capacity > 0 ? 2 * old.capacity : LANE_LEAST;
    ring->items = must_alloc(ring->capacity, sizeof *ring->items);
    ring->head = 0;
    for (size_t i = 0; i < kept; i++)
        ring->items[i] = *lane_node(&old, i);
    free(old.items);
}

static void make_room_in_heap(struct sim *sim, struct heap *heap)
{
    size_t kept = 0;
    for (size_t i = 0; i < heap->count; i++)
        if (!is_dead(sim, &heap->items[i]))
            heap->items[kept++] = heap->items[i];
    if (kept < heap->count) {
        heap->count = kept;
        heap_order(heap);
    }
    if (2 * kept < heap->capacity)
        return;
    heap->capacity = heap->capacity > 0 ? 2 * heap->capacity : LANE_LEAST;
    heap->items = must_grow(heap->items, heap->capacity, sizeof *heap->items);
}

void agenda_make_room(struct sim *sim, struct agenda *agenda, enum lane lane)
{
    if (lane == LANE_NONE)
        make_room_in_heap(sim, &agenda->others);
    else
        make_room_in_lane(sim, &agenda->lanes[lane]);
    if (lane != LANE_NONE && (size_t)lane >= agenda->lanes_used)
        agenda->lanes_used = (size_t)lane + 1;
    agenda_look(agenda);
}

void agenda_free(struct agenda *agenda)
{
    for (size_t i = 0; i < LANE_COUNT; i++)
        free(agenda->lanes[i].items);
    free(agenda->others.items);
}
