/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/loads/load.h"
#include "models/policies/late.h"
#include "tests/oracle_world.h"

/* Due instant of slot i of an even schedule, from a rate per second or else an interval. */
static ns_t even_due(struct ratio rate, ns_t every, uint64_t i)
{
    if (rate.num > 0)
        return (ns_t)((u128)i * NS_PER_S * rate.den / rate.num);
    return i * every;
}

static bool counts(struct world *w, uint64_t number, ns_t due)
{
    const struct run_plan *run = &w->plan->run;
    bool yes = (run->requests == 0 || number < run->requests) &&
               (run->duration_ns == 0 || due < run->duration_ns);
    if (run->duration_ns > 0 && due > run->duration_ns)
        due = run->duration_ns;
    if (!yes && (!w->out->has_window_end || due < w->out->window_end)) {
        w->out->has_window_end = true;
        w->out->window_end = due;
    }
    return yes;
}

static ns_t slot_due(const struct world *w, const struct sender *s)
{
    const struct paced_load *paced = w->load->kind.params;
    return even_due(paced->rate_per_s, paced->every_ns, s->slot) + s->shift;
}

/* The connection gives its slot up, if it counts, and stands at its next one. */
static bool drop_slot(struct world *w, struct sender *s)
{
    const struct paced_load *paced = w->load->kind.params;
    if (!counts(w, s->slot, slot_due(w, s)))
        return false;
    w->out->claimed++;
    w->out->dropped++;
    s->slot += paced->connections;
    return true;
}

/* The least time between two sends of one connection that catches up at `factor` times its pace. */
static ns_t catch_up_gap(const struct paced_load *paced)
{
    const struct catch_up *limit = paced->late.params;
    if (!is(paced->late.type->name, "catch-up") || !limit || limit->factor.num == 0)
        return 0;
    u128 num = (u128)paced->connections * limit->factor.den;
    u128 den = limit->factor.num;
    if (paced->rate_per_s.num > 0) {
        num *= (u128)NS_PER_S * paced->rate_per_s.den;
        den *= paced->rate_per_s.num;
    } else {
        num *= paced->every_ns;
    }
    return (ns_t)(num / den);
}

/* A connection of a paced load is free, now. */
static void connection_goes_on(struct world *w, struct sender *s)
{
    const struct paced_load *paced = w->load->kind.params;
    const char *late = paced->late.type->name;
    while (is(late, "skip") && slot_due(w, s) < w->now)
        if (!drop_slot(w, s))
            return;
    if (is(late, "rebase") && slot_due(w, s) < w->now)
        s->shift += w->now - slot_due(w, s);
    s->due = slot_due(w, s);
    s->number = s->slot;
    s->order = (int64_t)s->number;
    if (!counts(w, s->number, s->due))
        return;
    w->out->claimed++;
    s->slot += paced->connections;
    while (is(late, "coalesce") && slot_due(w, s) < w->now)
        if (!drop_slot(w, s))
            break;
    s->acquired = later(s->due, w->now);
    s->at = s->acquired;
    if (s->has_sent)
        s->at = later(s->at, s->last_send + catch_up_gap(paced));
    s->will_send = true;
}

/* ---- sessions ---- */

/* Sessions begin before others go on, at one instant. */
#define BEGINNING (INT64_MIN / 2)

/* Session sender_count, when there is one, is to begin. */
static void next_session(struct world *w)
{
    const struct sessions_load *load = w->load->kind.params;
    const struct arrivals_type *type = arrivals(load->arrivals);
    ns_t at = even_due(load->rate_per_s, load->every_ns, w->sender_count);
    if (!is(type->is.name, "even") && type->due(load->arrivals.params, &w->beginnings, &at, 1) == 0)
        return;
    if (w->sender_count == w->sender_room) {
        w->sender_room = 2 * w->sender_room + 16;
        w->senders = must_grow(w->senders, w->sender_room, sizeof *w->senders);
    }
    w->senders[w->sender_count] =
        (struct sender){.will_send = true, .at = at, .order = BEGINNING + (int64_t)w->sender_count};
    w->sender_count++;
}

static void take_place(struct world *w, struct sender *s)
{
    s->client = w->left_count > 0 ? w->left_places[--w->left_count] : w->places++;
}

static void leave_place(struct world *w, const struct sender *s)
{
    if (w->left_count == w->left_room) {
        w->left_room = 2 * w->left_room + 16;
        w->left_places = must_grow(w->left_places, w->left_room, sizeof *w->left_places);
    }
    w->left_places[w->left_count++] = s->client;
}

static void session_goes_on(struct world *w, struct sender *s, const struct request *request)
{
    const struct sessions_load *load = w->load->kind.params;
    if (s->slot == load->requests) {
        leave_place(w, s);
        return;
    }
    s->will_send = true;
    s->at = w->now + draw(load->think, w->think, request->row.number);
    s->order = request->order;
}

/* ---- whoever it is ---- */

void client_goes_on(struct world *w, const struct request *request)
{
    if (request->sender == NOBODY || is(w->kind, "open"))
        return;
    struct sender *s = &w->senders[request->sender];
    if (is(w->kind, "paced")) {
        connection_goes_on(w, s);
        return;
    }
    if (is(w->kind, "sessions")) {
        session_goes_on(w, s, request);
        return;
    }
    const struct closed_load *closed = w->load->kind.params;
    s->will_send = true;
    s->at = w->now + draw(closed->think, w->think, request->row.number);
    s->order = request->order;
}

/* Requests that hold a slot of a window: from the turn of each to its answer. */
static uint64_t slots_held(const struct world *w)
{
    uint64_t n = 0;
    for (size_t i = w->first_awaited; i < w->request_count; i++)
        n += w->requests[i].awaited;
    return n;
}

bool open_next(const struct world *w, struct event *e)
{
    const struct open_load *open = w->load->kind.params;
    if (w->due_next == w->due_count)
        return false;
    *e = (struct event){later(w->dues[w->due_next], w->now), SEND, (int64_t)w->due_next, 0, 0};
    return open->max_in_flight == UNLIMITED || slots_held(w) < open->max_in_flight;
}

bool about_to_send(struct world *w, size_t who, struct oracle_row *row)
{
    struct sender *s = &w->senders[who];
    if (is(w->kind, "open")) {
        *row = (struct oracle_row){
            .number = w->due_next, .due = w->dues[w->due_next], .acquired = w->now};
        w->due_next++;
        return true;
    }
    s->will_send = false;
    s->has_sent = true;
    s->last_send = w->now;
    if (is(w->kind, "paced")) {
        *row = (struct oracle_row){
            .number = s->number, .due = s->due, .acquired = s->acquired, .client = s->client};
        return true;
    }
    if (!counts(w, w->sends, w->now))
        return false;
    w->out->claimed++;
    s->slot++;
    if (is(w->kind, "sessions") && s->slot == 1) {
        take_place(w, s);
        next_session(w);
        s = &w->senders[who];
    }
    *row = (struct oracle_row){
        .number = w->sends, .due = w->now, .acquired = w->now, .client = s->client};
    return true;
}

/* Every slot of an open load that counts, and the first that no longer does. */
static void open_dues(struct world *w, const struct oracle_question *q)
{
    const struct open_load *open = w->load->kind.params;
    const struct arrivals_type *type = arrivals(open->arrivals);
    struct arrival_cursor cursor = {
        .stream = stream_open(q->plan->run.seed, q->run, q->replication, PURPOSE_ARRIVALS)};
    if (type->paced)
        cursor.pace = pace_of(open->rate_per_s, open->every_ns);
    for (size_t room = 0;; w->due_count++) {
        ns_t due = even_due(open->rate_per_s, open->every_ns, w->due_count);
        if (!is(type->is.name, "even") && type->due(open->arrivals.params, &cursor, &due, 1) == 0)
            return;
        if (!counts(w, w->due_count, due))
            return;
        if (w->due_count == room) {
            room = 2 * room + 16;
            w->dues = must_grow(w->dues, room, sizeof *w->dues);
        }
        w->dues[w->due_count] = due;
    }
}

/* Whose request job k of those there at time 0 is: of a closed load client k's; of a paced one the
   last jobs are the connections' latest requests, in the order of their next slots. */
size_t sender_of_job(const struct world *w, const struct oracle_question *q, size_t k)
{
    if (is(w->kind, "closed"))
        return k;
    if (is(w->kind, "paced") && k + w->sender_count >= q->job_count)
        return k + w->sender_count - q->job_count;
    return NOBODY;
}

static bool has_job(const struct world *w, const struct oracle_question *q, size_t sender)
{
    for (size_t k = 0; k < q->job_count; k++)
        if (sender_of_job(w, q, k) == sender)
            return true;
    return false;
}

void senders_set_up(struct world *w, const struct oracle_question *q)
{
    const struct closed_load *closed = w->load->kind.params;
    const struct paced_load *paced = w->load->kind.params;
    if (is(w->kind, "open"))
        open_dues(w, q);
    if (is(w->kind, "closed"))
        w->sender_count = closed->clients;
    if (is(w->kind, "paced"))
        w->sender_count = paced->connections;
    w->sender_room = w->sender_count + 1;
    w->senders = must_alloc(w->sender_room, sizeof *w->senders);
    for (size_t k = 0; k < w->sender_count; k++) {
        struct sender *s = &w->senders[k];
        *s = (struct sender){.slot = k, .client = k};
        if (has_job(w, q, k))
            continue;
        if (is(w->kind, "paced"))
            connection_goes_on(w, s);
        if (is(w->kind, "closed")) {
            s->will_send = true;
            s->at = k * closed->stagger_ns;
            s->order = (int64_t)k - (int64_t)w->sender_count;
        }
    }
    if (is(w->kind, "sessions")) {
        const struct sessions_load *sessions = w->load->kind.params;
        w->beginnings.stream =
            stream_open(q->plan->run.seed, q->run, q->replication, PURPOSE_ARRIVALS);
        if (arrivals(sessions->arrivals)->paced)
            w->beginnings.pace = pace_of(sessions->rate_per_s, sessions->every_ns);
        next_session(w);
    }
}
