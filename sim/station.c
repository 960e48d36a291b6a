/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/stalls/stall.h"
#include "sim/sim.h"

/* Work of a request: draw `number` of the service stream, whatever was sent before it. */
ns_t station_work_ns(struct sim *sim, uint64_t number)
{
    if (number - sim->drawn_first >= DRAWN_AHEAD || sim->drawn_first == NEVER) {
        sim->drawn_first = number;
        sim->service->draw(sim->server->service.params, sim->service_stream, number, sim->drawn_ns,
                           DRAWN_AHEAD);
    }
    return sim->drawn_ns[number - sim->drawn_first];
}

ns_t station_available_ns(const struct sim *sim)
{
    return sim->available_ns + (sim->suspended ? 0 : sim->now_ns - sim->resumed_ns);
}

ns_t station_next_ns(const struct sim *sim)
{
    if (sim->services.count == 0 || sim->suspended > 0)
        return NEVER;
    return sim->resumed_ns + (sim->services.items[0].at_ns - sim->available_ns);
}

bool station_is_empty(const struct sim *sim)
{
    return sim->busy == 0 && sim->queue.count == 0;
}

static void count_busy(struct sim *sim, bool starts)
{
    ns_t available_ns = station_available_ns(sim);
    sim->totals->busy_area_ns += (u128)sim->busy * (available_ns - sim->busy_since_ns);
    sim->busy_since_ns = available_ns;
    sim->stalls_on_end = 0;
    sim->busy = starts ? sim->busy + 1 : sim->busy - 1;
}

static void start_service(struct sim *sim, size_t index)
{
    struct job *job = &sim->jobs[index];
    count_busy(sim, true);
    job->started_ns = sim->now_ns;
    job->in_service = true;
    ns_t end_ns = station_available_ns(sim) + job->work_ns;
    if (end_ns >= NS_LIMIT) {
        sim->overflow = true;
        return;
    }
    uint64_t order = job->initial ? job->number : job->number + sim->request->initial.count;
    event_push(&sim->services, (struct event){end_ns, event_key(EVENT_COMPLETION, order), index});
}

static bool is_free(const struct sim *sim)
{
    return sim->busy < sim->server->workers && sim->stalled == 0;
}

bool station_enter(struct sim *sim, size_t index)
{
    if (sim->queue.count == 0 && is_free(sim)) {
        start_service(sim, index);
        return true;
    }
    if (sim->queue.count >= sim->server->queue_limit && !sim->jobs[index].initial)
        return false;
    ring_push(&sim->queue, index);
    return true;
}

void station_dispatch(struct sim *sim)
{
    sim->dispatch = false;
    while (sim->queue.count > 0 && is_free(sim))
        start_service(sim, ring_pop(&sim->queue));
}

size_t station_complete(struct sim *sim)
{
    size_t index = (size_t)event_pop(&sim->services).payload;
    count_busy(sim, false);
    sim->totals->work_done_ns += sim->jobs[index].work_ns;
    sim->dispatch = sim->queue.count > 0;
    return index;
}

void station_stall_begin(struct sim *sim, size_t index)
{
    const struct stall *stall = &sim->server->stalls[index];
    bool touches = sim->stalls_begun > 0 && sim->stall_ended_ns == sim->now_ns;
    if (sim->stalled++ == 0 && !touches)
        sim->stalls_begun++;
    if (!station_is_empty(sim))
        sim->stalls_on_end++;
    if (stall->mode->stops_work) {
        sim->available_ns = station_available_ns(sim);
        sim->resumed_ns = sim->now_ns;
        sim->suspended++;
    }
    event_push(&sim->events, (struct event){sim->now_ns + stall->last_ns,
                                            event_key(EVENT_STALL_END, index), index});
}

void station_stall_end(struct sim *sim, size_t index)
{
    const struct stall *stall = &sim->server->stalls[index];
    sim->stall_ended_ns = sim->now_ns;
    if (--sim->stalled == 0)
        sim->dispatch = sim->queue.count > 0;
    if (stall->mode->stops_work && --sim->suspended == 0)
        sim->resumed_ns = sim->now_ns;
    if (stall->every_ns != 0)
        event_push(&sim->events, (struct event){sim->now_ns - stall->last_ns + stall->every_ns,
                                                event_key(EVENT_STALL_BEGIN, index), index});
}

void station_cut(struct sim *sim)
{
    ns_t available_ns = station_available_ns(sim);
    for (size_t i = 0; i < sim->services.count; i++) {
        const struct event *e = &sim->services.items[i];
        sim->totals->work_done_ns += sim->jobs[e->payload].work_ns - (e->at_ns - available_ns);
    }
    sim->totals->busy_area_ns += (u128)sim->busy * (available_ns - sim->busy_since_ns);
}
