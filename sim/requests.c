/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "sim/sim.h"

/* Makes room; true when the arrays of entries have to grow to pool->count. */
static bool pool_grow(struct pool *pool)
{
    if (pool->free_count > 0)
        return false;
    size_t more = pool->count ? pool->count : 64;
    pool->free = must_grow(pool->free, pool->count + more, sizeof *pool->free);
    for (size_t i = 0; i < more; i++)
        pool->free[i] = pool->count + more - 1 - i;
    pool->free_count = more;
    pool->count += more;
    return true;
}

static size_t pool_take(struct pool *pool)
{
    return pool->free[--pool->free_count];
}

size_t request_take(struct sim *sim)
{
    size_t before = sim->request_pool.count;
    if (pool_grow(&sim->request_pool)) {
        sim->requests = must_grow(sim->requests, sim->request_pool.count, sizeof *sim->requests);
        for (size_t i = before; i < sim->request_pool.count; i++)
            sim->requests[i].number = NEVER; /* a free entry, for the cut */
    }
    return pool_take(&sim->request_pool);
}

size_t copy_take(struct sim *sim, size_t request)
{
    size_t before = sim->copy_pool.count;
    if (pool_grow(&sim->copy_pool)) {
        sim->copies = must_grow(sim->copies, sim->copy_pool.count, sizeof *sim->copies);
        for (size_t i = before; i < sim->copy_pool.count; i++)
            sim->copies[i].place = PLACE_FREE;
    }
    size_t index = pool_take(&sim->copy_pool);
    struct request *r = &sim->requests[request];
    sim->copies[index] =
        (struct copy){.request = request, .next = r->first_copy, .previous = NOBODY};
    if (r->first_copy != NOBODY)
        sim->copies[r->first_copy].previous = index;
    r->first_copy = index;
    r->open++;
    sim->copies_there++;
    return index;
}

void copy_free(struct sim *sim, size_t copy)
{
    sim->copies[copy].place = PLACE_FREE;
    sim->copy_pool.free[sim->copy_pool.free_count++] = copy;
}

void copy_unlink(struct sim *sim, size_t copy)
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

void ring_push(struct ring *ring, size_t item)
{
    if (ring->count == ring->capacity) {
        size_t capacity = ring->capacity ? 2 * ring->capacity : 64;
        size_t *items = must_alloc(capacity, sizeof *items);
        for (size_t i = 0; i < ring->count; i++)
            items[i] = ring->items[(ring->head + i) & (ring->capacity - 1)];
        free(ring->items);
        *ring = (struct ring){items, 0, ring->count, capacity};
    }
    ring->items[(ring->head + ring->count++) & (ring->capacity - 1)] = item;
}

size_t ring_pop(struct ring *ring)
{
    size_t item = ring->items[ring->head];
    ring->head = (ring->head + 1) & (ring->capacity - 1);
    ring->count--;
    return item;
}

void rows_flush(struct sim *sim)
{
    struct rows *r = &sim->rows;
    struct batch batch = {.count = r->count,
                          .record_from_ns = sim->totals->record_from_ns,
                          .due = r->due,
                          .acquired = r->acquired,
                          .sent = r->sent,
                          .started = r->started,
                          .finished = r->finished,
                          .ended = r->ended,
                          .status = r->status,
                          .client = r->client,
                          .replica = r->replica,
                          .waited_stalled = r->waited_stalled,
                          .served_stalled = r->served_stalled,
                          .waited_behind = r->waited_behind};
    if (r->count > 0 && sim->asked->consumer.take != NULL)
        sim->asked->consumer.take(sim->asked->consumer.self, &batch);
    r->count = 0;
}

void request_forget(struct sim *sim, size_t request)
{
    sim->requests[request].number = NEVER;
    sim->request_pool.free[sim->request_pool.free_count++] = request;
}

void request_report(struct sim *sim, size_t request)
{
    struct request *job = &sim->requests[request];
    if (!job->initial) {
        struct rows *r = &sim->rows;
        size_t i = r->count++;
        r->due[i] = job->due_ns;
        r->acquired[i] = job->acquired_ns;
        r->sent[i] = job->sent_ns;
        r->started[i] = job->started_ns;
        r->finished[i] = job->finished_ns;
        r->ended[i] = sim->now_ns;
        r->status[i] = job->status;
        r->client[i] = job->client;
        r->replica[i] = job->replica;
        r->waited_stalled[i] = job->waited_stalled_ns;
        r->served_stalled[i] = job->served_stalled_ns;
        r->waited_behind[i] = job->waited_behind_ns;
        if (r->count == BATCH_ROWS)
            rows_flush(sim);
    }
    request_forget(sim, request);
}
