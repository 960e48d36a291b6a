/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/entries.h"

/* What a timer is for, below the request's number in its order: they fire in this order. */
enum timer { TIMER_TIMEOUT, TIMER_RESEND, TIMER_ABANDON /* and the copy's number */ };

static inline void push_timer(struct sim *sim, enum lane lane, ns_t at_ns, size_t request,
                              uint64_t timer)
{
    uint64_t order = (sim->requests[request].number << COPY_ORDER_BITS) | timer;
    sim_push(sim, lane, at_ns, EVENT_TIMER, order, request);
}

static uint64_t timer_of(const struct node *e)
{
    return e->low & ((1 << COPY_ORDER_BITS) - 1);
}

static uint64_t scaled(uint64_t value, struct ratio by)
{
    u128 product = (u128)value * by.num / by.den;
    return product < NS_LIMIT ? (uint64_t)product : NS_LIMIT;
}

/* The wait before the first further copy; NEVER while nothing has been measured. */
static ns_t first_wait_ns(const struct sim *sim)
{
    if (sim->resend->percentile.num == 0)
        return sim->resend->after_ns;
    return sim->measured.known ? sim->measured.percentile_ns : NEVER;
}

/* The next copy that is due to be sent, if there is one. */
static inline void plan_resend(struct sim *sim, size_t request)
{
    const struct resend *resend = sim->resend;
    struct further *f = &sim->further[request];
    if (f->copies_sent == resend->copies)
        return;
    if (f->copies_sent == 1)
        f->wait_ns = first_wait_ns(sim);
    else if (resend->backoff.den != 0)
        f->wait_ns = scaled(f->wait_ns, resend->backoff);
    if (f->wait_ns == NEVER)
        return;
    ns_t wait_ns = f->wait_ns;
    if (resend->jitter.num != 0) {
        struct stream own = stream_at(sim->client_stream, sim->requests[request].number);
        wait_ns -= below(stream_word(own, f->copies_sent), scaled(wait_ns, resend->jitter) + 1);
    }
    f->resend_at_ns += wait_ns;
    push_timer(sim, LANE_RESEND, f->resend_at_ns, request, TIMER_RESEND);
}

void timers_set(struct sim *sim, size_t request, uint64_t copy)
{
    ns_t timeout_ns = sim->load->timeout_ns;
    if (timeout_ns != 0) {
        ns_t at_ns = sim->now_ns + timeout_ns;
        if (copy == 0)
            push_timer(sim, LANE_TIMEOUT, at_ns, request, TIMER_TIMEOUT);
        if (sim->load->timeout_cancel != CANCEL_NONE)
            push_timer(sim, LANE_TIMEOUT, at_ns, request, TIMER_ABANDON + copy);
    }
    if (copy == 0 && resends_later(sim)) {
        sim->further[request].resend_at_ns = sim->now_ns;
        plan_resend(sim, request);
    }
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
    if (copies_send_one(sim, request))
        plan_resend(sim, request);
}

/* A copy that is still there so long after it was sent. */
static void abandon(struct sim *sim, size_t request, uint64_t number)
{
    for (uint32_t i = sim->requests[request].first_copy; i != NOBODY; i = sim->copies[i].next) {
        struct copy *c = &sim->copies[i];
        if (c->number != number)
            continue;
        if (sim->load->timeout_cancel == CANCEL_IN_SERVICE || !c->begun)
            copies_withdraw(sim, i);
        return;
    }
}

/* Its request is over and gone, or was answered in time. */
bool timers_dead(const struct sim *sim, const struct node *e)
{
    const struct request *r = &sim->requests[e->payload];
    if (r->number != event_order_of(e) >> COPY_ORDER_BITS || r->initial)
        return true;
    return r->done && timer_of(e) < TIMER_ABANDON;
}

void timers_fire(struct sim *sim, const struct node *e)
{
    size_t request = (size_t)e->payload;
    uint64_t timer = timer_of(e);
    if (timers_dead(sim, e))
        return;
    if (timer >= TIMER_ABANDON) {
        abandon(sim, request, timer - TIMER_ABANDON);
    } else if (timer == TIMER_TIMEOUT) {
        sim->totals->timed_out++;
        if (!sim->plain) /* there it is served in any case, if for nothing */
            sim->requests[request].started_ns = sim->now_ns;
        client_done(sim, request, STATUS_TIMED_OUT);
    } else {
        resend(sim, request);
    }
}
