/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/stalls/stall.h"
#include "sim/sim.h"

/* The next duration of a stall that comes and goes at random: up and down in turn. */
static ns_t draw_ns(struct sim *sim, size_t stall, struct choice choice)
{
    ns_t out_ns;
    struct stream own = stream_at(sim_stream(sim, PURPOSE_STALLS), stall);
    distribution(choice)->draw(choice.params, own, sim->stall_draws[stall]++, &out_ns, 1);
    return out_ns;
}

static void push(struct sim *sim, ns_t at_ns, enum event_class class, size_t stall)
{
    if (at_ns >= NS_LIMIT)
        sim->overflow = true;
    event_push(&sim->events, (struct event){at_ns, event_key(class, stall), stall});
}

void stalls_start(struct sim *sim)
{
    for (size_t i = 0; i < sim->server->stall_count; i++) {
        const struct stall *stall = &sim->server->stalls[i];
        if (stall->up.type != NULL)
            push(sim, draw_ns(sim, i, stall->up), EVENT_STALL_BEGIN, i);
        else if (stall->last_ns > 0)
            push(sim, stall->first_ns, EVENT_STALL_BEGIN, i);
    }
}

void stall_begin(struct sim *sim, size_t index)
{
    const struct stall *stall = &sim->server->stalls[index];
    bool touches = sim->stalls_begun > 0 && sim->stall_ended_ns == sim->now_ns;
    if (sim->stalled++ == 0 && !touches)
        sim->stalls_begun++;
    sim->stalls_on_end += sim->at_server > 0;
    if (stall->mode->stops_work) {
        sim->available_ns = station_available_ns(sim);
        sim->resumed_ns = sim->now_ns;
        sim->suspended++;
    }
    sim->holding += stall->mode->holds_answers;
    ns_t last_ns = stall->up.type != NULL ? draw_ns(sim, index, stall->down) : stall->last_ns;
    push(sim, sim->now_ns + last_ns, EVENT_STALL_END, index);
}

/* Answers that were held back leave in the order in which their services ended. */
static void release_held(struct sim *sim)
{
    while (sim->held.count > 0) {
        size_t copy = ring_pop(&sim->held);
        if (sim->copies[copy].place == PLACE_CANCELLED) {
            copy_free(sim, copy);
            continue;
        }
        station_leave(sim, copy);
        copies_answered(sim, copy);
    }
}

void stall_end(struct sim *sim, size_t index)
{
    const struct stall *stall = &sim->server->stalls[index];
    sim->stall_ended_ns = sim->now_ns;
    sim->stalled--;
    if (stall->mode->stops_work && --sim->suspended == 0)
        sim->resumed_ns = sim->now_ns;
    sim->holding -= stall->mode->holds_answers;
    if (sim->holding == 0)
        release_held(sim);
    for (size_t i = 0; i < sim->server->replicas && sim->stalled == 0; i++)
        station_want_dispatch(sim, i);
    if (stall->up.type != NULL)
        push(sim, sim->now_ns + draw_ns(sim, index, stall->up), EVENT_STALL_BEGIN, index);
    else if (stall->every_ns != 0)
        push(sim, sim->now_ns - stall->last_ns + stall->every_ns, EVENT_STALL_BEGIN, index);
}
