/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/sim.h"

/* Work of copy 0 is draw `number` of the service stream, whatever was sent before it; further
   copies and parts draw from streams of their own. */
ns_t station_work_ns(struct sim *sim, uint64_t number, uint64_t copy)
{
    const void *params = sim->server->service.params;
    if (copy > 0) {
        ns_t work_ns;
        struct stream own = stream_at(sim->service_stream, UINT64_MAX - copy);
        sim->service->draw(params, own, number, &work_ns, 1);
        return work_ns;
    }
    if (number - sim->drawn_first >= DRAWN_AHEAD || sim->drawn_first == NEVER) {
        sim->drawn_first = number;
        sim->service->draw(params, sim->service_stream, number, sim->drawn_ns, DRAWN_AHEAD);
    }
    return sim->drawn_ns[number - sim->drawn_first];
}

ns_t station_available_ns(const struct sim *sim)
{
    return sim->available_ns + (sim->suspended ? 0 : sim->now_ns - sim->resumed_ns);
}

/* A cancelled service stays in the heap until it comes to the top. */
ns_t station_next_ns(struct sim *sim)
{
    while (sim->services.count > 0) {
        size_t top = (size_t)sim->services.items[0].payload;
        if (sim->copies[top].place != PLACE_CANCELLED)
            break;
        event_pop(&sim->services);
        copy_free(sim, top);
    }
    if (sim->services.count == 0 || sim->suspended > 0)
        return NEVER;
    return sim->resumed_ns + (sim->services.items[0].at_ns - sim->available_ns);
}

static void count_working(struct sim *sim, bool starts)
{
    ns_t available_ns = station_available_ns(sim);
    sim->totals->busy_area_ns += (u128)sim->working * (available_ns - sim->working_since_ns);
    sim->working_since_ns = available_ns;
    sim->stalls_on_end = 0;
    sim->working = starts ? sim->working + 1 : sim->working - 1;
}

static void start_service(struct sim *sim, size_t copy)
{
    struct copy *c = &sim->copies[copy];
    count_working(sim, true);
    sim->stations[c->station].occupied++;
    c->started_ns = sim->now_ns;
    c->place = PLACE_SERVICE;
    c->ends_ns = station_available_ns(sim) + c->work_ns;
    if (c->ends_ns >= NS_LIMIT) {
        sim->overflow = true;
        return;
    }
    event_push(&sim->services,
               (struct event){c->ends_ns, event_key(EVENT_COMPLETION, c->order), copy});
}

static bool is_free(const struct sim *sim, const struct station *station)
{
    return station->occupied < sim->server->workers && sim->stalled == 0;
}

void station_queue(struct sim *sim, size_t copy)
{
    struct copy *c = &sim->copies[copy];
    c->place = PLACE_QUEUE;
    ring_push(&sim->stations[c->station].queue, copy);
    sim->stations[c->station].waiting++;
    sim->at_server++;
    station_want_dispatch(sim, c->station);
}

bool station_enter(struct sim *sim, size_t copy)
{
    struct station *station = &sim->stations[sim->copies[copy].station];
    if (station->waiting == 0 && is_free(sim, station)) {
        sim->at_server++;
        start_service(sim, copy);
        return true;
    }
    if (station->waiting >= sim->server->queue_limit)
        return false;
    station_queue(sim, copy);
    return true;
}

void station_want_dispatch(struct sim *sim, size_t station)
{
    if (sim->stations[station].listed || sim->stations[station].waiting == 0)
        return;
    sim->stations[station].listed = true;
    sim->to_dispatch[sim->to_dispatch_count++] = station;
}

void station_dispatch(struct sim *sim)
{
    while (sim->to_dispatch_count > 0) {
        struct station *station = &sim->stations[sim->to_dispatch[--sim->to_dispatch_count]];
        station->listed = false;
        while (station->waiting > 0 && is_free(sim, station)) {
            size_t copy = ring_pop(&station->queue);
            if (sim->copies[copy].place == PLACE_CANCELLED) {
                copy_free(sim, copy);
                continue;
            }
            station->waiting--;
            start_service(sim, copy);
        }
    }
}

size_t station_complete(struct sim *sim)
{
    size_t copy = (size_t)event_pop(&sim->services).payload;
    count_working(sim, false);
    sim->totals->work_done_ns += sim->copies[copy].work_ns;
    return copy;
}

void station_leave(struct sim *sim, size_t copy)
{
    size_t station = sim->copies[copy].station;
    sim->at_server--;
    sim->stations[station].occupied--;
    station_want_dispatch(sim, station);
}

/* What was done of a service that is broken off counts as work done. */
void station_cancel(struct sim *sim, size_t copy)
{
    struct copy *c = &sim->copies[copy];
    switch (c->place) {
    case PLACE_QUEUE:
        sim->at_server--;
        sim->stations[c->station].waiting--;
        break;
    case PLACE_SERVICE:
        count_working(sim, false);
        sim->totals->work_done_ns += c->work_ns - (c->ends_ns - station_available_ns(sim));
        station_leave(sim, copy);
        break;
    case PLACE_HELD: station_leave(sim, copy); break;
    case PLACE_FREE:
    case PLACE_CANCELLED: BUG("a copy is cancelled that is not there");
    }
    c->place = PLACE_CANCELLED;
}

void station_cut(struct sim *sim)
{
    ns_t available_ns = station_available_ns(sim);
    for (size_t i = 0; i < sim->services.count; i++) {
        const struct event *e = &sim->services.items[i];
        if (sim->copies[e->payload].place != PLACE_CANCELLED)
            sim->totals->work_done_ns +=
                sim->copies[e->payload].work_ns - (e->at_ns - available_ns);
    }
    sim->totals->busy_area_ns += (u128)sim->working * (available_ns - sim->working_since_ns);
}
