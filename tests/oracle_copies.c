/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/policies/resend.h"
#include "models/routing/routing.h"
#include "tests/oracle_world.h"

/* ---- who is there ---- */

uint64_t copies_there(const struct world *w)
{
    return count_all(w, ON_ITS_WAY) + count_all(w, WAITING) + count_all(w, IN_SERVICE) +
           count_all(w, HELD);
}

uint64_t in_flight(const struct world *w)
{
    uint64_t n = 0;
    for (size_t i = w->first_awaited; i < w->request_count; i++)
        n += w->requests[i].awaited && w->requests[i].is_sent;
    return n;
}

/* Copies that have left the client for that replica and are not done with it. */
static uint64_t in_flight_to(const struct world *w, uint64_t replica)
{
    uint64_t n = 0;
    for (size_t i = w->first_there; i < w->copy_count; i++) {
        const struct copy *copy = &w->copies[i];
        n += copy->is_sent && copy->place != GONE && !copy->left_server && copy->replica == replica;
    }
    return n;
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

static size_t copy_new(struct world *w, size_t request)
{
    if (w->copy_count == w->copy_room) {
        w->copy_room = 2 * w->copy_room + 16;
        w->copies = must_grow(w->copies, w->copy_room, sizeof *w->copies);
        w->work_left = must_grow(w->work_left, w->copy_room, sizeof *w->work_left);
    }
    struct request *r = &w->requests[request];
    w->copies[w->copy_count] =
        (struct copy){.request = request, .number = r->copies++, .keeps = NOBODY};
    r->there++;
    w->stations[0].copies[ON_ITS_WAY]++;
    return w->copy_count++;
}

static void wait_at(struct world *w, size_t index)
{
    move(w, index, w->copies[index].station, WAITING);
    w->copies[index].turn = w->turns++;
    quota_stops_one(w, w->copies[index].station);
}

void job_new(struct world *w, size_t request, uint64_t replica, ns_t work)
{
    size_t index = copy_new(w, request);
    struct copy *copy = &w->copies[index];
    w->requests[request].is_sent = true;
    copy->is_sent = true;
    copy->replica = replica;
    copy->drawn_ns = work;
    move(w, index, station_of_server(replica), ON_ITS_WAY);
    wait_at(w, index);
}

/* ---- what it needs ---- */

/* Copy j takes from a stream of its own, or of a list what is behind that of copy j - 1. */
static ns_t draw_copy(struct choice c, struct stream own, uint64_t number, uint64_t j)
{
    return draw(c, own, distribution(c)->random ? number : number + j);
}

static ns_t network_delay(const struct world *w, uint64_t number, uint64_t j)
{
    const struct network *network = &w->plan->server.network;
    struct stream own = j == 0 ? w->network : stream_at(w->network, UINT64_MAX - 1 - j);
    uint64_t word = stream_word(stream_at(own, UINT64_MAX), number);
    bool delayed = happens(word, ratio_double(network->probability));
    return delayed ? draw_copy(network->delay, own, number, j) : 0;
}

static ns_t work_at(const struct world *w, const struct copy *copy)
{
    const struct server *server = &w->plan->server;
    uint64_t number = w->requests[copy->request].row.number, j = copy->number;
    switch (w->stations[copy->station].leg) {
    case LEG_GENERATOR: return w->load->generator.cost_ns;
    case LEG_NETWORK: return network_delay(w, number, j);
    case LEG_SERVER:
        j = w->load->work == WORK_PER_REQUEST ? 0 : j;
        return draw_copy(server->service,
                         j == 0 ? w->service : stream_at(w->service, UINT64_MAX - j), number, j);
    case LEG_BEHIND:
        j = w->load->work == WORK_PER_REQUEST ? 0 : j;
        return draw_copy(server->behind.service,
                         j == 0 ? w->behind : stream_at(w->behind, UINT64_MAX - j), number, j);
    case LEG_CLIENT: return w->load->overhead_ns;
    }
    BUG("a leg outside its enum");
}

/* Where copy or part j of a request goes. */
static uint64_t replica_for(const struct world *w, const struct request *r, uint64_t j)
{
    const struct server *server = &w->plan->server;
    uint64_t number = r->row.number, there[REPLICAS_MOST];
    if (server->replicas == 1)
        return 0;
    if (j > 0 && !(w->load->resend.type && is(w->load->resend.type->name, "retry")))
        return (r->first_replica + j) % server->replicas;
    for (uint64_t i = 0; i < server->replicas; i++)
        there[i] = in_flight_to(w, i);
    struct stream stream = j == 0 ? w->routing : stream_at(w->routing, UINT64_MAX - j);
    return routing(server->routing)
        ->replica(server->routing.params, stream, number, server->replicas, there);
}

/* ---- its way ---- */

/* The worker that waits for the copy waits no longer. */
static void let_worker_go(struct world *w, struct copy *copy)
{
    if (copy->keeps != NOBODY)
        w->stations[copy->keeps].kept--;
    copy->keeps = NOBODY;
}

static void gone(struct world *w, size_t index)
{
    struct copy *copy = &w->copies[index];
    struct request *r = &w->requests[copy->request];
    move(w, index, copy->station, GONE);
    let_worker_go(w, copy);
    r->there--;
    r->row.ended = w->now;
}

void cancel(struct world *w, size_t index)
{
    const struct copy *copy = &w->copies[index];
    struct request *r = &w->requests[copy->request];
    w->out->cancelled++;
    if (copy->begun && !r->awaited && r->row.status == STATUS_TIMED_OUT)
        r->row.started = copy->started;
    gone(w, index);
}

static void leaves_client(struct world *w, size_t index)
{
    struct copy *copy = &w->copies[index];
    struct request *r = &w->requests[copy->request];
    copy->replica = replica_for(w, r, copy->number);
    copy->is_sent = true;
    copy->sent_at = w->now;
    w->out->attempts++;
    if (r->is_sent)
        return;
    r->first_replica = copy->replica;
    sent_first(w, r);
}

/* One of tied copies that would have to wait where another has begun. */
static bool is_withdrawn(const struct world *w, const struct copy *copy)
{
    const struct resend_type *type = (const void *)w->load->resend.type;
    for (size_t i = w->first_there; type && type->cancels_at_start && i < w->copy_count; i++)
        if (w->copies[i].request == copy->request && w->copies[i].begun)
            return true;
    return false;
}

/* The copy reaches a station, and the request may end there. */
static void enter(struct world *w, size_t index, size_t station)
{
    struct copy *copy = &w->copies[index];
    move(w, index, station, ON_ITS_WAY);
    copy->drawn_ns = work_at(w, copy);
    bool refused = arrivals_are_refused(w, station);
    if (!refused && begins_at_once(w, station)) {
        begin_service(w, index);
        return;
    }
    if (!refused && w->stations[station].leg == LEG_SERVER && is_withdrawn(w, copy)) {
        cancel(w, index);
        return;
    }
    if (!refused && !queue_is_full(w, station)) {
        wait_at(w, index);
        return;
    }
    gone(w, index);
    if (w->requests[copy->request].awaited)
        refuse(w, &w->requests[copy->request]);
}

void go_on(struct world *w, size_t index)
{
    struct copy *copy = &w->copies[index];
    if (w->stations[copy->station].leg == LEG_GENERATOR)
        leaves_client(w, index);
    enter(w, index, station_after(w, copy->station, copy->replica));
}

bool send_copy(struct world *w, size_t request)
{
    size_t index = copy_new(w, request);
    if (w->stations[0].exists)
        enter(w, index, 0);
    else
        go_on(w, index); /* as if it left one */
    return w->requests[request].awaited;
}

/* Its service there is over and nothing holds it: it goes on, or is back at the client. */
void leave_station(struct world *w, size_t index)
{
    struct copy *copy = &w->copies[index];
    enum leg leg = w->stations[copy->station].leg;
    if (leg == LEG_SERVER && w->plan->server.behind.service.type &&
        w->plan->server.behind.keeps_worker) {
        copy->keeps = copy->station;
        w->stations[copy->station].kept++;
    } else if (leg == LEG_SERVER || leg == LEG_BEHIND) {
        copy->left_server = true;
        let_worker_go(w, copy);
    }
    if (station_after(w, copy->station, copy->replica) != NOBODY) {
        move(w, index, copy->station, ON_ITS_WAY);
        return;
    }
    gone(w, index);
    answer(w, index);
}

/* A service is over: the copy leaves, unless a blackout keeps it. */
void complete(struct world *w, size_t index)
{
    struct copy *copy = &w->copies[index];
    if (answers_are_held(w, copy->station)) {
        move(w, index, copy->station, HELD);
        copy->turn = w->turns++;
        return;
    }
    leave_station(w, index);
}
