/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "sim/fast_entries.h"
#include "sim/fast_timers.h"

#define ENTRIES_LEAST 16
#define TIMERS_LEAST 16

static const struct resend_type *resend_type_of(const struct load_plan *load)
{
    return (const struct resend_type *)(const void *)load->resend.type;
}

/* Waits that are all of one length, or none. */
static bool waits_alike(const struct load_plan *load)
{
    const struct resend *resend = load->resend.params;
    if (load->resend.type == NULL)
        return true;
    bool grows = resend->backoff.den != 0 && resend->backoff.num != resend->backoff.den;
    return load->idempotent && !resend_type_of(load)->cancels_at_start &&
           resend->percentile.num == 0 && resend->jitter.num == 0 &&
           (!grows || resend->copies == 2);
}

bool fast_copies_accepts(const struct engine_request *request)
{
    const struct server *server = &request->plan->server;
    const struct load_plan *load = &request->plan->loads[request->load];
    const struct load_type *type = load_kind(load->kind);
    return type == &load_open && type->heedless(load->kind.params) && server->stall_count == 0 &&
           waits_alike(load);
}

static void copies_open(struct copies *c, const struct engine_request *request,
                        struct engine_totals *totals)
{
    struct fast *f = &c->fast;
    const struct load_plan *load = &request->plan->loads[request->load];
    fast_open(f, request, totals);
    c->load = load;
    c->resend = load->resend.type != NULL ? load->resend.params : NULL;
    c->elsewhere = c->resend != NULL && resend_type_of(load)->elsewhere;
    c->routing_stream =
        stream_open(f->plan->run.seed, request->run, request->replication, PURPOSE_ROUTING);
    c->workers = f->server->workers;
    bool limited = f->server->queue_limit < UNLIMITED - c->workers;
    c->room = limited ? c->workers + f->server->queue_limit : UNLIMITED;
    size_t replicas = (size_t)f->server->replicas;
    c->replicas = must_alloc(replicas, sizeof *c->replicas);
    c->there = must_alloc(replicas, sizeof *c->there);
    c->listed = must_alloc(replicas, sizeof *c->listed);
    for (size_t i = 0; i < replicas; i++)
        c->replicas[i].front = NOBODY;
    c->timeouts.first_ns = c->resends.first_ns = NEVER;
    ends_open(&c->services);
    const struct initial_jobs *initial = &request->initial;
    for (size_t k = 0; k < initial->count; k++)
        attempts_begin(c, (uint32_t)(initial->station != NULL ? initial->station[k] : 0),
                       initial->work_ns[k]);
}

static void copies_close(struct copies *c)
{
    struct fast *f = &c->fast;
    f->totals->attempts += c->further;
    fast_count_work(f, c->work_ns);
    fast_close(f);
    free(c->entries);
    free(c->free_entries);
    free(c->replicas);
    free(c->there);
    free(c->listed);
    free(c->services.others.items);
    free(c->timeouts.items);
    free(c->resends.items);
    free(c);
}

/* ---- room ---- */

void copies_grow(struct copies *c)
{
    uint32_t before = c->entry_count, more = before > 0 ? before : ENTRIES_LEAST;
    BUG_IF(more > NOBODY - before);
    size_t count = (size_t)before + more;
    c->entries = must_grow(c->entries, count, sizeof *c->entries);
    c->free_entries = must_grow(c->free_entries, count, sizeof *c->free_entries);
    for (uint32_t i = 0; i < more; i++) {
        uint32_t entry = (uint32_t)count - 1 - i;
        c->entries[entry].request.number = NO_REQUEST;
        c->entries[entry].copy.place = PLACE_NONE;
        c->free_entries[c->free_count++] = entry;
    }
    c->entry_count = (uint32_t)count;
}

void copies_make_room(const struct copies *c, struct timers *t)
{
    struct timers old = *t;
    size_t kept = 0;
    for (size_t i = 0; i < old.count; i++)
        if (!is_dead(c, timer_at(&old, i)))
            *timer_at(&old, kept++) = *timer_at(&old, i);
    t->count = kept;
    if (2 * kept >= old.capacity) {
        t->capacity = old.capacity > 0 ? 2 * old.capacity : TIMERS_LEAST;
        t->items = must_alloc(t->capacity, sizeof *t->items);
        t->head = 0;
        for (size_t i = 0; i < kept; i++)
            t->items[i] = *timer_at(&old, i);
        free(old.items);
    }
    t->first_ns = kept > 0 ? timer_at(t, 0)->at_ns : NEVER;
}

static size_t without_taken_back(struct copies *c, struct node *items, size_t count)
{
    size_t kept = 0;
    for (size_t k = 0; k < count; k++) {
        uint32_t i = (uint32_t)items[k].payload;
        if (c->entries[i].copy.place == PLACE_TAKEN_BACK)
            forget_copy(c, i);
        else
            items[kept++] = items[k];
    }
    return kept;
}

void copies_forget_broken_off(struct copies *c)
{
    struct ends *s = &c->services;
    if (c->broken_off <= (s->count + s->others.count) / 2)
        return;
    s->count = without_taken_back(c, s->first + 1, s->count);
    s->others.count = without_taken_back(c, s->others.items, s->others.count);
    heap_order(&s->others);
    if (s->count == 0)
        ends_refill(s);
    c->broken_off = 0;
}

/* ---- the run ---- */

void copies_hand_on(struct copies *c)
{
    struct fast *f = &c->fast;
    size_t rows = c->rows;
    struct batch batch = {
        .count = rows,
        .answered = c->failed == STATUS_ANSWERED,
        .due = f->sent_ns,
        .acquired = f->sent_ns,
        .sent = f->sent_ns,
        .started = f->started_ns,
        .finished = f->done_ns,
        .ended = c->ended_ns,
        .status = f->status,
        .replica = c->replica,
        .waited_stalled = fast_zeros,
        .served_stalled = fast_zeros,
    };
    if (rows == 0)
        return;
    /* None is in flight longer than the clock has run. */
    fast_count_time(f, f->sent_ns, f->done_ns, f->sent_ns[0] + c->now_ns, NULL, rows);
    c->stopped |= !fast_hand_on(f, &batch);
    c->rows = 0;
    c->failed = 0;
}

void copies_draw(struct copies *c)
{
    struct fast *f = &c->fast;
    struct choice from = f->senders.arrivals;
    size_t wanted = fast_wanted(f), rows = 0;
    if (c->more) {
        wanted = arrivals(from)->due(from.params, &f->cursor, f->due_ns, wanted);
        rows = fast_claim(f, f->due_ns, wanted);
    }
    c->next = 0;
    c->known = rows;
    c->more = rows == wanted && rows > 0;
    c->due_ns = rows > 0 ? f->due_ns[0] : NEVER;
    if (rows == 0)
        return;
    fast_draw(f, rows);
    fast_count_sent(f, f->due_ns, rows);
    f->number += rows;
}

enum engine_end fast_copies_run(const struct engine_request *request, struct engine_totals *totals)
{
    struct copies *c = must_alloc(1, sizeof *c);
    copies_open(c, request, totals);
    c->more = true;
    copies_draw(c);
    attempts_run(c);
    copies_hand_on(c);
    bool overflow = c->overflow, stopped = c->stopped;
    copies_close(c);
    return overflow ? ENGINE_OVERFLOW : stopped ? ENGINE_STOPPED : ENGINE_DONE;
}
