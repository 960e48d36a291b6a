/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_EVENTS_H
#define DUETIME_EVENTS_H

/* What is to happen at which instant, earliest first; at one instant by class, then by order.

   Most events are made in the order in which they come: the next send of a schedule, the timers of
   one constant delay.  Each such kind has a lane, a ring that is in order; an event that does not
   belong behind the last of its lane goes to the heap.  Timers of requests that are over stay where
   they are, and are dropped when they come to the front of their lane, or when there is no room:
   so there are never more of them than of the others, but for a few. */

#include "sim/heap.h"

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

enum lane { LANE_SEND, LANE_TIMEOUT, LANE_RESEND, LANE_ARRIVAL, LANE_NONE };
#define LANE_COUNT LANE_NONE
#define NEVER UINT64_MAX

/* An event is an item: at which instant; class above and order below; its payload. */
static inline uint64_t event_key(enum event_class class, uint64_t order)
{
    return ((uint64_t) class << EVENT_ORDER_BITS) | order;
}

static inline enum event_class event_class_of(const struct node *e)
{
    return (enum event_class)(e->low >> EVENT_ORDER_BITS);
}

static inline uint64_t event_order_of(const struct node *e)
{
    return e->low & ((UINT64_C(1) << EVENT_ORDER_BITS) - 1);
}

/* First in, first out, and in order. */
struct lane_ring {
    struct node *items; /* owned */
    size_t head, count, capacity /* a power of two */;
};

struct agenda {
    struct node next;  /* the earliest; its instant is NEVER where there is none */
    size_t next_in;    /* its lane, or LANE_NONE: on top of the heap */
    size_t lanes_used; /* the others are empty */
    struct lane_ring lanes[LANE_COUNT];
    struct heap others;
};

struct sim;
void agenda_make_room(struct sim *sim, struct agenda *agenda, enum lane lane);
void agenda_drop_dead(struct sim *sim, struct lane_ring *ring); /* those at its front */
void agenda_free(struct agenda *agenda);

static inline struct node *lane_node(const struct lane_ring *ring, size_t i)
{
    return &ring->items[(ring->head + i) & (ring->capacity - 1)];
}

static inline void agenda_push(struct sim *sim, struct agenda *agenda, enum lane lane,
                               struct node one)
{
    if (lane != LANE_NONE) {
        struct lane_ring *ring = &agenda->lanes[lane];
        if (ring->count > 0 && node_before(&one, lane_node(ring, ring->count - 1))) {
            lane = LANE_NONE;
        } else {
            if (ring->count == ring->capacity)
                agenda_make_room(sim, agenda, lane);
            *lane_node(ring, ring->count++) = one;
        }
    }
    if (lane == LANE_NONE) {
        if (agenda->others.count == agenda->others.capacity)
            agenda_make_room(sim, agenda, LANE_NONE);
        heap_rise(&agenda->others, agenda->others.count++, one);
    }
    if (node_before(&one, &agenda->next)) {
        agenda->next = one;
        agenda->next_in = lane;
    }
}

/* Finds the earliest anew. */
static inline void agenda_look(struct agenda *agenda)
{
    agenda->next.high = NEVER;
    agenda->next_in = LANE_NONE;
    if (agenda->others.count > 0)
        agenda->next = agenda->others.items[0];
    for (size_t i = 0; i < agenda->lanes_used; i++) {
        const struct lane_ring *ring = &agenda->lanes[i];
        if (ring->count > 0 && node_before(&ring->items[ring->head], &agenda->next)) {
            agenda->next = ring->items[ring->head];
            agenda->next_in = i;
        }
    }
}

/* Takes the earliest out; there must be one. */
static inline struct node agenda_pop(struct sim *sim, struct agenda *agenda)
{
    struct node top = agenda->next;
    if (agenda->next_in == LANE_NONE) {
        heap_pop(&agenda->others);
    } else {
        struct lane_ring *ring = &agenda->lanes[agenda->next_in];
        ring->head = (ring->head + 1) & (ring->capacity - 1);
        ring->count--;
        if (agenda->next_in != LANE_SEND)
            agenda_drop_dead(sim, ring);
    }
    agenda_look(agenda);
    return top;
}

#endif
