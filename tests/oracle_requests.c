/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "models/policies/resend.h"
#include "tests/oracle_world.h"

static const struct resend *resend_of(const struct world *w)
{
    return w->load->resend.type && w->load->idempotent ? w->load->resend.params : NULL;
}

/* ---- further copies ---- */

static bool all_at_once(const struct resend *resend)
{
    return resend && resend->after_ns == 0 && resend->percentile.num == 0;
}

/* When copy k, the next one, leaves: its wait is drawn shorter than its base. */
static void plan_copy(struct world *w, struct request *r, ns_t base)
{
    const struct resend *resend = resend_of(w);
    struct ratio jitter = resend->jitter;
    uint64_t most = jitter.num > 0 ? (uint64_t)((u128)base * jitter.num / jitter.den) : 0;
    uint64_t word = stream_word(stream_at(w->client, r->row.number), r->copies);
    r->base = base;
    r->again_at += base - below(word, most + 1);
    r->goes_on = r->copies < resend->copies;
}

/* The first copy has left the client. */
void sent_first(struct world *w, struct request *r)
{
    const struct resend *resend = resend_of(w);
    r->is_sent = true;
    r->row.sent = w->now;
    r->row.replica = r->first_replica;
    w->requests_sent++;
    if (!resend || all_at_once(resend) || (resend->percentile.num > 0 && !w->has_measured))
        return;
    r->again_at = w->now;
    plan_copy(w, r, resend->percentile.num > 0 ? w->measured : resend->after_ns);
}

/* All that leaves at the send itself: every part, or the first copy, or every copy. */
void send_all(struct world *w, size_t request)
{
    const struct resend *resend = resend_of(w);
    uint64_t n = w->load->fan_out > 0 ? w->load->fan_out : 1;
    w->requests[request].parts_left = w->load->wait_for > 0 ? w->load->wait_for : n;
    if (all_at_once(resend))
        n = resend->copies;
    while (n > 0 && send_copy(w, request))
        n--;
}

static bool within_budget(const struct world *w, const struct resend *resend)
{
    struct ratio budget = resend->budget;
    return budget.den == 0 ||
           w->further_copies + 1 <= (u128)w->requests_sent * budget.num / budget.den;
}

static void send_again(struct world *w, size_t request)
{
    struct request *r = &w->requests[request];
    const struct resend *resend = resend_of(w);
    r->goes_on = false;
    if (!within_budget(w, resend)) {
        w->out->withheld++;
        return;
    }
    w->further_copies++;
    struct ratio backoff = resend->backoff;
    ns_t base = r->base;
    bool awaited = send_copy(w, request);
    r = &w->requests[request];
    if (awaited)
        plan_copy(w, r, backoff.num > 0 ? (ns_t)((u128)base * backoff.num / backoff.den) : base);
}

/* ---- the end of a request ---- */

void refuse(struct world *w, struct request *r)
{
    r->awaited = false;
    r->row.status = STATUS_REFUSED;
    r->row.started = r->row.finished = w->now;
    client_goes_on(w, r);
}

static void give_up(struct world *w, struct request *r)
{
    r->awaited = false;
    r->row.started = r->row.finished = w->now; /* unless one is served for nothing */
    r->row.status = STATUS_TIMED_OUT;
    client_goes_on(w, r);
}

static int by_length(const void *a, const void *b)
{
    const ns_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The percentile of the times so far by nearest rank, whenever there are 100, 200, 400, ... */
static void measure(struct world *w, ns_t time)
{
    const struct resend *resend = resend_of(w);
    if (!resend || resend->percentile.num == 0)
        return;
    if (w->time_count == w->time_room) {
        w->time_room = 2 * w->time_room + 128;
        w->times = must_grow(w->times, w->time_room, sizeof *w->times);
    }
    w->times[w->time_count++] = time;
    uint64_t n = w->time_count;
    bool taken = false;
    for (uint64_t at = 100; at <= 102400; at *= 2)
        taken = taken || n == at;
    if (!taken)
        return;
    ns_t *sorted = must_alloc(n, sizeof *sorted);
    memcpy(sorted, w->times, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_length);
    u128 hundredths = (u128)100 * resend->percentile.den;
    uint64_t rank = (uint64_t)(((u128)n * resend->percentile.num + hundredths - 1) / hundredths);
    w->measured = sorted[rank > n ? n - 1 : rank - 1];
    w->has_measured = true;
    free(sorted);
}

/* At the first answer, of the others as far as the policy says. */
static void cancel_others(struct world *w, size_t request)
{
    const struct resend *resend = resend_of(w);
    for (size_t i = w->first_there; resend && i < w->copy_count; i++) {
        struct copy *copy = &w->copies[i];
        bool takes = resend->cancel == CANCEL_IN_SERVICE ||
                     (resend->cancel == CANCEL_QUEUED && !copy->begun);
        if (copy->request == request && copy->place != GONE && takes)
            cancel(w, i);
    }
}

/* The copy is back at the client. */
void answer(struct world *w, size_t index)
{
    const struct copy *copy = &w->copies[index];
    struct request *r = &w->requests[copy->request];
    if (!r->awaited) {
        w->out->wasted += r->order >= 0;
        if (r->row.status == STATUS_TIMED_OUT)
            r->row.started = copy->started;
        return;
    }
    if (--r->parts_left > 0)
        return;
    r->awaited = false;
    r->row.started = copy->started;
    r->row.finished = w->now;
    r->row.status = STATUS_ANSWERED;
    r->row.replica = copy->replica;
    r->row.waited_stalled = copy->waited_stalled;
    r->row.served_stalled = copy->served_stalled;
    r->row.waited_behind = copy->waited_behind;
    if (r->order >= 0) {
        w->out->has_answer = true;
        w->out->last_answer = w->now;
        w->pauses_at_answer = w->pause_count;
        measure(w, w->now - r->row.sent);
    }
    client_goes_on(w, r);
    cancel_others(w, copy->request);
}

/* ---- timers ---- */

bool next_timer(const struct world *w, size_t request, uint64_t which, struct event *e)
{
    const struct request *r = &w->requests[request];
    bool runs = r->awaited && r->is_sent && r->order >= 0;
    ns_t at = which == TIMEOUT ? r->row.sent + w->load->timeout_ns : r->again_at;
    *e = (struct event){at, TIMER, r->order, which, request};
    return runs && (which == TIMEOUT ? w->load->timeout_ns > 0 : r->goes_on);
}

bool next_abandon(const struct world *w, size_t index, struct event *e)
{
    const struct copy *copy = &w->copies[index];
    int64_t order = w->requests[copy->request].order;
    *e = (struct event){copy->sent_at + w->load->timeout_ns, TIMER, order, ABANDON + copy->number,
                        index};
    return order >= 0 && w->load->timeout_ns > 0 && w->load->timeout_cancel != CANCEL_NONE &&
           copy->is_sent && copy->place != GONE && !copy->is_abandoned;
}

void timer_fires(struct world *w, const struct event *e)
{
    if (e->after == TIMEOUT) {
        give_up(w, &w->requests[e->who]);
        return;
    }
    if (e->after == RESEND) {
        send_again(w, e->who);
        return;
    }
    struct copy *copy = &w->copies[e->who];
    copy->is_abandoned = true;
    if (w->load->timeout_cancel == CANCEL_IN_SERVICE || !copy->begun)
        cancel(w, e->who);
}

/* The scenario stops the run: what is under way stays as it is. */
void cut_there(struct world *w)
{
    for (size_t i = 0; i < w->request_count; i++) {
        struct request *r = &w->requests[i];
        if (r->there == 0)
            continue;
        r->row.ended = w->now;
        if (!r->awaited && r->row.status != STATUS_TIMED_OUT)
            continue;
        r->row.started = w->now;
        for (size_t k = w->first_there; k < w->copy_count; k++) {
            const struct copy *copy = &w->copies[k];
            if (copy->request == i && copy->place != GONE && copy->begun)
                r->row.started = copy->started;
        }
        if (!r->awaited)
            continue;
        r->row.finished = w->now;
        r->row.status = STATUS_CUT;
    }
}
