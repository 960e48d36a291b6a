/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/routing/routing.h"
#include "sim/station.h"

static uint32_t route(const struct sim *sim, uint64_t number, struct stream stream)
{
    struct choice rule = sim->server->routing;
    if (sim->server->replicas == 1)
        return 0;
    return (uint32_t)routing(rule)->replica(rule.params, stream, number, sim->server->replicas,
                                            sim->assigned);
}

/* Where the first copy of a request goes is the rule's choice; parts and hedges go to the replicas
   behind it, others again as the rule says. */
static uint32_t replica_of(const struct sim *sim, uint32_t request, uint64_t copy)
{
    uint64_t number = sim->requests[request].number;
    if (sim->server->replicas == 1)
        return 0;
    if (copy == 0)
        return route(sim, number, sim->routing_stream);
    if (sim->resend_type == NULL || sim->resend_type->elsewhere)
        return (uint32_t)((sim->further[request].first_replica + copy) % sim->server->replicas);
    return route(sim, number, stream_at(sim->routing_stream, UINT64_MAX - copy));
}

/* A request's first copy has left the client. */
static void first_left(struct sim *sim, const struct copy *c)
{
    struct engine_totals *t = sim->totals;
    struct request *r = &sim->requests[c->request];
    r->replica = c->replica;
    r->sent = true;
    r->sent_ns = sim->now_ns;
    if (t->sent++ == 0)
        t->first_send_ns = sim->now_ns;
    count_in_flight(sim, true);
    if (sim->has_further)
        sim->further[c->request].first_replica = c->replica;
}

void copies_left(struct sim *sim, size_t copy)
{
    struct copy *c = &sim->copies[copy];
    sim->totals->attempts++;
    if (sim->has_lost)
        sim->lost[copy].copy.waited_stalled_ns = 0; /* what the client lost is send lag */
    c->replica = (uint16_t)replica_of(sim, c->request, c->number);
    c->assigned = true;
    sim->assigned[c->replica]++;
    if (c->number == 0)
        first_left(sim, c);
    if (sim->load->timeout_ns != 0 || sim->resend != NULL)
        timers_set(sim, c->request, c->number);
}

static uint64_t order_of(const struct sim *sim, const struct request *r, uint64_t copy)
{
    uint64_t below = copy < (1 << COPY_ORDER_BITS) ? copy : (1 << COPY_ORDER_BITS) - 1;
    return ((r->number + sim->asked->initial.count) << COPY_ORDER_BITS) | below;
}

/* Straight to a server: all that path.c would do with it, at once. */
static bool send_straight(struct sim *sim, size_t request, uint64_t number)
{
    size_t index = number == 0 ? request : entry_take(sim);
    struct request *r = &sim->requests[request];
    struct copy *c = &sim->copies[index];
    uint32_t replica = replica_of(sim, (uint32_t)request, number);
    bool own = number > 0 && sim->load->work == WORK_PER_ATTEMPT;
    *c = (struct copy){.order = order_of(sim, r, number),
                       .work_ns = own ? demand_ns(sim, r->number, number, STAGE_SERVER)
                                      : ahead_ns(&sim->service, r->number),
                       .request = (uint32_t)request,
                       .next = r->first_copy,
                       .previous = NOBODY,
                       .number = (uint32_t)number,
                       .station = (uint16_t)replica,
                       .replica = (uint16_t)replica,
                       .place = PLACE_MOVING,
                       .assigned = true};
    copy_link(sim, r, index);
    sim->assigned[replica]++;
    sim->totals->attempts++;
    if (number == 0)
        first_left(sim, c);
    if (sim->load->timeout_ns != 0 || sim->resend != NULL)
        timers_set(sim, request, number);
    if (station_enter(sim, index))
        return true;
    copies_refused(sim, index);
    return false;
}

bool copies_send_one(struct sim *sim, size_t request)
{
    uint64_t number = sim->has_further ? sim->further[request].copies_sent++ : 0;
    if (sim->straight)
        return send_straight(sim, request, number);
    size_t index = copy_take(sim, request, number == 0);
    struct copy *c = &sim->copies[index];
    c->number = (uint32_t)number;
    c->order = order_of(sim, &sim->requests[request], number);
    return path_start(sim, index);
}

static void send_several(struct sim *sim, size_t request)
{
    uint64_t at_once = sim->load->fan_out;
    if (sim->resend != NULL && !resends_later(sim))
        at_once = sim->resend->copies;
    sim->further[request] = (struct further){
        .parts_left = sim->load->wait_for != 0 ? sim->load->wait_for : sim->load->fan_out};
    for (uint64_t i = 0; i < at_once; i++)
        if (!copies_send_one(sim, request))
            return;
}

void copies_send(struct sim *sim, size_t request)
{
    if (sim->has_further)
        send_several(sim, request);
    else
        copies_send_one(sim, request);
}

void copies_withdraw(struct sim *sim, size_t copy)
{
    const struct copy *c = &sim->copies[copy];
    struct request *r = &sim->requests[c->request];
    sim->totals->cancelled++;
    if (c->begun && r->done && r->status == STATUS_TIMED_OUT)
        r->started_ns = c->started_ns;
    bool free_now = station_cancel(sim, copy);
    path_leave(sim, copy);
    copy_unlink(sim, copy);
    if (free_now)
        copy_free(sim, copy);
}

/* Takes back the other copies of a request: those that have not begun, or all. */
static void withdraw_others(struct sim *sim, size_t request, size_t except, enum cancel cancel)
{
    uint32_t next;
    if (cancel == CANCEL_NONE)
        return;
    for (uint32_t i = sim->requests[request].first_copy; i != NOBODY; i = next) {
        next = sim->copies[i].next;
        if (i != except && (cancel == CANCEL_IN_SERVICE || !sim->copies[i].begun))
            copies_withdraw(sim, i);
    }
}

void copies_begun(struct sim *sim, size_t copy)
{
    uint32_t request = sim->copies[copy].request;
    if (sim->requests[request].initial)
        return;
    sim->further[request].begun = true;
    withdraw_others(sim, request, copy, CANCEL_QUEUED);
}

void copies_refused(struct sim *sim, size_t copy)
{
    size_t request = sim->copies[copy].request;
    if (!sim->requests[request].done) {
        sim->totals->refused++;
        sim->requests[request].started_ns = sim->now_ns;
        client_done(sim, request, STATUS_REFUSED);
    }
    path_leave(sim, copy);
    copy_unlink(sim, copy);
    copy_free(sim, copy);
}

static void take_answer(struct sim *sim, struct request *r, size_t copy)
{
    const struct copy *c = &sim->copies[copy];
    r->replica = c->replica;
    if (sim->has_lost)
        sim->lost[c->request].answer = sim->lost[copy].copy;
    if (r->initial)
        return;
    sim->totals->answered++;
    sim->totals->last_answer_ns = sim->now_ns;
    sim->totals->stalls = sim->stalls_begun;
    if (sim->resend != NULL)
        measured_add(sim, sim->now_ns - r->sent_ns);
}

/* One of the answers that its request waits for: the last of them. */
static bool ends_request(struct sim *sim, const struct request *r, size_t request)
{
    return !r->done && (!sim->has_further || r->initial || --sim->further[request].parts_left == 0);
}

/* The answer of the only copy, with which all of it is over. */
static void answered_alone(struct sim *sim, size_t copy)
{
    struct request *r = &sim->requests[copy];
    r->started_ns = sim->copies[copy].started_ns;
    if (r->done) {
        sim->totals->wasted++;
    } else {
        take_answer(sim, r, copy);
        client_done(sim, copy, STATUS_ANSWERED);
    }
    sim->copies_there--;
    sim->copies[copy].place = PLACE_FREE;
    request_report(sim, copy);
}

void copies_answered(struct sim *sim, size_t copy)
{
    if (sim->alone) {
        answered_alone(sim, copy);
        return;
    }
    size_t request = sim->copies[copy].request;
    struct request *r = &sim->requests[request];
    const struct copy *c = &sim->copies[copy];
    sim->totals->wasted += r->done;
    bool ends = ends_request(sim, r, request), others = r->open > 1;
    if (ends || (r->done && r->status == STATUS_TIMED_OUT))
        r->started_ns = c->started_ns;
    if (ends) {
        take_answer(sim, r, copy);
        client_done(sim, request, STATUS_ANSWERED);
    }
    copy_unlink(sim, copy);
    copy_free(sim, copy);
    if (ends && others && sim->resend != NULL)
        withdraw_others(sim, request, NOBODY, (enum cancel)sim->resend->cancel);
}
