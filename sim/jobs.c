/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "sim/sim.h"

size_t job_take(struct sim *sim)
{
    if (sim->free_count == 0) {
        size_t more = sim->job_count ? sim->job_count : 64;
        sim->jobs = must_grow(sim->jobs, sim->job_count + more, sizeof *sim->jobs);
        sim->free_jobs = must_grow(sim->free_jobs, sim->job_count + more, sizeof(size_t));
        for (size_t i = 0; i < more; i++) {
            sim->free_jobs[i] = sim->job_count + more - 1 - i;
            sim->jobs[sim->job_count + i].number = NEVER;
        }
        sim->free_count = more;
        sim->job_count += more;
    }
    return sim->free_jobs[--sim->free_count];
}

void job_release(struct sim *sim, size_t index)
{
    sim->jobs[index].number = NEVER;
    sim->free_jobs[sim->free_count++] = index;
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
    struct batch batch = {r->count,   r->due,      r->acquired, r->sent,
                          r->started, r->finished, r->ended,    r->status};
    if (r->count > 0 && sim->request->consumer.take != NULL)
        sim->request->consumer.take(sim->request->consumer.self, &batch);
    r->count = 0;
}

void job_emit(struct sim *sim, const struct job *job, enum status status)
{
    struct rows *r = &sim->rows;
    size_t i = r->count++;
    r->due[i] = job->due_ns;
    r->acquired[i] = job->acquired_ns;
    r->sent[i] = job->sent_ns;
    r->started[i] = job->started_ns;
    r->finished[i] = job->finished_ns;
    r->ended[i] = sim->now_ns;
    r->status[i] = (uint8_t)status;
    if (r->count == BATCH_ROWS)
        rows_flush(sim);
}
