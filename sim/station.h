/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_STATION_H
#define DUETIME_STATION_H

/* What a station does, and how far its services are.  Where nothing stalls, slows or shares, its
   progress is the clock itself; what is inline here is all there is to it then. */

#include "sim/entries.h"

/* progress.c: what the inline functions below leave to it */
void progress_advance(struct sim *sim, struct station *station, ns_t passed_ns);
void progress_changed(struct sim *sim, struct station *station);
void progress_add(struct sim *sim, struct station *station, size_t copy);
size_t progress_take(struct sim *sim);
void progress_break_off(struct sim *sim, struct station *station, const struct copy *copy);
void station_cut(struct sim *sim); /* counts the work done so far on what is in service */

/* station.c */
bool station_enter(struct sim *sim, size_t copy); /* false: the queue is full */
void station_queue(struct sim *sim, size_t copy); /* behind the others, to start when it may */
void station_dispatch(struct sim *sim, struct dispatch_list *list); /* waiting copies start */
void station_list(struct sim *sim, struct station *station);        /* among those to dispatch */
void station_complete(struct sim *sim);                /* the service that is over next */
bool station_can_begin(const struct station *station); /* one that comes now */
/* Takes a copy out, wherever it is; true where nothing holds its index any more. */
bool station_cancel(struct sim *sim, size_t copy);
/* A stall while the copy was there: before its start at the server, or after it. */
void station_lost(struct sim *sim, const struct station *station, size_t copy, ns_t stalled_ns);

/* The next completion of all; NEVER. */
static inline ns_t station_next_ns(const struct sim *sim)
{
    if (!sim->steady)
        return sim->stations[sim->by_next[0]].next_ns;
    return sim->services.count > 0 ? sim->services.items[0].high : NEVER;
}

/* Up to now; then change it, */
static inline void station_advance(struct sim *sim, struct station *station)
{
    ns_t passed_ns = sim->now_ns - station->at_ns;
    station->at_ns = sim->now_ns;
    if (sim->steady)
        station->served_ns += (u128)station->serving * passed_ns;
    else if (passed_ns != 0)
        progress_advance(sim, station, passed_ns);
}

/* and say so. */
static inline void station_changed(struct sim *sim, struct station *station)
{
    if (!sim->steady || sim->broken_off > 0)
        progress_changed(sim, station);
}

/* A service begins. */
static inline void station_add(struct sim *sim, struct station *station, size_t copy)
{
    struct copy *c = &sim->copies[copy];
    if (!sim->steady) {
        progress_add(sim, station, copy);
        return;
    }
    c->ends = sim->now_ns + c->work_ns;
    heap_push(&sim->services, (struct node){c->ends, c->order, copy});
}

/* The copy whose service is over next. */
static inline size_t station_take(struct sim *sim)
{
    if (!sim->steady)
        return progress_take(sim);
    size_t copy = (size_t)heap_pop(&sim->services).payload;
    struct station *station = &sim->stations[sim->copies[copy].station];
    station_advance(sim, station);
    station->work_done_ns += sim->copies[copy].work_ns;
    return copy;
}

static inline bool station_has_room(const struct station *station)
{
    return station->stopped == 0 &&
           (station->discipline->shares || station->occupied < station->workers);
}

static inline void station_want_dispatch(struct sim *sim, struct station *station)
{
    if (station->waiting_count > 0 && station_has_room(station))
        station_list(sim, station);
}

/* A worker. */
static inline void station_release(struct sim *sim, struct station *station)
{
    station->occupied--;
    station_want_dispatch(sim, station);
}

/* A copy gives back what it takes up anywhere. */
static inline void path_leave(struct sim *sim, size_t copy)
{
    struct copy *c = &sim->copies[copy];
    if (c->keeps_worker)
        station_release(sim, &sim->stations[c->replica]);
    sim->assigned[c->replica] -= c->assigned;
    c->keeps_worker = c->assigned = false;
}

#endif
