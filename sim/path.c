/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "sim/sim.h"

/* The stations a copy passes, in the order of enum stage; those that the scenario does not name are
   not there. */

static bool has(const struct sim *sim, enum stage stage)
{
    return sim->station_of[stage] != NOBODY;
}

static void open_station(struct sim *sim, enum stage stage, uint64_t workers, struct choice queue)
{
    size_t index = sim->station_count++;
    struct stream picks = sim_stream(sim, PURPOSE_QUEUE);
    sim->stations[index] = (struct station){
        .stage = stage,
        .workers = workers,
        .queue_limit = stage == STAGE_SERVER ? sim->server->queue_limit : UNLIMITED,
        .discipline = queue.type != NULL ? queue_kind(queue) : &queue_fifo,
        .picks = stream_at(picks, index),
        .speed = FULL_SPEED,
        .slowed = {1, 1},
        .next_ns = NEVER,
        .next_order = NEVER,
        .rank = index,
    };
    if (sim->station_of[stage] == NOBODY)
        sim->station_of[stage] = index;
    sim->by_next[index] = index;
}

static void set_up_quotas(struct sim *sim)
{
    const struct quota *quota = &sim->server->quota;
    if (quota->budget_ns == 0)
        return;
    sim->quotas = must_alloc((size_t)sim->server->replicas, sizeof *sim->quotas);
    for (size_t i = 0; i < sim->server->replicas; i++) {
        struct quota_state *q = &sim->quotas[i];
        q->pending.at_ns = NEVER;
        q->members[q->member_count++] = i;
        if (quota->shared && has(sim, STAGE_GENERATOR))
            q->members[q->member_count++] = sim->station_of[STAGE_GENERATOR];
        for (size_t k = 0; k < q->member_count; k++)
            sim->stations[q->members[k]].quota = q;
    }
}

void path_set_up(struct sim *sim)
{
    const struct server *server = sim->server;
    const struct choice fifo = {&queue_fifo.is, NULL};
    size_t most = (size_t)server->replicas + STAGE_COUNT - 1;
    sim->stations = must_alloc(most, sizeof *sim->stations);
    sim->by_next = must_alloc(most, sizeof *sim->by_next);
    sim->prompt.stations = must_alloc(most, sizeof *sim->prompt.stations);
    sim->late.stations = must_alloc(most, sizeof *sim->late.stations);
    sim->assigned = must_alloc((size_t)server->replicas, sizeof *sim->assigned);
    for (size_t i = 0; i < STAGE_COUNT; i++)
        sim->station_of[i] = NOBODY;
    for (uint64_t i = 0; i < server->replicas; i++)
        open_station(sim, STAGE_SERVER, server->workers, server->queue);
    if (server->behind.service.type != NULL)
        open_station(sim, STAGE_BEHIND, server->behind.workers, server->behind.queue);
    if (server->network.delay.type != NULL)
        open_station(sim, STAGE_NETWORK, UNLIMITED, fifo);
    if (sim->load->generator.cost_ns > 0)
        open_station(sim, STAGE_GENERATOR, sim->load->generator.threads, fifo);
    if (sim->load->overhead_ns > 0)
        open_station(sim, STAGE_CLIENT, UNLIMITED, fifo);
    set_up_quotas(sim);
}

void path_tear_down(struct sim *sim)
{
    for (size_t i = 0; i < sim->station_count; i++) {
        free(sim->stations[i].waiting.items);
        free(sim->stations[i].services.items);
    }
    free(sim->stations);
    free(sim->by_next);
    free(sim->prompt.stations);
    free(sim->late.stations);
    free(sim->assigned);
    free(sim->quotas);
}

/* False where it was refused.  One whose sibling has begun is taken back instead of waiting. */
static bool enter(struct sim *sim, size_t copy, enum stage stage)
{
    struct copy *c = &sim->copies[copy];
    const struct request *r = &sim->requests[c->request];
    c->station = sim->station_of[stage] + (stage == STAGE_SERVER ? c->replica : 0);
    c->work_ns = demand_ns(sim, r->number, c->number, stage);
    bool tied = stage == STAGE_SERVER && sim->resend_type != NULL &&
                sim->resend_type->cancels_at_start && r->begun && !r->initial;
    const struct station *station = &sim->stations[c->station];
    if (tied && station->refusing == 0 && !station_can_begin(station)) {
        c->place = PLACE_MOVING;
        copies_withdraw(sim, copy);
        copy_free(sim, copy);
        return true;
    }
    if (station_enter(sim, copy))
        return true;
    copies_refused(sim, copy);
    return false;
}

static bool leave_client(struct sim *sim, size_t copy)
{
    copies_left(sim, copy);
    return enter(sim, copy, has(sim, STAGE_NETWORK) ? STAGE_NETWORK : STAGE_SERVER);
}

bool path_start(struct sim *sim, size_t copy)
{
    return has(sim, STAGE_GENERATOR) ? enter(sim, copy, STAGE_GENERATOR) : leave_client(sim, copy);
}

/* The stage behind the one it has passed; STAGE_COUNT: it is answered. */
static enum stage stage_after(const struct sim *sim, enum stage stage)
{
    for (size_t next = (size_t)stage + 1; next < STAGE_COUNT; next++)
        if (has(sim, (enum stage)next))
            return (enum stage)next;
    return (enum stage)STAGE_COUNT;
}

void path_arrive(struct sim *sim, size_t copy)
{
    const struct copy *c = &sim->copies[copy];
    if (c->place == PLACE_CANCELLED) {
        copy_free(sim, copy);
        return;
    }
    enum stage passed = sim->stations[c->station].stage;
    if (passed == STAGE_GENERATOR)
        leave_client(sim, copy);
    else
        enter(sim, copy, stage_after(sim, passed));
}

void path_leave(struct sim *sim, size_t copy)
{
    struct copy *c = &sim->copies[copy];
    if (c->keeps_worker)
        station_release(sim, c->replica);
    if (c->assigned)
        sim->assigned[c->replica]--;
    c->keeps_worker = c->assigned = false;
}

void path_served(struct sim *sim, size_t copy)
{
    struct copy *c = &sim->copies[copy];
    enum stage passed = sim->stations[c->station].stage, next = stage_after(sim, passed);
    c->keeps_worker |=
        passed == STAGE_SERVER && next == STAGE_BEHIND && sim->server->behind.keeps_worker;
    if (passed != STAGE_SERVER || !c->keeps_worker)
        station_release(sim, c->station);
    if (passed == STAGE_BEHIND || (passed == STAGE_SERVER && !c->keeps_worker))
        path_leave(sim, copy);
    if (next == STAGE_COUNT) {
        copies_answered(sim, copy);
        return;
    }
    c->place = PLACE_MOVING;
    sim_push(sim, sim->now_ns, EVENT_ARRIVAL, c->order, copy);
}
