/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_ENTRIES_H
#define DUETIME_ENTRIES_H

/* Requests and their copies, as they come and go. */

#include "sim/sim.h"

static inline uint32_t entry_take(struct sim *sim)
{
    if (sim->free_count == 0)
        entries_grow(sim);
    return sim->free_entries[--sim->free_count];
}

static inline void entry_give(struct sim *sim, size_t entry)
{
    sim->free_entries[sim->free_count++] = (uint32_t)entry;
}

static inline bool has_stage(const struct sim *sim, enum stage stage)
{
    return sim->station_of[stage] != NO_INDEX;
}

/* Whether copies leave by themselves after a while. */
static inline bool resends_later(const struct sim *sim)
{
    return sim->resend != NULL && (sim->resend->after_ns > 0 || sim->resend->percentile.num > 0);
}

/* The number in flight changes: its integral over time. */
static inline void count_in_flight(struct sim *sim, bool arrives)
{
    struct engine_totals *t = sim->totals;
    t->flight_area += (u128)sim->in_flight * (sim->now_ns - sim->flight_since_ns);
    sim->flight_since_ns = t->end_ns = sim->now_ns;
    sim->in_flight = arrives ? sim->in_flight + 1 : sim->in_flight - 1;
}

/* One that is refused at once was never in flight, so the maximum is taken after that is known. */
static inline void count_most(struct sim *sim)
{
    struct engine_totals *t = sim->totals;
    t->in_flight_max = sim->in_flight > t->in_flight_max ? sim->in_flight : t->in_flight_max;
}

/* Puts a copy, whose next is its request's first so far, before that one. */
static inline void copy_link(struct sim *sim, struct request *r, size_t copy)
{
    if (r->first_copy != NOBODY)
        sim->copies[r->first_copy].previous = (uint32_t)copy;
    r->first_copy = (uint32_t)copy;
    r->open++;
    sim->copies_there++;
    if (sim->has_lost)
        sim->lost[copy] = (struct lost){.answer = sim->lost[copy].answer};
}

/* A copy of the request; the first has its index. */
static inline size_t copy_take(struct sim *sim, size_t request, bool first)
{
    size_t index = first ? request : entry_take(sim);
    struct request *r = &sim->requests[request];
    sim->copies[index] = (struct copy){.request = (uint32_t)request,
                                       .next = r->first_copy,
                                       .previous = NOBODY,
                                       .place = PLACE_MOVING};
    copy_link(sim, r, index);
    return index;
}

/* It is gone, which may end its request. */
static inline void copy_unlink(struct sim *sim, size_t copy)
{
    struct copy *c = &sim->copies[copy];
    struct request *r = &sim->requests[c->request];
    if (c->next != NOBODY)
        sim->copies[c->next].previous = c->previous;
    if (c->previous != NOBODY)
        sim->copies[c->previous].next = c->next;
    else
        r->first_copy = c->next;
    r->open--;
    sim->copies_there--;
    if (r->open == 0 && r->done)
        request_report(sim, c->request);
}

#endif
