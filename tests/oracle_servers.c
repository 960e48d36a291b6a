/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "models/policies/resend.h"
#include "models/routing/routing.h"
#include "tests/oracle_world.h"

/* ---- who is there ---- */

static uint64_t count_at(const struct world *w, uint64_t station, enum whereabouts place)
{
    uint64_t n = 0;
    for (size_t i = w->first_there; i < w->copy_count; i++)
        n += w->copies[i].station == station && w->copies[i].place == place;
    return n;
}

uint64_t copies_there(const struct world *w)
{
    uint64_t n = 0;
    for (size_t i = w->first_there; i < w->copy_count; i++)
        n += w->copies[i].place != GONE;
    return n;
}

uint64_t in_flight(const struct world *w)
{
    uint64_t n = 0;
    for (size_t i = w->first_awaited; i < w->request_count; i++)
        n += w->requests[i].awaited;
    return n;
}

static bool a_stall_is_on(const struct world *w)
{
    for (size_t i = 0; i < w->plan->server.stall_count; i++)
        if (w->stoppages[i].on)
            return true;
    return false;
}

bool work_stands_still(const struct world *w)
{
    for (size_t i = 0; i < w->plan->server.stall_count; i++)
        if (w->stoppages[i].on && w->stoppages[i].stops_work)
            return true;
    return false;
}

static bool answers_are_held(const struct world *w)
{
    for (size_t i = 0; i < w->plan->server.stall_count; i++)
        if (w->stoppages[i].on && w->stoppages[i].holds_answers)
            return true;
    return false;
}

/* The worker of a service that ended in a blackout is not free before its answer is out. */
static bool worker_free(const struct world *w, uint64_t station)
{
    uint64_t workers = w->plan->server.workers;
    return !a_stall_is_on(w) &&
           (workers == UNLIMITED ||
            count_at(w, station, IN_SERVICE) + count_at(w, station, HELD) < workers);
}

/* ---- starts, first come first served at each station ---- */

bool some_can_start(const struct world *w)
{
    for (uint64_t s = 0; s < w->plan->server.replicas; s++)
        if (count_at(w, s, QUEUED) > 0 && worker_free(w, s))
            return true;
    return false;
}

static void start_at(struct world *w, uint64_t station)
{
    for (size_t i = w->first_there; i < w->copy_count; i++) {
        struct copy *copy = &w->copies[i];
        if (copy->place != QUEUED || copy->station != station)
            continue;
        if (!worker_free(w, station))
            return;
        copy->place = IN_SERVICE;
        copy->started = w->now;
    }
}

void start_all(struct world *w)
{
    for (uint64_t s = 0; s < w->plan->server.replicas; s++)
        start_at(w, s);
}

/* ---- something new ---- */

size_t request_new(struct world *w, int64_t order, size_t sender)
{
    if (w->request_count == w->request_room) {
        w->request_room = 2 * w->request_room + 16;
        w->requests = must_grow(w->requests, w->request_room, sizeof *w->requests);
    }
    w->requests[w->request_count] =
        (struct request){.order = order, .sender = sender, .awaited = true, .parts_left = 1};
    return w->request_count++;
}

void copy_new(struct world *w, size_t request, uint64_t station, ns_t work)
{
    if (w->copy_count == w->copy_room) {
        w->copy_room = 2 * w->copy_room + 16;
        w->copies = must_grow(w->copies, w->copy_room, sizeof *w->copies);
    }
    struct request *r = &w->requests[request];
    w->copies[w->copy_count++] = (struct copy){.request = request,
                                               .number = r->sent++,
                                               .station = station,
                                               .place = QUEUED,
                                               .work_left = work};
    r->at_servers++;
}

static const struct resend *resend_of(const struct world *w)
{
    return w->load->resend.type ? w->load->resend.params : NULL;
}

/* Where copy or part j of a request goes. */
static uint64_t station_of(const struct world *w, uint64_t number, uint64_t j)
{
    const struct server *server = &w->plan->server;
    if (server->replicas == 1)
        return 0;
    const struct routing_type *rule = routing(server->routing);
    bool again = j > 0 && w->load->resend.type && is(w->load->resend.type->name, "retry");
    if (again) {
        struct stream own = stream_at(w->routing, UINT64_MAX - j);
        return rule->replica(server->routing.params, own, number, server->replicas);
    }
    return (rule->replica(server->routing.params, w->routing, number, server->replicas) + j) %
           server->replicas;
}

static ns_t work_of(const struct world *w, uint64_t number, uint64_t j)
{
    struct stream stream = j == 0 ? w->service : stream_at(w->service, UINT64_MAX - j);
    return draw(w->plan->server.service, stream, number);
}

static void refuse(struct world *w, struct request *r)
{
    r->awaited = false;
    r->row.status = STATUS_REFUSED;
    r->row.started = r->row.finished = r->row.ended = w->now;
    client_goes_on(w, r);
}

/* False: the queue is full, and the request refused. */
static bool send_copy(struct world *w, size_t request)
{
    struct request *r = &w->requests[request];
    uint64_t limit = w->plan->server.queue_limit, number = r->row.number;
    uint64_t station = station_of(w, number, r->sent);
    w->out->attempts++;
    if (!worker_free(w, station) && limit != UNLIMITED && count_at(w, station, QUEUED) >= limit) {
        refuse(w, r);
        return false;
    }
    copy_new(w, request, station, work_of(w, number, r->sent));
    start_at(w, station);
    return true;
}

/* All that leaves at the send itself: every part, or the first copy, or, after 0, every copy. */
void send_all(struct world *w, size_t request)
{
    const struct resend *resend = resend_of(w);
    uint64_t n = w->load->fan_out;
    w->requests[request].parts_left = n;
    if (resend && resend->after_ns == 0)
        n = resend->copies;
    while (n > 0 && send_copy(w, request))
        n--;
}

void send_again(struct world *w, size_t request)
{
    send_copy(w, request);
}

bool can_be_sent_again(const struct world *w, const struct request *r, ns_t *at)
{
    const struct resend *resend = resend_of(w);
    if (!resend || r->order < 0 || !r->awaited || r->sent >= resend->copies)
        return false;
    *at = r->row.sent + r->sent * resend->after_ns;
    return true;
}

/* ---- and its end ---- */

static void leave(struct world *w, struct copy *copy)
{
    struct request *r = &w->requests[copy->request];
    copy->place = GONE;
    r->at_servers--;
    r->row.ended = w->now;
}

static void cancel_others(struct world *w, size_t request)
{
    const struct resend *resend = resend_of(w);
    if (!resend || resend->cancel == CANCEL_NONE)
        return;
    for (size_t i = w->first_there; i < w->copy_count; i++) {
        struct copy *copy = &w->copies[i];
        bool takes = copy->place == QUEUED || resend->cancel == CANCEL_IN_SERVICE;
        if (copy->request == request && copy->place != GONE && takes)
            leave(w, copy);
    }
}

static void answer(struct world *w, struct copy *copy)
{
    struct request *r = &w->requests[copy->request];
    leave(w, copy);
    if (!r->awaited) {
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
    if (r->order >= 0) {
        w->out->has_answer = true;
        w->out->last_answer = w->now;
        w->pauses_at_answer = w->pause_count;
    }
    client_goes_on(w, r);
    cancel_others(w, copy->request);
}

/* A service is over: its answer is out, unless a blackout keeps it. */
void complete(struct world *w, struct copy *copy)
{
    if (answers_are_held(w)) {
        copy->place = HELD;
        copy->turn = w->turns++;
        return;
    }
    answer(w, copy);
}

/* A stall has ended: where no blackout is on, what they kept comes out, in turn. */
void release_held(struct world *w)
{
    while (!answers_are_held(w)) {
        struct copy *first = NULL;
        for (size_t i = w->first_there; i < w->copy_count; i++) {
            struct copy *copy = &w->copies[i];
            if (copy->place == HELD && (!first || copy->turn < first->turn))
                first = copy;
        }
        if (!first)
            return;
        answer(w, first);
    }
}

void give_up(struct world *w, struct request *r)
{
    r->awaited = false;
    r->row.finished = w->now;
    r->row.status = STATUS_TIMED_OUT;
    client_goes_on(w, r);
}

/* The scenario stops the run: what is under way stays as it is. */
void cut_there(struct world *w)
{
    for (size_t i = 0; i < w->request_count; i++) {
        struct request *r = &w->requests[i];
        if (r->at_servers == 0)
            continue;
        r->row.ended = w->now;
        if (!r->awaited && r->row.status != STATUS_TIMED_OUT)
            continue;
        r->row.started = w->now;
        for (size_t k = w->first_there; k < w->copy_count; k++) {
            const struct copy *copy = &w->copies[k];
            if (copy->request == i && (copy->place == IN_SERVICE || copy->place == HELD))
                r->row.started = copy->started;
        }
        if (!r->awaited)
            continue;
        r->row.finished = w->now;
        r->row.status = STATUS_CUT;
    }
}
