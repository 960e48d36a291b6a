/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/routing/routing.h"
#include "sim/sim.h"

/* What a timer is for, below the request's number in its order: they fire in this order. */
enum timer { TIMER_TIMEOUT, TIMER_RESEND, TIMER_ABANDON /* and the copy's number */ };

static void push_timer(struct sim *sim, ns_t at_ns, size_t request, uint64_t timer)
{
    uint64_t order = (sim->requests[request].number << COPY_ORDER_BITS) | timer;
    sim_push(sim, at_ns, EVENT_TIMER, order, request);
}

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
static uint32_t replica_of(struct sim *sim, struct request *r, uint64_t copy)
{
    if (copy == 0)
        return r->first_replica = r->replica = route(sim, r->number, sim->routing_stream);
    if (sim->resend_type == NULL || sim->resend_type->elsewhere)
        return (uint32_t)((r->first_replica + copy) % sim->server->replicas);
    return route(sim, r->number, stream_at(sim->routing_stream, UINT64_MAX - copy));
}

static uint64_t scaled(uint64_t value, struct ratio by)
{
    u128 product = (u128)value * by.num / by.den;
    return product < NS_LIMIT ? (uint64_t)product : NS_LIMIT;
}

/* Whether copies leave by themselves after a while. */
static bool resends_later(const struct sim *sim)
{
    return sim->resend != NULL && (sim->resend->after_ns > 0 || sim->resend->percentile.num > 0);
}

/* The wait before the first further copy; NEVER while nothing has been measured. */
static ns_t first_wait_ns(const struct sim *sim)
{
    if (sim->resend->percentile.num == 0)
        return sim->resend->after_ns;
    return sim->measured.known ? sim->measured.percentile_ns : NEVER;
}

/* The next copy that is due to be sent, if there is one. */
static void plan_resend(struct sim *sim, size_t request)
{
    const struct resend *resend = sim->resend;
    struct request *r = &sim->requests[request];
    if (!resends_later(sim) || r->copies_sent == resend->copies)
        return;
    if (r->copies_sent == 1)
        r->wait_ns = first_wait_ns(sim);
    else if (resend->backoff.den != 0)
        r->wait_ns = scaled(r->wait_ns, resend->backoff);
    if (r->wait_ns == NEVER)
        return;
    ns_t wait_ns = r->wait_ns;
    if (resend->jitter.num != 0) {
        struct stream own = stream_at(sim->client_stream, r->number);
        wait_ns -= below(stream_word(own, r->copies_sent), scaled(wait_ns, resend->jitter) + 1);
    }
    r->resend_at_ns += wait_ns;
    push_timer(sim, r->resend_at_ns, request, TIMER_RESEND);
}

/* Sends one copy; false when it was refused, and the request may be over and gone. */
static bool send_copy(struct sim *sim, size_t request)
{
    size_t index = copy_take(sim, request);
    struct request *r = &sim->requests[request];
    struct copy *c = &sim->copies[index];
    c->number = r->copies_sent++;
    uint64_t below = c->number < (1 << COPY_ORDER_BITS) ? c->number : (1 << COPY_ORDER_BITS) - 1;
    c->order = ((r->number + sim->asked->initial.count) << COPY_ORDER_BITS) | below;
    return path_start(sim, index);
}

void copies_send(struct sim *sim, size_t request)
{
    struct request *r = &sim->requests[request];
    uint64_t at_once = sim->load->fan_out;
    if (sim->resend != NULL && !resends_later(sim))
        at_once = sim->resend->copies;
    r->parts_left = sim->load->wait_for != 0 ? sim->load->wait_for : sim->load->fan_out;
    for (uint64_t i = 0; i < at_once; i++)
        if (!send_copy(sim, request))
            return;
}

void copies_left(struct sim *sim, size_t copy)
{
    struct copy *c = &sim->copies[copy];
    struct request *r = &sim->requests[c->request];
    ns_t timeout_ns = sim->load->timeout_ns;
    sim->totals->attempts++;
    c->waited_stalled_ns = 0; /* what the client lost is send lag */
    c->replica = replica_of(sim, r, c->number);
    c->assigned = true;
    sim->assigned[c->replica]++;
    if (c->number == 0) {
        client_sent(sim, c->request);
        r->resend_at_ns = sim->now_ns;
        if (timeout_ns != 0)
            push_timer(sim, sim->now_ns + timeout_ns, c->request, TIMER_TIMEOUT);
        plan_resend(sim, c->request);
    }
    if (timeout_ns != 0 && sim->load->timeout_cancel != CANCEL_NONE)
        push_timer(sim, sim->now_ns + timeout_ns, c->request, TIMER_ABANDON + c->number);
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
    size_t next;
    if (cancel == CANCEL_NONE)
        return;
    for (size_t i = sim->requests[request].first_copy; i != NOBODY; i = next) {
        next = sim->copies[i].next;
        if (i != except && (cancel == CANCEL_IN_SERVICE || !sim->copies[i].begun))
            copies_withdraw(sim, i);
    }
}

void copies_begun(struct sim *sim, size_t copy)
{
    struct copy *c = &sim->copies[copy];
    struct request *r = &sim->requests[c->request];
    c->begun = r->begun = true;
    if (sim->resend_type != NULL && sim->resend_type->cancels_at_start && !r->initial)
        withdraw_others(sim, c->request, copy, CANCEL_QUEUED);
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

static void take_answer(struct sim *sim, struct request *r, const struct copy *c)
{
    r->replica = c->replica;
    r->waited_stalled_ns = c->waited_stalled_ns;
    r->served_stalled_ns = c->served_stalled_ns;
    r->waited_behind_ns = c->waited_behind_ns;
    if (r->initial)
        return;
    sim->totals->answered++;
    sim->totals->last_answer_ns = sim->now_ns;
    sim->totals->stalls = sim->stalls_begun;
    measured_add(sim, sim->now_ns - r->sent_ns);
}

void copies_answered(struct sim *sim, size_t copy)
{
    size_t request = sim->copies[copy].request;
    struct request *r = &sim->requests[request];
    const struct copy *c = &sim->copies[copy];
    sim->totals->wasted += r->done;
    bool ends = !r->done && --r->parts_left == 0;
    if (ends || (r->done && r->status == STATUS_TIMED_OUT))
        r->started_ns = c->started_ns;
    if (ends) {
        take_answer(sim, r, c);
        client_done(sim, request, STATUS_ANSWERED);
    }
    bool others = r->open > 1;
    copy_unlink(sim, copy);
    copy_free(sim, copy);
    if (ends && others && sim->resend != NULL)
        withdraw_others(sim, request, NOBODY, (enum cancel)sim->resend->cancel);
}

/* Further copies may be no more than the budget's share of the requests. */
static bool may_resend(const struct sim *sim)
{
    struct ratio budget = sim->resend->budget;
    if (budget.den == 0)
        return true;
    u128 further = sim->totals->resent + 1;
    return further <= (u128)sim->totals->sent * budget.num / budget.den;
}

static void resend(struct sim *sim, size_t request)
{
    if (!may_resend(sim)) {
        sim->totals->withheld++;
        return;
    }
    sim->totals->resent++;
    if (send_copy(sim, request))
        plan_resend(sim, request);
}

/* A copy that is still there so long after it was sent. */
static void abandon(struct sim *sim, size_t request, uint64_t number)
{
    for (size_t i = sim->requests[request].first_copy; i != NOBODY; i = sim->copies[i].next) {
        struct copy *c = &sim->copies[i];
        if (c->number != number)
            continue;
        if (sim->load->timeout_cancel == CANCEL_IN_SERVICE || !c->begun)
            copies_withdraw(sim, i);
        return;
    }
}

void copies_timer(struct sim *sim, const struct event *e)
{
    size_t request = (size_t)e->payload;
    const struct request *r = &sim->requests[request];
    uint64_t order = event_order_of(e), timer = order & ((1 << COPY_ORDER_BITS) - 1);
    if (r->number != order >> COPY_ORDER_BITS || r->initial)
        return; /* it is over and gone */
    if (timer >= TIMER_ABANDON) {
        abandon(sim, request, timer - TIMER_ABANDON);
    } else if (r->done) {
        return; /* answered in time */
    } else if (timer == TIMER_TIMEOUT) {
        sim->totals->timed_out++;
        sim->requests[request].started_ns = sim->now_ns; /* unless one is served for nothing */
        client_done(sim, request, STATUS_TIMED_OUT);
    } else {
        resend(sim, request);
    }
}
