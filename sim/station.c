/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/station.h"

void station_lost(struct sim *sim, const struct station *station, size_t copy, ns_t stalled_ns)
{
    struct parts *p = &sim->lost[copy].copy;
    if (station->stage < STAGE_SERVER)
        p->waited_stalled_ns += stalled_ns;
    else
        p->served_stalled_ns += stalled_ns;
}

/* It has waited here until now; of that, the stalls. */
static void note_wait(const struct sim *sim, const struct station *station, size_t copy)
{
    struct lost *lost = &sim->lost[copy];
    ns_t stopped_ns = station->stopped_ns - lost->mark_ns;
    lost->mark_ns = station->standing_ns;
    if (station->stage <= STAGE_SERVER) {
        lost->copy.waited_stalled_ns += stopped_ns;
        return;
    }
    lost->copy.served_stalled_ns += stopped_ns;
    lost->copy.waited_behind_ns += sim->now_ns - lost->entered_ns - stopped_ns;
}

static void begin_at_server(struct sim *sim, const struct station *station, size_t copy)
{
    struct copy *c = &sim->copies[copy];
    if (sim->server->load_dependence.num != 0)
        c->work_ns = demand_among_ns(sim, c->work_ns, station->waiting_count + station->serving);
    c->started_ns = sim->now_ns;
    c->begun = true;
}

/* The station is up to now. */
static void start_service(struct sim *sim, struct station *station, size_t copy)
{
    if (sim->has_lost)
        note_wait(sim, station, copy);
    if (station->stage == STAGE_SERVER)
        begin_at_server(sim, station, copy);
    sim->copies[copy].place = PLACE_SERVICE;
    station_add(sim, station, copy);
    station->occupied++;
    station->serving++;
    sim->stalls_on_end = 0;
    station_changed(sim, station);
    if (station->stage == STAGE_SERVER && sim->tied)
        copies_begun(sim, copy);
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
    return station->waiting_count == 0 && station_has_room(station) &&
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
    station_want_dispatch(sim, station);
}

bool station_enter(struct sim *sim, size_t copy)
{
    struct copy *c = &sim->copies[copy];
    struct station *station = &sim->stations[c->station];
    station_advance(sim, station);
    if (sim->has_lost) {
        sim->lost[copy].mark_ns = station->stopped_ns;
        sim->lost[copy].entered_ns = sim->now_ns;
    }
    if (station->refusing > 0)
        return false;
    if (station_can_begin(station)) {
        start_service(sim, station, copy);
        return true;
    }
    if (is_full(station))
        return false;
    station_queue(sim, copy);
    return true;
}

void station_list(struct sim *sim, struct station *station)
{
    if (station->listed) {
        station->wanted_again = true;
        return;
    }
    struct dispatch_list *list = station->discipline->late ? &sim->late : &sim->prompt;
    station->listed = true;
    list->stations[list->count++] = (size_t)(station - sim->stations);
}

static size_t pick(struct station *station)
{
    uint64_t word =
        station->discipline->random ? stream_word(station->picks, station->pick_count++) : 0;
    return station->discipline->pop(&station->waiting, word);
}

static void dispatch(struct sim *sim, struct station *station)
{
    station_advance(sim, station);
    while (station->waiting_count > 0 && station_has_room(station)) {
        size_t copy = pick(station);
        if (sim->copies[copy].place == PLACE_CANCELLED) {
            copy_free(sim, copy);
            continue;
        }
        station->waiting_count--;
        start_service(sim, station, copy);
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

static void end_service(struct sim *sim, struct station *station, size_t copy)
{
    station->serving--;
    sim->stalls_on_end = 0;
    if (sim->has_lost)
        station_lost(sim, station, copy, station->standing_ns - sim->lost[copy].mark_ns);
}

void station_complete(struct sim *sim)
{
    size_t copy = station_take(sim);
    struct station *station = &sim->stations[sim->copies[copy].station];
    end_service(sim, station, copy);
    station_changed(sim, station);
    if (station->holding > 0) {
        sim->copies[copy].place = PLACE_HELD;
        sim->lost[copy].held_since_ns = sim->now_ns;
        ring_push(&sim->held, copy);
        return;
    }
    path_served(sim, copy);
}

bool station_cancel(struct sim *sim, size_t copy)
{
    struct copy *c = &sim->copies[copy];
    struct station *station = &sim->stations[c->station];
    enum whereabouts place = (enum whereabouts)c->place;
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
        progress_break_off(sim, station, c);
        end_service(sim, station, copy);
        station_release(sim, station);
        station_changed(sim, station);
        return false;
    case PLACE_HELD: station_release(sim, station); return false;
    case PLACE_MOVING: return false;
    case PLACE_FREE:
    case PLACE_CANCELLED: break;
    }
    BUG("a copy is cancelled that is not there");
}
