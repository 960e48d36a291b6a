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
    return stream_open(sim->plan->run.seed, sim->asked->run, sim->asked->replication, purpose);
}

/* Whether the slot belongs to what is sent before the run has settled. */
static bool is_settling(const struct sim *sim, uint64_t number, ns_t due_ns)
{
    return due_ns < sim->asked->settle_ns || number < sim->asked->settle_requests;
}

/* The slot counts by number and by due instant, both beginning when the run has settled. */
static bool is_within(const struct sim *sim, uint64_t number, ns_t due_ns)
{
    const struct run_plan *run = &sim->plan->run;
    if (is_settling(sim, number, due_ns))
        return true;
    return (run->requests == 0 || number - sim->settling < run->requests) &&
           (run->duration_ns == 0 || due_ns - sim->asked->settle_ns < run->duration_ns);
}

bool sim_claim(struct sim *sim, uint64_t number, ns_t due_ns)
{
    const struct run_plan *run = &sim->plan->run;
    struct engine_totals *t = sim->totals;
    bool within = is_within(sim, number, due_ns);
    if (due_ns >= NS_LIMIT && within)
        sim->overflow = true;
    if (within && !sim->overflow) {
        bool settling = is_settling(sim, number, due_ns);
        sim->settling += settling;
        if (!settling && t->record_from_ns == NEVER)
            t->record_from_ns = due_ns;
        t->due += !settling && due_ns >= t->record_from_ns + run->warmup_ns &&
                  (run->cut_ns == 0 || due_ns <= run->cut_ns);
        t->last_due_ns = due_ns > t->last_due_ns ? due_ns : t->last_due_ns;
        return true;
    }
    if (run->duration_ns != 0 && due_ns > sim->asked->settle_ns + run->duration_ns)
        due_ns = sim->asked->settle_ns + run->duration_ns;
    if (!t->window_known || due_ns < t->window_end_ns)
        t->window_end_ns = due_ns;
    t->window_known = true;
    return false;
}

/* Even slots first, first + stride, ...: so many of them. */
struct slots {
    struct pace pace;
    uint64_t first, stride, count;
};

static ns_t slot_due(const struct slots *s, uint64_t k)
{
    return pace_due(s->pace, s->first + k * s->stride);
}

/* How many of the slots are due before the instant. */
static uint64_t slots_before(const struct slots *s, ns_t instant_ns)
{
    uint64_t low = 0, high = s->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (slot_due(s, middle) < instant_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t slots_within(const struct sim *sim, const struct slots *s)
{
    uint64_t low = 0, high = s->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (is_within(sim, s->first + middle * s->stride, slot_due(s, middle)))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* By division, not one by one: a long stall misses as many slots as it likes. */
uint64_t sim_drop(struct sim *sim, struct pace pace, uint64_t first, uint64_t stride,
                  uint64_t slots)
{
    const struct run_plan *run = &sim->plan->run;
    struct engine_totals *t = sim->totals;
    ns_t settle_ns = sim->asked->settle_ns;
    struct slots s = {pace, first, stride, slots};
    s.count = slots_within(sim, &s);
    uint64_t counted = run->cut_ns != 0 ? slots_before(&s, run->cut_ns + 1) : s.count;
    uint64_t warm = slots_before(&s, settle_ns + run->warmup_ns);
    t->due += counted > warm ? counted - warm : 0;
    t->dropped += s.count;
    sim->settling += slots_before(&s, settle_ns);
    if (s.count > 0 && slot_due(&s, s.count - 1) > t->last_due_ns)
        t->last_due_ns = slot_due(&s, s.count - 1);
    if (s.count < slots)
        sim_claim(sim, first + s.count * stride, slot_due(&s, s.count)); /* notes the end */
    return s.count;
}

void sim_push(struct sim *sim, ns_t at_ns, enum event_class class, uint64_t order, uint64_t payload)
{
    if (at_ns >= NS_LIMIT)
        sim->overflow = true;
    else
        event_push(&sim->events, (struct event){at_ns, event_key(class, order), payload});
}

void sim_wake(struct sim *sim, ns_t at_ns, uint64_t order, uint64_t client)
{
    sim->wakes++;
    sim_push(sim, at_ns, EVENT_SEND, order, client);
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

/* A request's first copy has left the client. */
void client_sent(struct sim *sim, size_t request)
{
    struct engine_totals *t = sim->totals;
    struct request *r = &sim->requests[request];
    r->sent = true;
    r->sent_ns = sim->now_ns;
    if (t->sent++ == 0)
        t->first_send_ns = sim->now_ns;
    count_in_flight(sim, true);
}

/* The client has its answer, or has given up, or was refused. */
void client_done(struct sim *sim, size_t request, enum status status)
{
    struct request *r = &sim->requests[request];
    r->finished_ns = sim->now_ns;
    r->done = true;
    r->status = (uint8_t)status;
    count_in_flight(sim, false);
    if (!r->initial) {
        sim->type->done(sim->load_state, sim->load->kind.params, sim, r->number, r->client);
        return;
    }
    sim->totals->initial_time_ns += sim->now_ns;
    sim->type->initial_done(sim->load_state, sim->load->kind.params, sim, r->number);
}

void sim_send(struct sim *sim, uint64_t number, ns_t due_ns, ns_t acquired_ns, uint64_t client)
{
    size_t index = request_take(sim);
    sim->requests[index] = (struct request){.number = number,
                                            .client = client,
                                            .due_ns = due_ns,
                                            .acquired_ns = acquired_ns,
                                            .first_copy = NOBODY};
    copies_send(sim, index);
    count_most(sim);
}

static void handle(struct sim *sim, const struct event *e)
{
    size_t which = (size_t)e->payload;
    switch (event_class_of(e)) {
    case EVENT_EXHAUSTION: quota_look(sim, which, true); return;
    case EVENT_COMPLETION: BUG("a completion among the timed events");
    case EVENT_STALL_END: stalls_end(sim, which); return;
    case EVENT_STALL_BEGIN: stalls_begin(sim, which); return;
    case EVENT_TIMER: copies_timer(sim, e); return;
    case EVENT_SEND:
        sim->wakes--;
        sim->type->wake(sim->load_state, sim->load->kind.params, sim, e->payload);
        return;
    case EVENT_ARRIVAL:
        path_arrive(sim, which);
        count_most(sim);
        return;
    }
    BUG("an event class outside its enum");
}

/* Moves to the next instant's next event and handles it; false when the run is over.  What waits
   may start before timers and sends, or once nothing else is left of the instant. */
static bool step(struct sim *sim)
{
    ns_t cut_ns = sim->plan->run.cut_ns;
    ns_t completion_ns = station_next_ns(sim);
    const struct event *top = sim->events.count > 0 ? &sim->events.items[0] : NULL;
    bool first = top != NULL && top->at_ns <= completion_ns &&
                 (top->at_ns < completion_ns || event_class_of(top) < EVENT_COMPLETION);
    bool completes = !first;
    ns_t next_ns = completes ? completion_ns : top->at_ns;
    bool later = next_ns > sim->now_ns;
    if (sim->prompt.count > 0 &&
        (later || (!completes && event_class_of(top) > EVENT_STALL_BEGIN))) {
        station_dispatch(sim, &sim->prompt);
        return true;
    }
    if (sim->late.count > 0 && later) {
        station_dispatch(sim, &sim->late);
        return true;
    }
    if (sim->wakes == 0 && sim->copies_there == 0)
        return false;
    if (cut_ns != 0 && next_ns > cut_ns)
        return false;
    BUG_IF(next_ns == NEVER);
    sim->events_at_now = next_ns == sim->now_ns ? sim->events_at_now + 1 : 0;
    if (next_ns >= NS_LIMIT)
        sim->overflow = true;
    sim->now_ns = next_ns;
    if (completes) {
        station_complete(sim);
    } else {
        struct event e = event_pop(&sim->events);
        handle(sim, &e);
    }
    return true;
}

/* The instant at which a copy of the request was begun, or now if none was. */
static ns_t begun_ns(const struct sim *sim, const struct request *r)
{
    for (size_t i = r->first_copy; i != NOBODY; i = sim->copies[i].next)
        if (sim->copies[i].begun)
            return sim->copies[i].started_ns;
    return sim->now_ns;
}

/* The scenario cut the run: what is still there is reported as it stands. */
static void cut(struct sim *sim)
{
    sim->now_ns = sim->plan->run.cut_ns;
    uint64_t in_flight = sim->in_flight;
    station_cut(sim);
    sim->totals->flight_area += (u128)sim->in_flight * (sim->now_ns - sim->flight_since_ns);
    sim->totals->end_ns = sim->now_ns;
    for (size_t i = 0; i < sim->request_pool.count; i++) {
        struct request *r = &sim->requests[i];
        if (r->number == NEVER)
            continue;
        if (!r->sent && !r->initial)
            continue; /* still in the client's hands */
        if (!r->done || r->status == STATUS_TIMED_OUT)
            r->started_ns = begun_ns(sim, r);
        if (!r->done) {
            r->finished_ns = sim->now_ns;
            r->status = STATUS_CUT;
            sim->totals->initial_left += r->initial;
            sim->totals->initial_time_ns += r->initial ? sim->now_ns : 0;
        }
        request_report(sim, i);
    }
    sim->totals->in_flight_at_end = in_flight - sim->totals->initial_left;
}

static void begin(struct sim *sim)
{
    const struct initial_jobs *initial = &sim->asked->initial;
    for (size_t k = 0; k < initial->count; k++) {
        size_t index = request_take(sim);
        sim->requests[index] = (struct request){
            .number = k, .client = k, .parts_left = 1, .first_copy = NOBODY, .initial = true};
        size_t copy = copy_take(sim, index);
        struct copy *c = &sim->copies[copy];
        c->order = k << COPY_ORDER_BITS;
        c->station = initial->station != NULL ? initial->station[k] : 0;
        c->replica = (uint32_t)c->station;
        c->work_ns = initial->work_ns[k];
        c->assigned = true;
        sim->assigned[c->replica]++;
        count_in_flight(sim, true);
        count_most(sim);
        station_queue(sim, copy);
    }
    stalls_start(sim);
    sim->type->start(sim->load_state, sim->load->kind.params, sim, initial->count);
}

static void release(struct sim *sim)
{
    path_tear_down(sim);
    free(sim->stall_states);
    free(sim->held.items);
    free(sim->events.items);
    free(sim->measured.times_ns);
    free(sim->requests);
    free(sim->request_pool.free);
    free(sim->copies);
    free(sim->copy_pool.free);
    if (sim->type->finish != NULL)
        sim->type->finish(sim->load_state);
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
            if (sim->asked->stop != NULL && *sim->asked->stop)
                return ENGINE_STOPPED;
        }
    }
    return sim->overflow ? ENGINE_OVERFLOW : ENGINE_DONE;
}

static struct sim *sim_open(const struct engine_request *request, struct engine_totals *totals)
{
    struct sim *sim = must_alloc(1, sizeof *sim);
    sim->asked = request;
    sim->plan = request->plan;
    sim->server = &request->plan->server;
    sim->load = &request->plan->loads[request->load];
    sim->type = load_kind(sim->load->kind);
    sim->resend = sim->load->idempotent ? sim->load->resend.params : NULL;
    sim->resend_type = sim->resend != NULL ? (const void *)sim->load->resend.type : NULL;
    sim->load_state = must_alloc(1, sim->type->state_size(sim->load->kind.params));
    sim->service_stream = sim_stream(sim, PURPOSE_SERVICE);
    sim->routing_stream = sim_stream(sim, PURPOSE_ROUTING);
    sim->client_stream = sim_stream(sim, PURPOSE_CLIENT);
    sim->network_stream = sim_stream(sim, PURPOSE_NETWORK);
    sim->behind_stream = sim_stream(sim, PURPOSE_BEHIND);
    sim->stall_states = must_alloc(sim->server->stall_count, sizeof *sim->stall_states);
    sim->totals = totals;
    path_set_up(sim);
    totals->record_from_ns = request->settle_requests > 0 ? NEVER : request->settle_ns;
    return sim;
}

enum engine_end engine_run(const struct engine_request *request, struct engine_totals *totals)
{
    *totals = (struct engine_totals){0};
    struct sim *sim = sim_open(request, totals);
    begin(sim);
    enum engine_end end = loop(sim);
    if (end == ENGINE_DONE && (sim->wakes > 0 || sim->copies_there > 0))
        cut(sim);
    rows_flush(sim);
    if (totals->answered > 0 && sim->server->quota.budget_ns > 0)
        totals->periods =
            sim->server->replicas * (totals->last_answer_ns / sim->server->quota.period_ns + 1);
    release(sim);
    return end;
}
