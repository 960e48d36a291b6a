/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_FAST_REPLICAS_H
#define DUETIME_FAST_REPLICAS_H

/* Who waits at a replica of fast_copies.h, and who is served. */

#include "sim/fast_entries.h"

static inline void begin_service(struct copies *c, struct replica *q, uint32_t i)
{
    struct attempt *a = &c->entries[i].copy;
    a->begun_ns = c->now_ns;
    a->place = PLACE_SERVICE;
    q->serving++;
    ends_push(&c->services, (struct node){c->now_ns + a->work_ns, a->order, i});
}

static inline bool has_waiting(const struct copies *c, uint32_t replica)
{
    return c->there[replica] > c->replicas[replica].serving;
}

static inline void wait_behind(struct copies *c, struct replica *q, uint32_t i)
{
    c->entries[i].copy.place = PLACE_QUEUE;
    c->entries[i].copy.behind = NOBODY;
    if (q->front == NOBODY)
        q->front = i;
    else
        c->entries[q->back].copy.behind = i;
    q->back = i;
}

static inline uint32_t pop_front(struct copies *c, struct replica *q)
{
    uint32_t i = q->front;
    q->front = c->entries[i].copy.behind;
    return i;
}

static inline void serve_waiting(struct copies *c, uint32_t replica)
{
    struct replica *q = &c->replicas[replica];
    while (has_waiting(c, replica) && q->serving < c->workers) {
        uint32_t i = pop_front(c, q);
        if (c->entries[i].copy.place == PLACE_TAKEN_BACK)
            forget_copy(c, i);
        else
            begin_service(c, q, i);
    }
}

#endif
