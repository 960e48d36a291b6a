/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/engine.h"

#include <stdlib.h>

#include "sim/sim.h"

/* Events at one instant before the clock counts as stuck; stalls without any service between them
   before the server counts as gone for good. */
#define STUCK_EVENTS (UINT64_C(1) << 27)
#define STUCK_STALLS (UINT64_C(1) << 24)

ns_t sim_now(const struct sim *sim)
{
    return sim->now_ns;
}

struct stream sim_stream(const struct sim *sim, enum purpose purpose)
{
    return stream_open(sim->plan->run.seed, sim->request->run, sim->request->replication, purpose);
}

bool sim_claim(struct sim *sim, uint64_t number, ns_t due_ns)
{
    const struct run_plan *run = &sim->plan->run;
    struct engine_totals *t = sim->totals;
    bool within = (run->requests == 0 || number < run->requests) &&
                  (run->duration_ns == 0 || due_ns < run->duration_ns);
    if (due_ns >= NS_LIMIT && within)
        sim->overflow = true;
    if (within && !sim->overflow) {
        t->due += due_ns >= run->warmup_ns && (run->cut_ns == 0 || due_ns <= run->cut_ns);
        t->last_due_ns = due_ns > t->last_due_ns ? due_ns : t->last_due_ns;
        return true;
    }
    if (run->duration_ns != 0 && due_ns > run->duration_ns)
        due_ns = run->duration_ns;
    if (!t->window_known || due_ns < t->window_end_ns)
        t->window_end_ns = due_ns;
    t->window_known = true;
    return false;
}

void sim_drop(struct sim *sim, uint64_t slots)
{
    sim->totals->dropped += slots;
}

void sim_wake(struct sim *sim, ns_t at_ns, uint64_t order, uint64_t client)
{
    if (at_ns >= NS_LIMIT) {
        sim->overflow = true;
        return;
    }
    sim->wakes++;
    event_push(&sim->events, (struct event){at_ns, event_key(EVENT_SEND, order), client});
}

static void count_in_flight(struct sim *sim, bool arrives)
{
    struct engine_totals *t = sim->totals;
    t->flight_area += (u128)sim->in_flight * (sim->now_ns - sim->flight_since_ns);
    sim->flight_since_ns = sim->now_ns;
    t->end_ns = sim->now_ns;
    sim->in_flight = arrives ? sim->in_flight + 1 : sim->in_flight - 1;
}

/* One that is refused at once was never in flight, so the maximum is taken after that is known. */
static void count_most(struct sim *sim)
{
    struct engine_totals *t = sim->totals;
    t->in_flight_max = sim->in_flight > t->in_flight_max ? sim->in_flight : t->in_flight_max;
}

/* The client has its answer, or has given up. */
static void client_done(struct sim *sim, size_t index)
{
    struct job *job = &sim->jobs[index];
    job->finished_ns = sim->now_ns;
    count_in_flight(sim, false);
    if (!job->initial) {
        sim->type->done(sim->load_state, sim->load->kind.params, sim, job->number, job->client);
        return;
    }
    sim->totals->initial_time_ns += sim->now_ns;
    sim->type->initial_done(sim->load_state, sim->load->kind.params, sim, job->number);
}

void sim_send(struct sim *sim, uint64_t number, ns_t due_ns, ns_t acquired_ns, uint64_t client)
{
    struct engine_totals *t = sim->totals;
    size_t index = job_take(sim);
    sim->jobs[index] = (struct job){.number = number,
                                    .client = client,
                                    .due_ns = due_ns,
                                    .acquired_ns = acquired_ns,
                                    .sent_ns = sim->now_ns,
                                    .work_ns = station_work_ns(sim, number)};
    if (t->sent++ == 0)
        t->first_send_ns = sim->now_ns;
    count_in_flight(sim, true);
    if (!station_enter(sim, index)) {
        t->refused++;
        sim->jobs[index].started_ns = sim->now_ns;
        client_done(sim, index);
        job_emit(sim, &sim->jobs[index], STATUS_REFUSED);
        job_release(sim, index);
        return;
    }
    count_most(sim);
    if (sim->load->timeout_ns != 0)
        event_push(&sim->events, (struct event){sim->now_ns + sim->load->timeout_ns,
                                                event_key(EVENT_TIMER, number), index});
}

static void complete(struct sim *sim)
{
    size_t index = station_complete(sim);
    struct job *job = &sim->jobs[index];
    struct engine_totals *t = sim->totals;
    if (!job->initial && !job->given_up) {
        t->answered++;
        t->last_answer_ns = sim->now_ns;
        t->stalls = sim->stalls_begun;
    }
    if (!job->given_up)
        client_done(sim, index);
    if (!job->initial)
        job_emit(sim, job, job->given_up ? STATUS_TIMED_OUT : STATUS_ANSWERED);
    job_release(sim, index);
}

static void time_out(struct sim *sim, const struct event *e)
{
    size_t index = (size_t)e->payload;
    struct job *job = &sim->jobs[index];
    if (job->number != event_order_of(e) || job->initial || job->given_up)
        return; /* answered in time */
    job->given_up = true;
    sim->totals->timed_out++;
    client_done(sim, index);
}

static void handle(struct sim *sim, const struct event *e)
{
    switch (event_class_of(e)) {
    case EVENT_COMPLETION: BUG("a completion among the timed events");
    case EVENT_STALL_END: station_stall_end(sim, (size_t)e->payload); return;
    case EVENT_STALL_BEGIN: station_stall_begin(sim, (size_t)e->payload); return;
    case EVENT_TIMER: time_out(sim, e); return;
    case EVENT_SEND:
        sim->wakes--;
        sim->type->wake(sim->load_state, sim->load->kind.params, sim, e->payload);
        return;
    }
    BUG("an event class outside its enum");
}

/* Moves to the next instant's next event and handles it; false when the run is over. */
static bool step(struct sim *sim)
{
    ns_t cut_ns = sim->plan->run.cut_ns;
    ns_t completion_ns = station_next_ns(sim);
    const struct event *top = sim->events.count > 0 ? &sim->events.items[0] : NULL;
    bool completes = top == NULL || completion_ns <= top->at_ns;
    ns_t next_ns = completes ? completion_ns : top->at_ns;
    bool later = next_ns > sim->now_ns || (!completes && event_class_of(top) > EVENT_STALL_BEGIN);
    if (sim->dispatch && later) {
        station_dispatch(sim);
        return true;
    }
    if (sim->wakes == 0 && station_is_empty(sim))
        return false;
    if (cut_ns != 0 && next_ns > cut_ns)
        return false;
    BUG_IF(next_ns == NEVER);
    sim->events_at_now = next_ns == sim->now_ns ? sim->events_at_now + 1 : 0;
    if (next_ns >= NS_LIMIT)
        sim->overflow = true;
    sim->now_ns = next_ns;
    if (completes) {
        complete(sim);
    } else {
        struct event e = event_pop(&sim->events);
        handle(sim, &e);
    }
    return true;
}

/* The scenario cut the run: what is still there is reported as it stands. */
static void cut(struct sim *sim)
{
    sim->now_ns = sim->plan->run.cut_ns;
    uint64_t in_flight = sim->in_flight;
    station_cut(sim);
    sim->totals->flight_area += (u128)sim->in_flight * (sim->now_ns - sim->flight_since_ns);
    sim->totals->end_ns = sim->now_ns;
    for (size_t i = 0; i < sim->job_count; i++) {
        struct job *job = &sim->jobs[i];
        if (job->number == NEVER)
            continue;
        if (!job->in_service)
            job->started_ns = sim->now_ns;
        if (!job->given_up)
            job->finished_ns = sim->now_ns;
        if (!job->initial)
            job_emit(sim, job, job->given_up ? STATUS_TIMED_OUT : STATUS_CUT);
        if (job->initial) {
            sim->totals->initial_left++;
            sim->totals->initial_time_ns += sim->now_ns;
        }
    }
    sim->totals->in_flight_at_end = in_flight - sim->totals->initial_left;
}

static void begin(struct sim *sim)
{
    const struct initial_jobs *initial = &sim->request->initial;
    for (size_t k = 0; k < initial->count; k++) {
        size_t index = job_take(sim);
        sim->jobs[index] =
            (struct job){.number = k, .client = k, .work_ns = initial->work_ns[k], .initial = true};
        count_in_flight(sim, true);
        count_most(sim);
        ring_push(&sim->queue, index);
    }
    sim->dispatch = initial->count > 0;
    for (size_t i = 0; i < sim->server->stall_count; i++)
        if (sim->server->stalls[i].last_ns > 0)
            event_push(&sim->events, (struct event){sim->server->stalls[i].first_ns,
                                                    event_key(EVENT_STALL_BEGIN, i), i});
    sim->type->start(sim->load_state, sim->load->kind.params, sim, initial->count);
}

static void release(struct sim *sim)
{
    free(sim->events.items);
    free(sim->services.items);
    free(sim->jobs);
    free(sim->free_jobs);
    free(sim->queue.items);
    free(sim->load_state);
    free(sim);
}

static enum engine_end loop(struct sim *sim)
{
    uint64_t until_look = BATCH_ROWS;
    while (step(sim)) {
        if (sim->overflow)
            return ENGINE_OVERFLOW;
        if (sim->events_at_now > STUCK_EVENTS || sim->stalls_on_end > STUCK_STALLS)
            return ENGINE_STUCK;
        if (--until_look == 0) {
            until_look = BATCH_ROWS;
            if (sim->request->stop != NULL && *sim->request->stop)
                return ENGINE_STOPPED;
        }
    }
    return sim->overflow ? ENGINE_OVERFLOW : ENGINE_DONE;
}

enum engine_end engine_run(const struct engine_request *request, struct engine_totals *totals)
{
    struct sim *sim = must_alloc(1, sizeof *sim);
    *totals = (struct engine_totals){0};
    sim->request = request;
    sim->plan = request->plan;
    sim->server = &request->plan->server;
    sim->load = &request->plan->loads[request->load];
    sim->type = load_kind(sim->load->kind);
    sim->service = distribution(sim->server->service);
    sim->load_state = must_alloc(1, sim->type->state_size(sim->load->kind.params));
    sim->service_stream = sim_stream(sim, PURPOSE_SERVICE);
    sim->drawn_first = NEVER;
    sim->totals = totals;
    begin(sim);
    enum engine_end end = loop(sim);
    if (end == ENGINE_DONE && (sim->wakes > 0 || !station_is_empty(sim)))
        cut(sim);
    rows_flush(sim);
    release(sim);
    return end;
}
