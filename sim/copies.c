/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/policies/resend.h"
#include "models/routing/routing.h"
#include "sim/sim.h"

/* What a timer is for, below the request's number in its order: they fire in this order. */
enum timer { TIMER_TIMEOUT, TIMER_RESEND };

static const struct resend *resend_of(const struct sim *sim)
{
    return sim->load->resend.type != NULL ? sim->load->resend.params : NULL;
}

static void push_timer(struct sim *sim, ns_t at_ns, size_t request, enum timer timer)
{
    if (at_ns >= NS_LIMIT) {
        sim->overflow = true;
        return;
    }
    uint64_t order = (sim->requests[request].number << COPY_ORDER_BITS) | (uint64_t)timer;
    event_push(&sim->events, (struct event){at_ns, event_key(EVENT_TIMER, order), request});
}

/* Where the first copy of a request goes; the others follow from it. */
static uint64_t first_station(const struct sim *sim, uint64_t number)
{
    uint64_t replicas = sim->server->replicas;
    if (replicas == 1)
        return 0;
    struct choice rule = sim->server->routing;
    return routing(rule)->replica(rule.params, sim->routing_stream, number, replicas);
}

static uint64_t station_of(const struct sim *sim, uint64_t number, uint64_t copy)
{
    uint64_t replicas = sim->server->replicas;
    const struct resend_type *type = (const void *)sim->load->resend.type;
    if (copy == 0 || replicas == 1)
        return first_station(sim, number);
    if (type == NULL || type->elsewhere) /* a part, or a hedge: the next replica */
        return (first_station(sim, number) + copy) % replicas;
    struct stream own = stream_at(sim->routing_stream, UINT64_MAX - copy);
    struct choice rule = sim->server->routing;
    return routing(rule)->replica(rule.params, own, number, replicas);
}

/* Ends the other copies at the first answer, as far as the policy says. */
static void cancel_others(struct sim *sim, size_t request)
{
    const struct resend *resend = resend_of(sim);
    if (resend == NULL || resend->cancel == CANCEL_NONE)
        return;
    size_t next;
    for (size_t i = sim->requests[request].first_copy; i != NOBODY; i = next) {
        next = sim->copies[i].next;
        if (resend->cancel == CANCEL_QUEUED && sim->copies[i].place != PLACE_QUEUE)
            continue;
        station_cancel(sim, i);
        copy_unlink(sim, i);
    }
}

/* Sends one copy; false when it was refused, which ends the request. */
static bool send_copy(struct sim *sim, size_t request)
{
    uint64_t number = sim->requests[request].number;
    uint64_t copy = sim->requests[request].copies_sent++;
    size_t index = copy_take(sim, request);
    struct copy *c = &sim->copies[index];
    uint64_t below = copy < (1 << COPY_ORDER_BITS) ? copy : (1 << COPY_ORDER_BITS) - 1;
    c->order = ((number + sim->asked->initial.count) << COPY_ORDER_BITS) | below;
    c->station = (size_t)station_of(sim, number, copy);
    c->work_ns = station_work_ns(sim, number, copy);
    sim->totals->attempts++;
    if (station_enter(sim, index))
        return true;
    sim->totals->refused += !sim->requests[request].done;
    if (!sim->requests[request].done) {
        sim->requests[request].started_ns = sim->now_ns;
        client_done(sim, request, STATUS_REFUSED);
    }
    copy_unlink(sim, index);
    copy_free(sim, index);
    return false;
}

/* The next copy that is due to be sent, if there is one. */
static void plan_resend(struct sim *sim, size_t request)
{
    const struct resend *resend = resend_of(sim);
    const struct request *r = &sim->requests[request];
    if (resend == NULL || r->copies_sent == resend->copies)
        return;
    push_timer(sim, r->sent_ns + r->copies_sent * resend->after_ns, request, TIMER_RESEND);
}

void copies_send(struct sim *sim, size_t request)
{
    const struct resend *resend = resend_of(sim);
    uint64_t at_once = sim->load->fan_out;
    if (resend != NULL && resend->after_ns == 0)
        at_once = resend->copies;
    sim->requests[request].parts_left = sim->load->fan_out;
    for (uint64_t i = 0; i < at_once; i++)
        if (!send_copy(sim, request))
            return;
    if (sim->load->timeout_ns != 0)
        push_timer(sim, sim->now_ns + sim->load->timeout_ns, request, TIMER_TIMEOUT);
    plan_resend(sim, request);
}

void copies_answered(struct sim *sim, size_t copy)
{
    size_t request = sim->copies[copy].request;
    struct request *r = &sim->requests[request];
    bool ends = !r->done && --r->parts_left == 0;
    if (ends || (r->done && r->status == STATUS_TIMED_OUT))
        r->started_ns = sim->copies[copy].started_ns;
    if (ends && !r->initial) {
        sim->totals->answered++;
        sim->totals->last_answer_ns = sim->now_ns;
        sim->totals->stalls = sim->stalls_begun;
    }
    if (ends)
        client_done(sim, request, STATUS_ANSWERED);
    bool others = r->open > 1;
    copy_unlink(sim, copy);
    copy_free(sim, copy);
    if (ends && others)
        cancel_others(sim, request);
}

void copies_timer(struct sim *sim, const struct event *e)
{
    size_t request = (size_t)e->payload;
    struct request *r = &sim->requests[request];
    uint64_t order = event_order_of(e);
    if (r->number != order >> COPY_ORDER_BITS || r->initial || r->done)
        return; /* it was answered in time */
    switch ((enum timer)(order & ((1 << COPY_ORDER_BITS) - 1))) {
    case TIMER_TIMEOUT:
        sim->totals->timed_out++;
        client_done(sim, request, STATUS_TIMED_OUT);
        return;
    case TIMER_RESEND:
        if (send_copy(sim, request))
            plan_resend(sim, request);
        return;
    }
    BUG("a timer outside its enum");
}
