/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/engine.h"

#include <stdlib.h>

#include "sim/station.h"

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

/* The client has its answer, or has given up, or was refused. */
void client_done(struct sim *sim, size_t request, enum status status)
{
    struct request *r = &sim->requests[request];
    r->finished_ns = sim->now_ns;
    r->done = true;
    r->status = (uint8_t)status;
    count_in_flight(sim, false);
    if (r->initial)
        sim->totals->initial_time_ns += sim->now_ns;
    if (sim->heedless)
        return;
    if (r->initial)
        sim->type->initial_done(sim->load_state, sim->load_params, sim, r->number);
    else
        sim->type->done(sim->load_state, sim->load_params, sim, r->number, r->client);
}

static size_t request_take(struct sim *sim, uint64_t number, uint64_t client, bool initial)
{
    uint32_t index = entry_take(sim);
    sim->requests[index] = (struct request){
        .number = number, .client = (uint32_t)client, .first_copy = NOBODY, .initial = initial};
    if (sim->has_lost)
        sim->lost[index].answer = (struct parts){0};
    return index;
}

void sim_send(struct sim *sim, uint64_t number, ns_t due_ns, ns_t acquired_ns, uint64_t client)
{
    size_t index = request_take(sim, number, client, false);
    sim->requests[index].due_ns = due_ns;
    sim->requests[index].acquired_ns = acquired_ns;
    if (sim->plain)
        plain_send(sim, index);
    else
        copies_send(sim, index);
    count_most(sim);
}

void sim_arrive(struct sim *sim)
{
    sim->wakes--;
    sim_send(sim, sim->ahead.number++, sim->now_ns, sim->now_ns, 0);
    claims_next_ahead(sim);
}

static void handle(struct sim *sim, const struct node *e)
{
    size_t which = (size_t)e->payload;
    switch (event_class_of(e)) {
    case EVENT_EXHAUSTION: quota_look(sim, which, true); return;
    case EVENT_COMPLETION: BUG("a completion among the timed events");
    case EVENT_STALL_END: stalls_end(sim, which); return;
    case EVENT_STALL_BEGIN: stalls_begin(sim, which); return;
    case EVENT_TIMER: timers_fire(sim, e); return;
    case EVENT_SEND:
        sim->wakes--;
        sim->type->wake(sim->load_state, sim->load_params, sim, e->payload);
        return;
    case EVENT_ARRIVAL:
        path_arrive(sim, which);
        count_most(sim);
        return;
    }
    BUG("an event class outside its enum");
}

void sim_handle_next(struct sim *sim)
{
    struct node e = agenda_pop(sim, &sim->agenda);
    handle(sim, &e);
}

/* What waits may start before timers and sends, or once nothing else is left of the instant: true
   where something was given the chance. */
static bool dispatch(struct sim *sim, bool early, ns_t next_ns)
{
    bool later = next_ns > sim->now_ns;
    if (sim->prompt.count > 0 && (later || !early)) {
        station_dispatch(sim, &sim->prompt);
        return true;
    }
    if (sim->late.count > 0 && later) {
        station_dispatch(sim, &sim->late);
        return true;
    }
    return false;
}

/* Moves to the next instant's next event and handles it; false when the run is over. */
static bool step(struct sim *sim)
{
    const struct node *top = &sim->agenda.next;
    ns_t completion_ns = station_next_ns(sim), due_ns = sim->ahead.next_ns;
    bool arrives = due_ns < top->high || (due_ns == top->high && event_class_of(top) > EVENT_SEND);
    ns_t event_ns = arrives ? due_ns : top->high;
    enum event_class class = arrives ? EVENT_SEND : event_class_of(top);
    bool completes =
        completion_ns < event_ns || (completion_ns == event_ns && class > EVENT_COMPLETION);
    ns_t next_ns = completes ? completion_ns : event_ns;
    if (sim->prompt.count + sim->late.count > 0 &&
        dispatch(sim, completes || class <= EVENT_STALL_BEGIN, next_ns))
        return true;
    if ((sim->wakes == 0 && sim->copies_there == 0) || next_ns > sim->last_ns)
        return false;
    BUG_IF(next_ns == NEVER);
    sim->events_at_now = next_ns == sim->now_ns ? sim->events_at_now + 1 : 0;
    sim->overflow |= next_ns >= NS_LIMIT;
    sim->now_ns = next_ns;
    if (sim->overflow)
        return false;
    if (completes)
        station_complete(sim);
    else if (arrives)
        sim_arrive(sim);
    else
        sim_handle_next(sim);
    return !sim->overflow;
}

/* The instant at which a copy of the request was begun, or now if none was. */
static ns_t begun_ns(const struct sim *sim, const struct request *r)
{
    for (uint32_t i = r->first_copy; i != NOBODY; i = sim->copies[i].next)
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
    for (size_t i = 0; i < sim->entry_count; i++) {
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
        size_t request = request_take(sim, k, k, true);
        if (sim->plain) {
            plain_begin(sim, request, initial->work_ns[k]);
            continue;
        }
        size_t copy = copy_take(sim, request, true);
        struct copy *c = &sim->copies[copy];
        c->order = k << COPY_ORDER_BITS;
        c->replica = (uint16_t)(initial->station != NULL ? initial->station[k] : 0);
        c->station = c->replica;
        c->work_ns = initial->work_ns[k];
        c->assigned = true;
        sim->assigned[c->replica]++;
        count_in_flight(sim, true);
        count_most(sim);
        station_queue(sim, copy);
    }
    stalls_start(sim);
    if (sim->heedless)
        claims_open_ahead(sim);
    else
        sim->type->start(sim->load_state, sim->load_params, sim, initial->count);
}

static void release(struct sim *sim)
{
    path_tear_down(sim);
    free(sim->stall_states);
    free(sim->held.items);
    agenda_free(&sim->agenda);
    free(sim->measured.times_ns);
    free(sim->requests);
    free(sim->copies);
    free(sim->further);
    free(sim->lost);
    free(sim->free_entries);
    free(sim->rows.due);
    if (sim->type->finish != NULL)
        sim->type->finish(sim->load_state);
    free(sim->load_state);
    free(sim);
}

static enum engine_end loop(struct sim *sim)
{
    uint64_t until_look = BATCH_ROWS;
    while (sim->plain ? plain_step(sim) : step(sim)) {
        if (--until_look > 0)
            continue;
        until_look = BATCH_ROWS;
        if (sim->events_at_now > STUCK_EVENTS || sim->stalls_on_end > STUCK_STALLS)
            return ENGINE_STUCK;
        if (sim->asked->stop != NULL && *sim->asked->stop)
            return ENGINE_STOPPED;
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
    sim->load_params = sim->load->kind.params;
    sim->resend = sim->load->idempotent ? sim->load->resend.params : NULL;
    sim->resend_type = sim->resend != NULL ? (const void *)sim->load->resend.type : NULL;
    sim->load_state = must_alloc(1, sim->type->state_size(sim->load_params));
    sim->last_ns = sim->plan->run.cut_ns != 0 ? sim->plan->run.cut_ns : NEVER;
    sim->has_further = sim->resend != NULL || sim->load->fan_out > 1;
    sim->agenda.next.high = NEVER;
    sim->service.from = sim->server->service;
    sim->service.stream = sim_stream(sim, PURPOSE_SERVICE);
    sim->routing_stream = sim_stream(sim, PURPOSE_ROUTING);
    sim->client_stream = sim_stream(sim, PURPOSE_CLIENT);
    sim->network_stream = sim_stream(sim, PURPOSE_NETWORK);
    sim->behind_stream = sim_stream(sim, PURPOSE_BEHIND);
    sim->stall_states = must_alloc(sim->server->stall_count, sizeof *sim->stall_states);
    sim->totals = totals;
    path_set_up(sim);
    claims_set(sim);
    sim->plain = plain_is(sim);
    sim->heedless = sim->type->heedless != NULL && sim->type->heedless(sim->load_params);
    sim->ahead.next_ns = NEVER;
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
