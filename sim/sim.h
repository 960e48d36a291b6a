/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_SIM_H
#define DUETIME_SIM_H

/* The event engine from inside: engine.c moves the clock and speaks with the load, station.c is the
   server, jobs.c keeps the requests.  Nothing else includes this. */

#include "models/loads/load.h"
#include "sim/engine.h"
#include "sim/events.h"

#define DRAWN_AHEAD 256
#define NEVER UINT64_MAX

/* A request on its way; an entry that is free has the number NEVER. */
struct job {
    uint64_t number, client;
    ns_t due_ns, acquired_ns, sent_ns, started_ns, finished_ns;
    ns_t work_ns;
    bool initial, in_service, given_up;
};

/* First come, first served: a ring of indices into jobs. */
struct ring {
    size_t *items;
    size_t head, count, capacity; /* capacity a power of two */
};

/* The batch in the making. */
struct rows {
    size_t count;
    ns_t due[BATCH_ROWS], acquired[BATCH_ROWS], sent[BATCH_ROWS], started[BATCH_ROWS],
        finished[BATCH_ROWS], ended[BATCH_ROWS];
    uint8_t status[BATCH_ROWS];
};

struct sim {
    const struct engine_request *request;
    const struct plan *plan;
    const struct server *server;
    const struct load_plan *load;
    const struct load_type *type;
    const struct distribution_type *service;
    void *load_state;
    ns_t now_ns;
    struct event_heap events;

    struct job *jobs;
    size_t job_count, *free_jobs, free_count;
    struct ring queue;
    struct stream service_stream;
    ns_t drawn_ns[DRAWN_AHEAD];
    uint64_t drawn_first; /* request number of drawn_ns[0]; NEVER: none drawn */

    /* Available time is the clock that stops while work is suspended.  A service is due to end at
       an instant of it, so a suspend moves no event. */
    struct event_heap services;  /* at_ns in available time */
    uint64_t suspended, stalled; /* stalls in force that stop work; that let no service start */
    ns_t available_ns,
        resumed_ns; /* available time when work last began to run, and that instant */
    ns_t stall_ended_ns;
    uint64_t stalls_begun;
    uint64_t busy;
    ns_t busy_since_ns; /* available time of the last change of busy */
    bool dispatch;      /* a waiting request may start once this instant's stalls are known */

    uint64_t in_flight, wakes;
    ns_t flight_since_ns;
    uint64_t events_at_now;   /* since the clock last moved */
    uint64_t stalls_on_end;   /* since a service last began or ended */
    bool overflow;
    struct engine_totals *totals;
    struct rows rows;
};

/* jobs.c */
size_t job_take(struct sim *sim);
void job_release(struct sim *sim, size_t index);
void ring_push(struct ring *ring, size_t item);
size_t ring_pop(struct ring *ring);

/* Reports a request that leaves the server now. */
void job_emit(struct sim *sim, const struct job *job, enum status status);
void rows_flush(struct sim *sim);

/* station.c */
ns_t station_work_ns(struct sim *sim, uint64_t number); /* draw `number` of the service stream */
ns_t station_available_ns(const struct sim *sim);       /* available time, now */
ns_t station_next_ns(const struct sim *sim);            /* the next completion; NEVER */
bool station_is_empty(const struct sim *sim);

/* Takes a request in.  False: the queue is full, and it was refused. */
bool station_enter(struct sim *sim, size_t index);
void station_dispatch(struct sim *sim);   /* waiting requests start, first come first served */
size_t station_complete(struct sim *sim); /* the next one in service is done; its index */
void station_stall_begin(struct sim *sim, size_t stall);
void station_stall_end(struct sim *sim, size_t stall);
void station_cut(struct sim *sim); /* counts the work done so far on what is in service */

#endif
