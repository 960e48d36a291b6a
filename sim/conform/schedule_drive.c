/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "models/loads/load.h"
#include "sim/conform/schedule.h"
#include "sim/engine.h"

#define TURNS_AT_ONE_INSTANT 2000
/* Past so many times the schedule's length, and a while, nothing more is learnt. */
#define BEYOND_FACTOR 64
#define BEYOND_NS (600 * NS_PER_S)

/* A conversation in progress: a load whose schedule is somebody else's. */
struct drive {
    const struct schedule_request *request;
    struct schedule_run *out;
    struct schedule_turn turn;
    size_t capacity;
    uint8_t *known; /* by number: sent already */
    uint64_t numbers;
    uint64_t waiting; /* of the wait in force; earlier ones are stale */
    size_t in_flight, silent_turns;
    ns_t silent_at_ns, horizon_ns;
    bool over;
    volatile sig_atomic_t stop; /* asks the engine to stop */
};

/* What the load's "parameters" are, as the engine hands them on. */
struct drive_params {
    struct drive *drive;
};

void schedule_turn_send(struct schedule_turn *turn, struct schedule_send send)
{
    if (turn->count == turn->capacity) {
        turn->capacity = turn->capacity == 0 ? 16 : 2 * turn->capacity;
        turn->sends = must_grow(turn->sends, turn->capacity, sizeof *turn->sends);
    }
    turn->sends[turn->count++] = send;
}

static void end(struct drive *d, enum schedule_end why, uint64_t number, ns_t at_ns)
{
    if (d->over)
        return;
    d->over = true;
    d->out->end = why;
    d->out->number = number;
    d->out->at_ns = at_ns;
    if (why != SCHEDULE_ENDED || d->in_flight == 0)
        d->stop = 1; /* no need to wait out a wake-up that nobody hears */
}

/* Whether the next send is as it must be. */
static bool is_like(const struct schedule_request *request, size_t place, ns_t now_ns)
{
    const struct schedule_run *like = request->like;
    if (like == NULL)
        return true;
    return place < like->count && like->rows[place].sent_ns <= now_ns + request->slack_ns &&
           now_ns <= like->rows[place].sent_ns + request->slack_ns;
}

/* Notes the send and has the engine make it at the end of this instant, in the order of numbers. */
static void note(struct drive *d, struct sim *sim, const struct schedule_send *s)
{
    struct schedule_run *run = d->out;
    if (run->count >= d->numbers) {
        end(d, SCHEDULE_FLOODED, s->number, sim_now(sim));
        return;
    }
    if (!is_like(d->request, run->count, sim_now(sim))) {
        end(d, SCHEDULE_UNLIKE, s->number, sim_now(sim));
        return;
    }
    if (s->number >= d->numbers || d->known[s->number]) {
        end(d, s->number >= d->numbers ? SCHEDULE_UNKNOWN : SCHEDULE_TWICE, s->number,
            sim_now(sim));
        return;
    }
    d->known[s->number] = 1;
    if (run->count == d->capacity) {
        d->capacity = d->capacity == 0 ? 256 : 2 * d->capacity;
        run->rows = must_grow(run->rows, d->capacity, sizeof *run->rows);
    }
    run->rows[run->count] =
        (struct schedule_row){s->number, s->client, s->due_ns, sim_now(sim), NS_LIMIT};
    d->in_flight++;
    sim_wake(sim, sim_now(sim), s->number + 1, 2 * run->count);
    run->count++;
}

/* A turn that brings no send, again and again at one instant, will never end. */
static bool spins(struct drive *d, ns_t now_ns)
{
    if (d->turn.count > 0 || now_ns != d->silent_at_ns)
        d->silent_turns = 0;
    d->silent_at_ns = now_ns;
    return ++d->silent_turns > TURNS_AT_ONE_INSTANT;
}

static void rest(struct drive *d, struct sim *sim)
{
    ns_t now_ns = sim_now(sim), until_ns = d->turn.until_ns;
    d->waiting++;
    switch (d->turn.rest) {
    case REST_END: end(d, SCHEDULE_ENDED, 0, now_ns); return;
    case REST_DONE:
        if (d->in_flight == 0)
            end(d, SCHEDULE_DEADLOCK, 0, now_ns);
        return;
    case REST_UNTIL:
        if (until_ns > d->horizon_ns) {
            end(d, SCHEDULE_BEYOND, 0, until_ns);
            return;
        }
        until_ns += d->request->late_ns;
        sim_wake(sim, until_ns > now_ns ? until_ns : now_ns, 0, 2 * d->waiting + 1);
        return;
    }
}

static void take_turn(struct drive *d, struct sim *sim, struct schedule_event event)
{
    if (d->over)
        return;
    if (d->request->stop != NULL && *d->request->stop != 0) {
        end(d, SCHEDULE_STOPPED, 0, event.at_ns);
        return;
    }
    d->turn.count = 0;
    if (!d->request->peer.turn(d->request->peer.self, &event, &d->turn)) {
        end(d, SCHEDULE_OUT, 0, event.at_ns);
        return;
    }
    for (size_t i = 0; i < d->turn.count && !d->over; i++)
        note(d, sim, &d->turn.sends[i]);
    if (!d->over && spins(d, event.at_ns))
        end(d, SCHEDULE_SPINS, 0, event.at_ns);
    if (!d->over)
        rest(d, sim);
}

static size_t state_size(const void *params)
{
    (void)params;
    return 1;
}

static void start(void *state, const void *params, struct sim *sim, uint64_t initial)
{
    (void)state;
    (void)initial;
    struct drive *d = ((const struct drive_params *)params)->drive;
    take_turn(d, sim, (struct schedule_event){.at_ns = sim_now(sim)});
}

/* The engine knows a request by its place among the sends; its work is that of its number. */
static void wake(void *state, const void *params, struct sim *sim, uint64_t token)
{
    (void)state;
    struct drive *d = ((const struct drive_params *)params)->drive;
    if (token % 2 == 1) {
        if (token / 2 == d->waiting)
            take_turn(d, sim, (struct schedule_event){.at_ns = sim_now(sim)});
        return;
    }
    if (d->stop != 0)
        return;
    const struct schedule_row *row = &d->out->rows[token / 2];
    sim_send(sim, row->number, row->sent_ns, row->sent_ns, token / 2);
}

static void done(void *state, const void *params, struct sim *sim, uint64_t number, uint64_t place)
{
    (void)state;
    struct drive *d = ((const struct drive_params *)params)->drive;
    struct schedule_row *row = &d->out->rows[place];
    row->finished_ns = sim_now(sim);
    d->in_flight--;
    uint64_t client = row->client;
    take_turn(d, sim, (struct schedule_event){true, number, client, sim_now(sim)});
    if (d->over && d->in_flight == 0)
        d->stop = 1;
}

static const struct load_type driven = {
    .is = {"driven", "sends when somebody else says so", NULL, 0, 0, NULL},
    .state_size = state_size,
    .start = start,
    .wake = wake,
    .done = done,
};

static ns_t horizon_ns(const struct offered *o)
{
    u128 length = o->duration_ns;
    if (o->listed_ns != NULL && o->slots > 0)
        length = o->listed_ns[o->slots - 1];
    else if (length == 0 && o->pace.den != 0)
        length = (u128)o->slots * o->pace.num / o->pace.den;
    length = length * BEYOND_FACTOR + BEYOND_NS;
    return length < NS_LIMIT / 2 ? (ns_t)length : NS_LIMIT / 2;
}

void schedule_drive(const struct schedule_request *request, struct schedule_run *out)
{
    *out = (struct schedule_run){.end = SCHEDULE_ENDED};
    struct drive d = {.request = request, .out = out};
    struct drive_params params = {&d};
    d.numbers = SCHEDULE_SENDS_MOST(request->offered->slots);
    d.known = must_alloc(d.numbers, 1);
    d.horizon_ns = horizon_ns(request->offered);
    struct load_plan load = request->plan->loads[request->load];
    load.kind = (struct choice){&driven.is, &params};
    struct plan plan = *request->plan;
    plan.loads = &load;
    plan.load_count = 1;
    plan.run.requests = 0;
    plan.run.duration_ns = 0;
    struct engine_request engine = {.plan = &plan, .load = 0, .again = true, .stop = &d.stop};
    struct engine_totals totals;
    enum engine_end engine_end = engine_run(&engine, &totals);
    if (engine_end == ENGINE_STUCK || engine_end == ENGINE_OVERFLOW)
        end(&d, SCHEDULE_STUCK, 0, 0);
    free(d.known);
    free(d.turn.sends);
}

void schedule_run_free(struct schedule_run *run)
{
    free(run->rows);
    *run = (struct schedule_run){0};
}
