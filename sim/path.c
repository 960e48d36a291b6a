/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "models/stalls/stall.h"
#include "sim/station.h"

/* The stations a copy passes, in the order of enum stage; those that the scenario does not name are
   not there. */

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
    if (!has_stage(sim, stage))
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
        if (quota->shared && has_stage(sim, STAGE_GENERATOR))
            q->members[q->member_count++] = sim->station_of[STAGE_GENERATOR];
        for (size_t k = 0; k < q->member_count; k++)
            sim->stations[q->members[k]].quota = q;
    }
}

/* Nothing makes a service end between two whole ns of its station's progress. */
static bool progress_is_whole(const struct sim *sim)
{
    bool whole = sim->server->quota.budget_ns == 0;
    for (size_t i = 0; i < sim->station_count; i++)
        whole &= !sim->stations[i].discipline->shares;
    for (size_t i = 0; i < sim->server->stall_count; i++)
        whole &= !sim->server->stalls[i].mode->slows;
    return whole;
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
        sim->station_of[i] = NO_INDEX;
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
    for (size_t i = STAGE_COUNT, next = STAGE_COUNT; i-- > 0;) {
        sim->stage_after[i] = (uint8_t)next;
        next = has_stage(sim, (enum stage)i) ? i : next;
    }
    sim->whole = progress_is_whole(sim);
    sim->steady = sim->whole && server->stall_count == 0;
    sim->tied = sim->resend_type != NULL && sim->resend_type->cancels_at_start;
    sim->straight =
        !has_stage(sim, STAGE_GENERATOR) && !has_stage(sim, STAGE_NETWORK) && !sim->tied;
    sim->alone = sim->straight && !sim->has_further;
    sim->has_lost =
        server->stall_count > 0 || server->quota.budget_ns > 0 || has_stage(sim, STAGE_BEHIND);
    set_up_quotas(sim);
}

void path_tear_down(struct sim *sim)
{
    for (size_t i = 0; i < sim->station_count; i++) {
        const struct station *station = &sim->stations[i];
        sim->totals->busy_area += station->served_ns << PROGRESS_BITS;
        sim->totals->work_done += station->work_done_ns << PROGRESS_BITS;
        sim->totals->running_ns[station->stage] += station->served_ns;
        free(sim->stations[i].waiting.items);
        free(sim->stations[i].services.items);
    }
    free(sim->services.items);
    free(sim->stations);
    free(sim->by_next);
    free(sim->prompt.stations);
    free(sim->late.stations);
    free(sim->assigned);
    free(sim->quotas);
}

/* A copy whose sibling has begun is taken back instead of waiting; true where it was. */
static bool taken_back(struct sim *sim, size_t copy, const struct station *station)
{
    uint32_t request = sim->copies[copy].request;
    if (sim->requests[request].initial || !sim->further[request].begun ||
        station->stage != STAGE_SERVER || station->refusing > 0 || station_can_begin(station))
        return false;
    sim->copies[copy].place = PLACE_MOVING;
    copies_withdraw(sim, copy);
    copy_free(sim, copy);
    return true;
}

/* False where it was refused. */
static bool enter(struct sim *sim, size_t copy, enum stage stage)
{
    struct copy *c = &sim->copies[copy];
    c->station = (uint16_t)(sim->station_of[stage] + (stage == STAGE_SERVER ? c->replica : 0));
    c->work_ns = demand_ns(sim, sim->requests[c->request].number, c->number, stage);
    if (sim->tied && taken_back(sim, copy, &sim->stations[c->station]))
        return true;
    if (station_enter(sim, copy))
        return true;
    copies_refused(sim, copy);
    return false;
}

static bool leave_client(struct sim *sim, size_t copy)
{
    copies_left(sim, copy);
    return enter(sim, copy, has_stage(sim, STAGE_NETWORK) ? STAGE_NETWORK : STAGE_SERVER);
}

bool path_start(struct sim *sim, size_t copy)
{
    return has_stage(sim, STAGE_GENERATOR) ? enter(sim, copy, STAGE_GENERATOR)
                                           : leave_client(sim, copy);
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
        enter(sim, copy, (enum stage)sim->stage_after[passed]);
}

/* Whether its worker stays with it on its way to the station behind. */
static bool keeps_worker(const struct sim *sim, enum stage passed, enum stage next)
{
    return passed == STAGE_SERVER && next == STAGE_BEHIND && sim->server->behind.keeps_worker;
}

void path_served(struct sim *sim, size_t copy)
{
    struct copy *c = &sim->copies[copy];
    struct station *station = &sim->stations[c->station];
    enum stage passed = station->stage, next = (enum stage)sim->stage_after[passed];
    if (keeps_worker(sim, passed, next))
        c->keeps_worker = true;
    else
        station_release(sim, station);
    if (passed == STAGE_BEHIND || (passed == STAGE_SERVER && !c->keeps_worker))
        path_leave(sim, copy);
    if (next == STAGE_COUNT) {
        copies_answered(sim, copy);
        return;
    }
    c->place = PLACE_MOVING;
    sim_push(sim, LANE_ARRIVAL, sim->now_ns, EVENT_ARRIVAL, c->order, copy);
}
