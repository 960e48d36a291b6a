/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/sim.h"

static uint64_t running(const struct station *station)
{
    if (station->suspended > 0)
        return 0;
    return station->serving < station->workers ? station->serving : station->workers;
}

/* All sums are modulo 2^128: both sides of the identity that compares them are. */
void station_advance(struct sim *sim, struct station *station)
{
    ns_t passed_ns = sim->now_ns - station->at_ns;
    station->at_ns = sim->now_ns;
    station->stopped_ns += station->stopped > 0 ? passed_ns : 0;
    if (station->suspended > 0) {
        station->standing_ns += passed_ns;
        return;
    }
    if (station->serving == 0 || passed_ns == 0)
        return;
    u128 step = station->speed * passed_ns;
    station->progress += step;
    sim->totals->busy_area += step * station->serving;
    sim->totals->running_ns[station->stage] += (u128)running(station) * passed_ns;
}

/* Rounded up, so that a service that is to end at a whole ns does. */
static u128 speed_of(struct sim *sim, const struct station *station)
{
    uint64_t num = station->slowed.num, den = station->slowed.den;
    bool shared = station->discipline->shares && station->serving > station->workers;
    if (num == den && !shared)
        return FULL_SPEED;
    u128 above = shared ? (u128)num * station->workers : num;
    u128 below = shared ? (u128)den * station->serving : den;
    if (above >> PROGRESS_BITS != 0)
        sim->overflow = true;
    return ((above << PROGRESS_BITS) + below - 1) / below;
}

static ns_t next_completion_ns(const struct station *station)
{
    if (station->services.count == 0)
        return NEVER;
    u128 ends = station->services.items[0].ends;
    if (ends <= station->progress)
        return station
            ->at_ns; /* even where a quota was used up as it was done, within the last ns */
    if (station->suspended > 0)
        return NEVER;
    u128 left = ends - station->progress;
    u128 wait_ns = station->speed == FULL_SPEED
                       ? (left >> PROGRESS_BITS) + ((uint64_t)left != 0)
                       : left / station->speed + (left % station->speed != 0);
    return wait_ns < NS_LIMIT - station->at_ns ? station->at_ns + (ns_t)wait_ns : NS_LIMIT;
}

static bool comes_before(const struct sim *sim, size_t a, size_t b)
{
    const struct station *first = &sim->stations[a], *second = &sim->stations[b];
    return first->next_ns < second->next_ns ||
           (first->next_ns == second->next_ns && first->next_order < second->next_order);
}

static void place_at(struct sim *sim, size_t rank, size_t station)
{
    sim->by_next[rank] = station;
    sim->stations[station].rank = rank;
}

/* Puts the station where its next completion belongs. */
static void reorder(struct sim *sim, size_t station)
{
    size_t i = sim->stations[station].rank;
    for (; i > 0 && comes_before(sim, station, sim->by_next[(i - 1) / 2]); i = (i - 1) / 2)
        place_at(sim, i, sim->by_next[(i - 1) / 2]);
    for (size_t child = 2 * i + 1; child < sim->station_count; child = 2 * i + 1) {
        if (child + 1 < sim->station_count &&
            comes_before(sim, sim->by_next[child + 1], sim->by_next[child]))
            child++;
        if (!comes_before(sim, sim->by_next[child], station))
            break;
        place_at(sim, i, sim->by_next[child]);
        i = child;
    }
    place_at(sim, i, station);
}

/* A cancelled service stays in the heap until it comes to the top. */
void station_changed(struct sim *sim, struct station *station)
{
    while (station->services.count > 0 &&
           sim->copies[station->services.items[0].copy].place == PLACE_CANCELLED)
        copy_free(sim, services_take(&station->services, 0));
    station->speed = speed_of(sim, station);
    station->next_ns = next_completion_ns(station);
    station->next_order = NEVER;
    if (station->next_ns < NS_LIMIT) {
        u128 wait_ns = station->next_ns - station->at_ns;
        u128 step =
            station->speed == FULL_SPEED ? wait_ns << PROGRESS_BITS : station->speed * wait_ns;
        size_t first = services_first(sim, station, station->progress + step);
        station->next_order = station->services.items[first].order;
    }
    if (sim->station_count > 1)
        reorder(sim, (size_t)(station - sim->stations));
    if (station->quota != NULL)
        quota_changed(sim, station->quota);
}

ns_t station_next_ns(const struct sim *sim)
{
    return sim->stations[sim->by_next[0]].next_ns;
}

/* Whether a stall at the station comes before the start at the server, or after it. */
ns_t *station_stalled_ns(const struct station *station, struct copy *copy)
{
    return station->stage < STAGE_SERVER ? &copy->waited_stalled_ns : &copy->served_stalled_ns;
}

/* It has waited here until now; of that, the stalls. */
static void note_wait(const struct sim *sim, const struct station *station, struct copy *copy)
{
    ns_t stopped_ns = station->stopped_ns - copy->mark_ns;
    copy->mark_ns = station->standing_ns;
    if (station->stage <= STAGE_SERVER) {
        copy->waited_stalled_ns += stopped_ns;
        return;
    }
    copy->served_stalled_ns += stopped_ns;
    copy->waited_behind_ns += sim->now_ns - copy->entered_ns - stopped_ns;
}

static void start_service(struct sim *sim, size_t copy)
{
    struct copy *c = &sim->copies[copy];
    struct station *station = &sim->stations[c->station];
    station_advance(sim, station);
    note_wait(sim, station, c);
    if (station->stage == STAGE_SERVER) {
        c->work_ns = demand_among_ns(sim, c->work_ns, station->waiting_count + station->serving);
        c->started_ns = sim->now_ns;
    }
    if (station->serving == 0 && station->services.count == 0)
        station->progress = 0;
    station->occupied++;
    station->serving++;
    c->place = PLACE_SERVICE;
    c->ends = station->progress + ((u128)c->work_ns << PROGRESS_BITS);
    services_add(&station->services, (struct service){c->ends, c->order, copy});
    sim->stalls_on_end = 0;
    station_changed(sim, station);
    if (station->stage == STAGE_SERVER)
        copies_begun(sim, copy);
}

static bool has_room(const struct station *station)
{
    return station->stopped == 0 &&
           (station->discipline->shares || station->occupied < station->workers);
}

/* A worker that is free takes one of those that wait at the end of this instant; in a stall none
   does. */
static bool is_full(const struct station *station)
{
    if (station->queue_limit == UNLIMITED || station->workers == UNLIMITED)
        return false;
    u128 there = (u128)station->waiting_count + station->occupied;
    if (station->stopped > 0 && !station->discipline->shares)
        return station->waiting_count >= station->queue_limit;
    return there >= (u128)station->workers + station->queue_limit;
}

/* Where all share, the limit is on those beyond the workers, though none of them waits. */
bool station_can_begin(const struct station *station)
{
    return station->waiting_count == 0 && has_room(station) &&
           !(station->discipline->shares && is_full(station));
}

void station_queue(struct sim *sim, size_t copy)
{
    struct copy *c = &sim->copies[copy];
    struct station *station = &sim->stations[c->station];
    c->place = PLACE_QUEUE;
    station->discipline->push(&station->waiting, copy, c->work_ns);
    station->waiting_count++;
    if (station->quota != NULL)
        quota_waits(sim, station->quota);
    station_want_dispatch(sim, c->station);
}

bool station_enter(struct sim *sim, size_t copy)
{
    struct copy *c = &sim->copies[copy];
    struct station *station = &sim->stations[c->station];
    station_advance(sim, station);
    c->mark_ns = station->stopped_ns;
    c->entered_ns = sim->now_ns;
    if (station->refusing > 0)
        return false;
    if (station_can_begin(station)) {
        start_service(sim, copy);
        return true;
    }
    if (is_full(station))
        return false;
    station_queue(sim, copy);
    return true;
}

void station_want_dispatch(struct sim *sim, size_t index)
{
    struct station *station = &sim->stations[index];
    if (station->waiting_count == 0)
        return;
    if (station->listed) {
        station->wanted_again = true;
        return;
    }
    struct dispatch_list *list = station->discipline->late ? &sim->late : &sim->prompt;
    station->listed = true;
    list->stations[list->count++] = index;
}

static size_t pick(struct station *station)
{
    uint64_t word =
        station->discipline->random ? stream_word(station->picks, station->pick_count++) : 0;
    return station->discipline->pop(&station->waiting, word);
}

static void dispatch(struct sim *sim, struct station *station)
{
    while (station->waiting_count > 0 && has_room(station)) {
        size_t copy = pick(station);
        if (sim->copies[copy].place == PLACE_CANCELLED) {
            copy_free(sim, copy);
            continue;
        }
        station->waiting_count--;
        start_service(sim, copy);
    }
}

/* The place of a station on the way from the client to the servers and back. */
static size_t on_the_way(const struct sim *sim, size_t station)
{
    return (size_t)sim->stations[station].stage * (REPLICAS_MOST + STAGE_COUNT) + station;
}

/* Drops the first of a list, but those that were wanted again meanwhile. */
static void forget_dispatched(struct sim *sim, struct dispatch_list *list, size_t dropped)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct station *station = &sim->stations[list->stations[i]];
        if (i < dropped && !station->wanted_again) {
            station->listed = false;
            continue;
        }
        station->wanted_again = false;
        list->stations[kept++] = list->stations[i];
    }
    list->count = kept;
}

/* A start may take back a copy that waits elsewhere, so the order of the stations tells. */
void station_dispatch(struct sim *sim, struct dispatch_list *list)
{
    for (size_t i = 1; i < list->count; i++) {
        size_t station = list->stations[i], k = i;
        for (; k > 0 && on_the_way(sim, station) < on_the_way(sim, list->stations[k - 1]); k--)
            list->stations[k] = list->stations[k - 1];
        list->stations[k] = station;
    }
    size_t count = list->count;
    for (size_t i = 0; i < count; i++)
        sim->stations[list->stations[i]].wanted_again = false;
    for (size_t i = 0; i < count; i++)
        dispatch(sim, &sim->stations[list->stations[i]]);
    forget_dispatched(sim, list, count);
}

static void end_service(struct sim *sim, struct station *station, struct copy *copy)
{
    station->serving--;
    sim->stalls_on_end = 0;
    *station_stalled_ns(station, copy) += station->standing_ns - copy->mark_ns;
}

void station_complete(struct sim *sim)
{
    struct station *station = &sim->stations[sim->by_next[0]];
    station_advance(sim, station);
    size_t first = services_first(sim, station, station->progress);
    size_t copy = services_take(&station->services, first);
    struct copy *c = &sim->copies[copy];
    sim->totals->work_done += ((u128)c->work_ns << PROGRESS_BITS) + (station->progress - c->ends);
    end_service(sim, station, c);
    station_changed(sim, station);
    if (station->holding > 0) {
        c->place = PLACE_HELD;
        c->held_since_ns = sim->now_ns;
        ring_push(&sim->held, copy);
        return;
    }
    path_served(sim, copy);
}

void station_release(struct sim *sim, size_t station)
{
    sim->stations[station].occupied--;
    station_want_dispatch(sim, station);
}

/* What was done of a service that is broken off counts as work done. */
bool station_cancel(struct sim *sim, size_t copy)
{
    struct copy *c = &sim->copies[copy];
    struct station *station = &sim->stations[c->station];
    enum whereabouts place = c->place;
    c->place = PLACE_CANCELLED;
    switch (place) {
    case PLACE_QUEUE:
        station->waiting_count--;
        if (station->discipline->remove == NULL)
            return false;
        station->discipline->remove(&station->waiting, copy);
        return true;
    case PLACE_SERVICE:
        station_advance(sim, station);
        sim->totals->work_done +=
            ((u128)c->work_ns << PROGRESS_BITS) - (c->ends - station->progress);
        end_service(sim, station, c);
        station_release(sim, c->station);
        station_changed(sim, station);
        return false;
    case PLACE_HELD: station_release(sim, c->station); return false;
    case PLACE_MOVING: return false;
    case PLACE_FREE:
    case PLACE_CANCELLED: break;
    }
    BUG("a copy is cancelled that is not there");
}

void station_cut(struct sim *sim)
{
    for (size_t i = 0; i < sim->station_count; i++) {
        struct station *station = &sim->stations[i];
        station_advance(sim, station);
        for (size_t k = 0; k < station->services.count; k++) {
            const struct copy *c = &sim->copies[station->services.items[k].copy];
            if (c->place == PLACE_SERVICE)
                sim->totals->work_done +=
                    ((u128)c->work_ns << PROGRESS_BITS) - (c->ends - station->progress);
        }
    }
}
