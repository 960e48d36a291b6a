/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/engine.h"

#include <stdlib.h>
#include <string.h>

#include "models/loads/load.h"
#include "models/stalls/stall.h"
#include "sim/events.h"

#define DRAWN_AHEAD 256
#define NEVER UINT64_MAX
#define STUCK_EVENTS (UINT64_C(1) << 27) /* events at one instant before the clock counts as stuck */

/* A request on its way; an entry that is free has the number NEVER. */
struct job {
    uint64_t number, client;
    ns_t due_ns, acquired_ns, sent_ns, started_ns, finished_ns;
    ns_t work_ns;
    bool initial, in_service, given_up;
};

/* First come, first served: a ring of indices into jobs. */
struct ring {
    size_t *items;
    size_t head, count, capacity; /* capacity a power of two */
};

/* The batch in the making. */
struct rows {
    size_t count;
    ns_t due[BATCH_ROWS], acquired[BATCH_ROWS], sent[BATCH_ROWS], started[BATCH_ROWS],
        finished[BATCH_ROWS], ended[BATCH_ROWS];
    uint8_t status[BATCH_ROWS];
};

struct sim {
    const struct engine_request *request;
    const struct plan *plan;
    const struct server *server;
    const struct load_plan *load;
    const struct load_type *type;
    const struct distribution_type *service;
    void *load_state;
    ns_t now_ns;
    struct event_heap events;

    struct job *jobs;
    size_t job_count, *free_jobs, free_count;
    struct ring queue;
    struct stream service_stream;
    ns_t drawn_ns[DRAWN_AHEAD];
    uint64_t drawn_first; /* request number of drawn_ns[0]; NEVER: none drawn */

    /* Available time is the clock that stops while work is suspended.  A service is due to end at an
       instant of it, so a suspend moves no event. */
    struct event_heap services; /* at_ns in available time */
    uint64_t suspended, stalled; /* stalls in force that stop work; that let no service start */
    ns_t available_ns, resumed_ns; /* available time when work last began to run, and that instant */
    ns_t stall_ended_ns;
    uint64_t stalls_begun;
    uint64_t busy;
    ns_t busy_since_ns; /* available time of the last change of busy */
    bool dispatch;      /* a waiting request may start once this instant's stalls are known */

    uint64_t in_flight, wakes;
    ns_t flight_since_ns;
    uint64_t events_at_now;
    bool overflow;
    struct engine_totals *totals;
    struct rows rows;
};

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

static void flush(struct sim *sim)
{
    struct rows *r = &sim->rows;
    struct batch batch = {r->count,    r->due,      r->acquired, r->sent,
                          r->started,  r->finished, r->ended,    r->status};
    if (r->count > 0 && sim->request->consumer.take != NULL)
        sim->request->consumer.take(sim->request->consumer.self, &batch);
    r->count = 0;
}

static void emit(struct sim *sim, const struct job *job, enum status status)
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
        flush(sim);
}

static size_t job_take(struct sim *sim)
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

static void job_release(struct sim *sim, size_t index)
{
    sim->jobs[index].number = NEVER;
    sim->free_jobs[sim->free_count++] = index;
}

static void ring_push(struct ring *ring, size_t item)
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

static size_t ring_pop(struct ring *ring)
{
    size_t item = ring->items[ring->head];
    ring->head = (ring->head + 1) & (ring->capacity - 1);
    ring->count--;
    return item;
}

/* Work of a request: draw `number` of the service stream, whatever was sent before it. */
static ns_t work_of(struct sim *sim, uint64_t number)
{
    if (number - sim->drawn_first >= DRAWN_AHEAD || sim->drawn_first == NEVER) {
        sim->drawn_first = number;
        sim->service->draw(sim->server->service.params, sim->service_stream, number,
                           sim->drawn_ns, DRAWN_AHEAD);
    }
    return sim->drawn_ns[number - sim->drawn_first];
}

static ns_t available_now(const struct sim *sim)
{
    return sim->available_ns + (sim->suspended ? 0 : sim->now_ns - sim->resumed_ns);
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

static void count_busy(struct sim *sim, bool starts)
{
    ns_t available_ns = available_now(sim);
    sim->totals->busy_area_ns += (u128)sim->busy * (available_ns - sim->busy_since_ns);
    sim->busy_since_ns = available_ns;
    sim->busy = starts ? sim->busy + 1 : sim->busy - 1;
}

static void start_service(struct sim *sim, size_t index)
{
    struct job *job = &sim->jobs[index];
    count_busy(sim, true);
    job->started_ns = sim->now_ns;
    job->in_service = true;
    ns_t end_ns = available_now(sim) + job->work_ns;
    if (end_ns >= NS_LIMIT) {
        sim->overflow = true;
        return;
    }
    uint64_t order = job->initial ? job->number : job->number + sim->request->initial.count;
    event_push(&sim->services,
               (struct event){end_ns, event_key(EVENT_COMPLETION, order), index});
}

/* Waiting requests start, first come first served. */
static void dispatch(struct sim *sim)
{
    sim->dispatch = false;
    while (sim->queue.count > 0 && sim->busy < sim->server->workers && sim->stalled == 0)
        start_service(sim, ring_pop(&sim->queue));
}

/* The client has its answer, or has given up. */
static void client_done(struct sim *sim, size_t index)
{
    struct job *job = &sim->jobs[index];
    job->finished_ns = sim->now_ns;
    count_in_flight(sim, false);
    if (job->initial)
        sim->totals->initial_time_ns += sim->now_ns;
    if (!job->initial || sim->request->initial.clients)
        sim->type->done(sim->load_state, sim->load->kind.params, sim, job->number, job->client);
}

void sim_send(struct sim *sim, uint64_t number, ns_t due_ns, ns_t acquired_ns, uint64_t client)
{
    struct engine_totals *t = sim->totals;
    size_t index = job_take(sim);
    sim->jobs[index] = (struct job){.number = number, .client = client, .due_ns = due_ns,
                                    .acquired_ns = acquired_ns, .sent_ns = sim->now_ns,
                                    .work_ns = work_of(sim, number)};
    if (t->sent++ == 0)
        t->first_send_ns = sim->now_ns;
    count_in_flight(sim, true);
    bool starts = sim->queue.count == 0 && sim->busy < sim->server->workers && sim->stalled == 0;
    if (!starts && sim->queue.count >= sim->server->queue_limit) {
        t->refused++;
        sim->jobs[index].started_ns = sim->now_ns;
        client_done(sim, index);
        emit(sim, &sim->jobs[index], STATUS_REFUSED);
        job_release(sim, index);
        return;
    }
    count_most(sim);
    if (sim->load->timeout_ns != 0)
        event_push(&sim->events, (struct event){sim->now_ns + sim->load->timeout_ns,
                                                event_key(EVENT_TIMER, number), index});
    if (starts)
        start_service(sim, index);
    else
        ring_push(&sim->queue, index);
}

static void complete(struct sim *sim)
{
    size_t index = (size_t)event_pop(&sim->services).payload;
    struct job *job = &sim->jobs[index];
    struct engine_totals *t = sim->totals;
    count_busy(sim, false);
    t->work_done_ns += job->work_ns;
    sim->dispatch = sim->queue.count > 0;
    if (!job->initial && !job->given_up) {
        t->answered++;
        t->last_answer_ns = sim->now_ns;
        t->stalls = sim->stalls_begun;
    }
    if (!job->given_up)
        client_done(sim, index);
    if (!job->initial)
        emit(sim, job, job->given_up ? STATUS_TIMED_OUT : STATUS_ANSWERED);
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

static void stall_begin(struct sim *sim, const struct event *e)
{
    const struct stall *stall = &sim->server->stalls[e->payload];
    bool touches = sim->stalls_begun > 0 && sim->stall_ended_ns == sim->now_ns;
    if (sim->stalled++ == 0 && !touches)
        sim->stalls_begun++;
    if (stall->mode->stops_work) {
        sim->available_ns = available_now(sim);
        sim->resumed_ns = sim->now_ns;
        sim->suspended++;
    }
    event_push(&sim->events, (struct event){sim->now_ns + stall->last_ns,
                                            event_key(EVENT_STALL_END, e->payload), e->payload});
}

static void stall_end(struct sim *sim, const struct event *e)
{
    const struct stall *stall = &sim->server->stalls[e->payload];
    sim->stall_ended_ns = sim->now_ns;
    if (--sim->stalled == 0)
        sim->dispatch = sim->queue.count > 0;
    if (stall->mode->stops_work && --sim->suspended == 0)
        sim->resumed_ns = sim->now_ns;
    if (stall->every_ns != 0)
        event_push(&sim->events,
                   (struct event){sim->now_ns - stall->last_ns + stall->every_ns,
                                  event_key(EVENT_STALL_BEGIN, e->payload), e->payload});
}

static void handle(struct sim *sim, const struct event *e)
{
    switch (event_class_of(e)) {
    case EVENT_COMPLETION:
        BUG("a completion among the timed events");
    case EVENT_STALL_END:
        stall_end(sim, e);
        return;
    case EVENT_STALL_BEGIN:
        stall_begin(sim, e);
        return;
    case EVENT_TIMER:
        time_out(sim, e);
        return;
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
    ns_t completion_ns = NEVER;
    if (sim->services.count > 0 && sim->suspended == 0)
        completion_ns = sim->resumed_ns + (sim->services.items[0].at_ns - sim->available_ns);
    const struct event *top = sim->events.count > 0 ? &sim->events.items[0] : NULL;
    bool completes = top == NULL || completion_ns <= top->at_ns;
    ns_t next_ns = completes ? completion_ns : top->at_ns;
    bool later = next_ns > sim->now_ns ||
                 (!completes && event_class_of(top) > EVENT_STALL_BEGIN);
    if (sim->dispatch && later) {
        dispatch(sim);
        return true;
    }
    if (sim->wakes == 0 && sim->busy == 0 && sim->queue.count == 0)
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
    for (size_t i = 0; i < sim->services.count; i++) {
        const struct event *e = &sim->services.items[i];
        ns_t left_ns = e->at_ns - available_now(sim);
        sim->totals->work_done_ns += sim->jobs[e->payload].work_ns - left_ns;
    }
    sim->totals->busy_area_ns += (u128)sim->busy * (available_now(sim) - sim->busy_since_ns);
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
            emit(sim, job, job->given_up ? STATUS_TIMED_OUT : STATUS_CUT);
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
        sim->jobs[index] = (struct job){
            .number = k, .client = k, .work_ns = initial->work_ns[k], .initial = true};
        count_in_flight(sim, true);
        count_most(sim);
        ring_push(&sim->queue, index);
    }
    sim->dispatch = initial->count > 0;
    for (size_t i = 0; i < sim->server->stall_count; i++)
        if (sim->server->stalls[i].last_ns > 0)
            event_push(&sim->events, (struct event){sim->server->stalls[i].first_ns,
                                                    event_key(EVENT_STALL_BEGIN, i), i});
    sim->type->start(sim->load_state, sim->load->kind.params, sim, initial->clients);
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
        if (sim->events_at_now > STUCK_EVENTS)
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
    if (end == ENGINE_DONE && sim->wakes + sim->busy + sim->queue.count > 0)
        cut(sim);
    flush(sim);
    release(sim);
    return end;
}
