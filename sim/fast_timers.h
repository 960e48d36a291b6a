/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_FAST_TIMERS_H
#define DUETIME_FAST_TIMERS_H

/* Timers of one length come due in the order in which they are set: a ring.  Those of requests that
   are over stay in it until they come to its front, or there is no room. */

#include "sim/fast_copies.h"

/* Behind the first there are so many: its request has had time to be answered, and then it goes
   before it comes due for nothing. */
#define TIMERS_KEPT 32

/* Its request is over and gone, or was answered in time. */
static inline bool is_dead(const struct copies *c, const struct timer *t)
{
    const struct pending *r = &c->entries[t->request].request;
    uint64_t what = t->order & ((1 << ORDER_BITS) - 1);
    return r->number != t->order >> ORDER_BITS || (r->done && what < TIMER_ABANDON);
}

static inline struct timer *timer_at(const struct timers *t, size_t i)
{
    return &t->items[(t->head + i) & (t->capacity - 1)];
}

static inline struct timer pop_timer(struct timers *t)
{
    struct timer first = *timer_at(t, 0);
    t->head = (t->head + 1) & (t->capacity - 1);
    t->first_ns = --t->count > 0 ? timer_at(t, 0)->at_ns : NEVER;
    return first;
}

static inline void set_timer(struct copies *c, struct timers *t, ns_t after_ns, uint32_t request,
                             uint64_t what)
{
    ns_t at_ns = c->now_ns + after_ns;
    uint64_t order = c->entries[request].request.number << ORDER_BITS | what;
    c->overflow |= at_ns >= NS_LIMIT;
    if (t->count > TIMERS_KEPT && is_dead(c, timer_at(t, 0)))
        pop_timer(t);
    if (t->count == t->capacity)
        copies_make_room(c, t);
    *timer_at(t, t->count++) = (struct timer){at_ns, order, request};
    t->first_ns = t->count == 1 ? at_ns : t->first_ns;
}

#endif
