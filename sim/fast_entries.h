/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_FAST_ENTRIES_H
#define DUETIME_FAST_ENTRIES_H

/* Requests of fast_copies.h and their copies, as they come and go. */

#include "sim/fast_copies.h"

static inline uint32_t take(struct copies *c)
{
    if (c->free_count == 0)
        copies_grow(c);
    return c->free_entries[--c->free_count];
}

static inline void give(struct copies *c, uint32_t entry)
{
    c->free_entries[c->free_count++] = entry;
}

/* In no queue and no service any more. */
static inline void forget_copy(struct copies *c, uint32_t i)
{
    c->entries[i].copy.place = PLACE_NONE;
    if (c->entries[i].request.number == NO_REQUEST)
        give(c, i);
}

/* ---- what becomes of a request ---- */

static inline void put_row(struct copies *c, const struct pending *r)
{
    struct fast *f = &c->fast;
    size_t row = c->rows;
    f->sent_ns[row] = r->sent_ns;
    f->started_ns[row] = r->started_ns;
    f->done_ns[row] = r->finished_ns;
    c->ended_ns[row] = c->now_ns;
    c->replica[row] = r->replica;
    f->status[row] = r->status;
    c->failed |= r->status;
    if (++c->rows == BATCH_ROWS)
        copies_hand_on(c);
}

/* A copy is gone, which may end its request. */
static inline void unlink_copy(struct copies *c, uint32_t i)
{
    uint32_t request = c->entries[i].copy.request;
    struct pending *r = &c->entries[request].request;
    uint32_t *link = &r->first;
    while (*link != i)
        link = &c->entries[*link].copy.next;
    *link = c->entries[i].copy.next;
    if (--r->open > 0 || !r->done)
        return;
    if (r->number != INITIAL_JOB)
        put_row(c, r);
    r->number = NO_REQUEST;
    if (c->entries[request].copy.place == PLACE_NONE)
        give(c, request);
}

/* The client has its answer, or has given up, or was refused. */
static inline void finish(struct copies *c, struct pending *r, enum status status)
{
    r->finished_ns = c->now_ns;
    r->done = true;
    r->status = (uint8_t)status;
    c->fast.last_over_ns = c->now_ns;
    c->in_flight--;
    if (r->number != INITIAL_JOB)
        return;
    c->fast.totals->initial_time_ns += c->now_ns;
    c->fast.totals->flight_area += c->now_ns;
}

#endif
