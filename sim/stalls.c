/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/stalls/stall.h"
#include "sim/station.h"

/* After so many halvings nothing is lost any more. */
#define HALVINGS_MOST 20

/* Stations first .. first+count-1: those that a stall strikes. */
struct struck {
    size_t first, count;
};

static struct struck struck_by(const struct sim *sim, const struct stall *stall)
{
    static const enum stage stage_of[] = {
        [TARGET_SERVER] = STAGE_SERVER,       [TARGET_REPLICA] = STAGE_SERVER,
        [TARGET_BEHIND] = STAGE_BEHIND,       [TARGET_NETWORK] = STAGE_NETWORK,
        [TARGET_GENERATOR] = STAGE_GENERATOR,
    };
    size_t first = sim->station_of[stage_of[stall->target]];
    switch (stall->target) {
    case TARGET_SERVER: return (struct struck){first, (size_t)sim->server->replicas};
    case TARGET_REPLICA: return (struct struck){first + (size_t)stall->replica, 1};
    case TARGET_BEHIND:
    case TARGET_NETWORK:
    case TARGET_GENERATOR: return (struct struck){first, first != NO_INDEX};
    }
    BUG("a target outside its enum");
}

/* The next duration of a stall that comes and goes at random: up and down in turn.  Those down are
   of a stream of their own, as draws of two distributions may be made of the same word. */
static ns_t draw_ns(struct sim *sim, size_t stall, struct choice choice)
{
    ns_t out_ns;
    uint64_t turn = sim->stall_states[stall].drawn++;
    struct stream own = stream_at(sim_stream(sim, PURPOSE_STALLS), stall);
    if (turn % 2 == 1)
        own = stream_at(own, UINT64_MAX);
    distribution(choice)->draw(choice.params, own, turn, &out_ns, 1);
    return out_ns;
}

static void push(struct sim *sim, ns_t at_ns, enum event_class class, size_t stall)
{
    sim_push(sim, LANE_NONE, at_ns, class, stall, stall);
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

/* by * (1 - lost / 2^halvings). */
static struct fraction less(struct sim *sim, struct fraction by, struct ratio lost,
                            unsigned halvings)
{
    u128 den = (u128)lost.den << halvings, num = den - lost.num;
    uint64_t g = den < NS_LIMIT ? gcd_u64((uint64_t)den, (uint64_t)num) : 1;
    u128 whole_num = by.num * (num / g), whole_den = by.den * (den / g);
    if (whole_den >= NS_LIMIT) {
        sim->overflow = true;
        return by;
    }
    g = gcd_u64((uint64_t)whole_num, (uint64_t)whole_den);
    return (struct fraction){(uint64_t)whole_num / g, (uint64_t)whole_den / g};
}

/* What all that slow the station leave of its speed. */
static struct fraction slowed(struct sim *sim, size_t station)
{
    struct fraction left = {1, 1};
    for (size_t i = 0; i < sim->server->stall_count; i++) {
        const struct stall *stall = &sim->server->stalls[i];
        const struct stall_state *state = &sim->stall_states[i];
        struct struck struck = struck_by(sim, stall);
        if (state->on && stall->mode->slows && state->halvings < HALVINGS_MOST &&
            station - struck.first < struck.count)
            left = less(sim, left, stall->lost, state->halvings);
    }
    return left;
}

/* A stall begins (by 1), ends (by -1), or has lost half of its force (by 0). */
static void strike(struct sim *sim, size_t index, uint32_t by)
{
    const struct stall *stall = &sim->server->stalls[index];
    struct struck struck = struck_by(sim, stall);
    for (size_t i = struck.first; i < struck.first + struck.count; i++) {
        struct station *station = &sim->stations[i];
        station_advance(sim, station);
        station->stopped += stall->mode->stops_starts ? by : 0;
        station->suspended += stall->mode->stops_work ? by : 0;
        station->holding += stall->mode->holds_answers ? by : 0;
        station->refusing += stall->mode->refuses ? by : 0;
        if (stall->mode->slows)
            station->slowed = slowed(sim, i);
        station_changed(sim, station);
        station_want_dispatch(sim, station);
    }
}

static void plan_halving(struct sim *sim, size_t index)
{
    const struct stall *stall = &sim->server->stalls[index];
    struct stall_state *state = &sim->stall_states[index];
    if (stall->halves_ns == 0 || state->halvings == HALVINGS_MOST)
        return;
    state->next_halving_ns = sim->now_ns + stall->halves_ns;
    size_t event = sim->server->stall_count + (size_t)sim->server->replicas + index;
    push(sim, state->next_halving_ns, EVENT_STALL_BEGIN, event);
}

/* What a slowing stall takes has become half of what it was, unless that stall has ended. */
static void halve(struct sim *sim, size_t index)
{
    struct stall_state *state = &sim->stall_states[index];
    if (!state->on || state->next_halving_ns != sim->now_ns)
        return;
    state->halvings++;
    strike(sim, index, 0);
    plan_halving(sim, index);
}

static void stall_begin(struct sim *sim, size_t index)
{
    const struct stall *stall = &sim->server->stalls[index];
    struct stall_state *state = &sim->stall_states[index];
    bool touches = sim->stalls_begun > 0 && sim->stall_ended_ns == sim->now_ns;
    if (sim->stalled++ == 0 && !touches)
        sim->stalls_begun++;
    sim->stalls_on_end += sim->copies_there > 0;
    state->on = true;
    state->halvings = 0;
    strike(sim, index, 1);
    plan_halving(sim, index);
    ns_t last_ns = stall->up.type != NULL ? draw_ns(sim, index, stall->down) : stall->last_ns;
    push(sim, sim->now_ns + last_ns, EVENT_STALL_END, index);
}

/* Answers that are held back no more leave in the order in which their services ended. */
static void release_held(struct sim *sim)
{
    for (size_t left = sim->held.count; left > 0; left--) {
        size_t copy = ring_pop(&sim->held);
        struct copy *c = &sim->copies[copy];
        struct station *station = &sim->stations[c->station];
        if (c->place == PLACE_CANCELLED) {
            copy_free(sim, copy);
            continue;
        }
        if (station->holding > 0) {
            ring_push(&sim->held, copy);
            continue;
        }
        station_lost(sim, station, copy, sim->now_ns - sim->lost[copy].held_since_ns);
        path_served(sim, copy);
    }
}

static void stall_end(struct sim *sim, size_t index)
{
    const struct stall *stall = &sim->server->stalls[index];
    sim->stall_ended_ns = sim->now_ns;
    sim->stalled--;
    sim->stall_states[index].on = false;
    strike(sim, index, -1u);
    if (stall->mode->holds_answers)
        release_held(sim);
    if (stall->up.type != NULL)
        push(sim, sim->now_ns + draw_ns(sim, index, stall->up), EVENT_STALL_BEGIN, index);
    else if (stall->every_ns != 0)
        push(sim, sim->now_ns - stall->last_ns + stall->every_ns, EVENT_STALL_BEGIN, index);
}

/* Events of stalls: first the stalls themselves, then the quotas, then what dies away. */
void stalls_begin(struct sim *sim, size_t event)
{
    size_t stalls = sim->server->stall_count, quotas = (size_t)sim->server->replicas;
    if (event < stalls)
        stall_begin(sim, event);
    else if (event < stalls + quotas)
        quota_look(sim, event - stalls, false);
    else
        halve(sim, event - stalls - quotas);
}

void stalls_end(struct sim *sim, size_t event)
{
    size_t stalls = sim->server->stall_count;
    if (event < stalls)
        stall_end(sim, event);
    else
        quota_renew(sim, event - stalls);
}
