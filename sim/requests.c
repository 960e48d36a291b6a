/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "sim/entries.h"

#define ENTRIES_LEAST 16
#define ROWS_LEAST 32

/* Twice as many entries. */
void entries_grow(struct sim *sim)
{
    uint32_t before = sim->entry_count, more = before > 0 ? before : ENTRIES_LEAST;
    BUG_IF(more > NOBODY - before);
    size_t count = (size_t)before + more;
    sim->free_entries = must_grow(sim->free_entries, count, sizeof *sim->free_entries);
    sim->requests = must_grow(sim->requests, count, sizeof *sim->requests);
    if (!sim->plain)
        sim->copies = must_grow(sim->copies, count, sizeof *sim->copies);
    if (sim->has_further)
        sim->further = must_grow(sim->further, count, sizeof *sim->further);
    if (sim->has_lost)
        sim->lost = must_grow(sim->lost, count, sizeof *sim->lost);
    for (uint32_t i = before; i < count; i++) {
        sim->requests[i].number = NEVER;
        if (!sim->plain)
            sim->copies[i].place = PLACE_FREE;
    }
    for (uint32_t i = 0; i < more; i++)
        entry_give(sim, count - 1 - i);
    sim->entry_count = (uint32_t)count;
}

/* Of an entry the request and the copy come to their end by themselves. */
void copy_free(struct sim *sim, size_t copy)
{
    sim->copies[copy].place = PLACE_FREE;
    if (sim->requests[copy].number == NEVER)
        entry_give(sim, copy);
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

/* Columns that are all zeros: those that nobody reads, and those that are so throughout. */
static const ns_t zeros_ns[BATCH_ROWS];
static const uint32_t zeros[BATCH_ROWS];

/* The column behind the others, where it is wanted. */
static void *column(char **from, bool wanted, size_t bytes)
{
    void *start = wanted ? *from : NULL;
    *from += wanted ? bytes : 0;
    return start;
}

/* An empty batch, of twice as many rows. */
static void rows_renew(struct sim *sim)
{
    struct rows *r = &sim->rows;
    unsigned wants = sim->asked->wants;
    bool lingers = sim->load->timeout_ns != 0 || sim->has_further;
    bool parts = wants & WANTS_PARTS && sim->has_lost;
    size_t rows = r->capacity == 0 ? ROWS_LEAST : 2 * r->capacity, bytes = rows * sizeof(ns_t);
    free(r->due);
    *r = (struct rows){.capacity = rows, .due = must_alloc(rows, 11 * sizeof(ns_t))};
    char *from = (char *)(r->due + 4 * rows);
    r->ended = column(&from, lingers, bytes);
    const char *more = from;
    r->started = column(&from, wants & WANTS_STARTED, bytes);
    r->client = column(&from, wants & WANTS_CLIENT, bytes);
    r->waited_stalled = column(&from, parts, bytes);
    r->served_stalled = column(&from, parts, bytes);
    r->waited_behind = column(&from, parts, bytes);
    r->replica = column(&from, wants & WANTS_REPLICA, rows * sizeof *r->replica);
    r->more = from > more;
    r->status = column(&from, true, rows);
}

void rows_flush(struct sim *sim)
{
    struct rows *r = &sim->rows;
    if (r->count == 0)
        return;
    const ns_t *finished_ns = r->due + 3 * r->capacity;
    uint8_t failed = 0;
    for (size_t i = 0; i < r->count; i++)
        failed |= r->status[i];
    struct batch batch = {
        .count = r->count,
        .answered = failed == STATUS_ANSWERED,
        .record_from_ns = sim->totals->record_from_ns,
        .due = r->due,
        .acquired = r->due + r->capacity,
        .sent = r->due + 2 * r->capacity,
        .started = r->started != NULL ? r->started : zeros_ns,
        .finished = finished_ns,
        .ended = r->ended != NULL ? r->ended : finished_ns,
        .status = r->status,
        .client = r->client != NULL ? r->client : zeros_ns,
        .replica = r->replica != NULL ? r->replica : zeros,
        .waited_stalled = r->waited_stalled != NULL ? r->waited_stalled : zeros_ns,
        .served_stalled = r->served_stalled != NULL ? r->served_stalled : zeros_ns,
        .waited_behind = r->waited_behind != NULL ? r->waited_behind : zeros_ns};
    if (sim->asked->consumer.take != NULL)
        sim->asked->consumer.take(sim->asked->consumer.self, &batch);
    r->count = 0;
}

static void report_more(const struct sim *sim, const struct rows *r, size_t i, size_t request)
{
    const struct request *job = &sim->requests[request];
    if (r->started != NULL)
        r->started[i] = job->started_ns;
    if (r->client != NULL)
        r->client[i] = job->client;
    if (r->replica != NULL)
        r->replica[i] = job->replica;
    if (r->waited_stalled == NULL)
        return;
    const struct parts *p = &sim->lost[request].answer;
    r->waited_stalled[i] = p->waited_stalled_ns;
    r->served_stalled[i] = p->served_stalled_ns;
    r->waited_behind[i] = p->waited_behind_ns;
}

void request_row(struct sim *sim, size_t request)
{
    const struct request *job = &sim->requests[request];
    struct rows *r = &sim->rows;
    if (r->count == r->capacity) /* none yet */
        rows_renew(sim);
    size_t i = r->count++, rows = r->capacity;
    r->due[i] = job->due_ns;
    r->due[i + rows] = job->acquired_ns;
    r->due[i + 2 * rows] = job->sent_ns;
    r->due[i + 3 * rows] = job->finished_ns;
    r->status[i] = job->status;
    if (r->ended != NULL)
        r->ended[i] = sim->now_ns;
    if (r->more)
        report_more(sim, r, i, request);
    if (r->count < rows)
        return;
    rows_flush(sim);
    if (rows < BATCH_ROWS)
        rows_renew(sim);
}

void request_report(struct sim *sim, size_t request)
{
    if (!sim->requests[request].initial)
        request_row(sim, request);
    sim->requests[request].number = NEVER;
    if (sim->copies[request].place == PLACE_FREE)
        entry_give(sim, request);
}
