/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_SIM_H
#define DUETIME_SIM_H

/* The event engine from inside: engine.c moves the clock and speaks with the load, copies.c sends
   and ends the copies of a request, station.c is the servers, stalls.c what keeps them from work,
   requests.c keeps what is on its way.  Nothing else includes this. */

#include "models/loads/load.h"
#include "sim/engine.h"
#include "sim/events.h"

#define DRAWN_AHEAD 256
#define NEVER UINT64_MAX
#define NOBODY SIZE_MAX

/* Of one request the order of its copies, below its number: the tie order of one instant. */
#define COPY_ORDER_BITS 10

/* What a client waits for. */
struct request {
    uint64_t number, client;
    ns_t due_ns, acquired_ns, sent_ns, started_ns, finished_ns;
    uint64_t copies_sent;
    uint64_t parts_left; /* of a fan-out: not answered yet */
    uint64_t open;       /* copies at the servers */
    size_t first_copy;   /* list of those; NOBODY ends it */
    bool initial, done;  /* done: answered, given up or refused */
    uint8_t status;      /* once done */
};

enum whereabouts { PLACE_FREE, PLACE_QUEUE, PLACE_SERVICE, PLACE_HELD, PLACE_CANCELLED };

/* One copy of it at one server. */
struct copy {
    size_t request;
    size_t next, previous; /* of the same request */
    size_t station;
    uint64_t order;
    ns_t work_ns, started_ns, ends_ns; /* ends: in available time, while in service */
    enum whereabouts place;
};

/* Indices of free entries of a growing array. */
struct pool {
    size_t count; /* entries there are */
    size_t *free;
    size_t free_count;
};

/* First come, first served: a ring of indices. */
struct ring {
    size_t *items;
    size_t head, count, capacity; /* capacity a power of two */
};

/* One server: its queue and its workers. */
struct station {
    struct ring queue;
    uint64_t waiting;  /* in the queue and not cancelled */
    uint64_t occupied; /* workers */
    bool listed;       /* among those to dispatch */
};

/* The batch in the making. */
struct rows {
    size_t count;
    ns_t due[BATCH_ROWS], acquired[BATCH_ROWS], sent[BATCH_ROWS], started[BATCH_ROWS],
        finished[BATCH_ROWS], ended[BATCH_ROWS];
    uint8_t status[BATCH_ROWS];
};

struct sim {
    const struct engine_request *asked;
    const struct plan *plan;
    const struct server *server;
    const struct load_plan *load;
    const struct load_type *type;
    const struct distribution_type *service;
    void *load_state;
    ns_t now_ns;
    struct event_heap events;
    struct engine_totals *totals;
    struct rows rows;

    struct request *requests;
    struct pool request_pool;
    struct copy *copies;
    struct pool copy_pool;
    struct stream service_stream, routing_stream;
    ns_t drawn_ns[DRAWN_AHEAD];
    uint64_t drawn_first; /* request number of drawn_ns[0]; NEVER: none drawn */

    struct station *stations;
    size_t *to_dispatch, to_dispatch_count; /* stations whose waiting requests may start */

    /* Available time is the clock that stops while work is suspended.  A service is due to end at
       an instant of it, so a suspend moves no event. */
    struct event_heap services;    /* of all stations; at_ns in available time */
    ns_t available_ns, resumed_ns; /* when work last began to run, and that instant */
    uint64_t suspended, stalled,
        holding;      /* stalls that stop work; of any kind; that hold answers */
    struct ring held; /* copies whose answers are held back */
    ns_t stall_ended_ns;
    uint64_t stalls_begun;
    uint64_t *stall_draws; /* a stall: how many of its random durations have been drawn */
    uint64_t working;      /* services going on */
    ns_t working_since_ns; /* available time of the last change of working */
    uint64_t at_server;    /* copies in a queue, in service or held */

    uint64_t in_flight, wakes;
    ns_t flight_since_ns;
    uint64_t settling;      /* slots claimed before the run has settled */
    uint64_t events_at_now; /* since the clock last moved */
    uint64_t stalls_on_end; /* since a service last began or ended */
    bool overflow;
};

/* requests.c */
size_t request_take(struct sim *sim);
size_t copy_take(struct sim *sim, size_t request);
void copy_free(struct sim *sim, size_t copy);   /* no longer in any queue or heap */
void copy_unlink(struct sim *sim, size_t copy); /* it has left the servers; may end its request */
void ring_push(struct ring *ring, size_t item);
size_t ring_pop(struct ring *ring);
void rows_flush(struct sim *sim);

/* Reports the request and forgets it; everything of it is over. */
void request_report(struct sim *sim, size_t request);

/* copies.c */
void copies_send(struct sim *sim, size_t request);  /* the first, or every part */
void copies_answered(struct sim *sim, size_t copy); /* its service is over and its answer out */
void copies_timer(struct sim *sim, const struct event *e);

/* station.c */
ns_t station_available_ns(const struct sim *sim); /* available time, now */
ns_t station_next_ns(struct sim *sim);            /* the next completion; NEVER */
ns_t station_work_ns(struct sim *sim, uint64_t number, uint64_t copy);
bool station_enter(struct sim *sim, size_t copy); /* false: the queue is full */
void station_queue(struct sim *sim, size_t copy); /* behind the others, to start when it may */
void station_dispatch(struct sim *sim);           /* waiting requests start, in order */
void station_want_dispatch(struct sim *sim, size_t station);
size_t station_complete(struct sim *sim);          /* the next service is over: its copy */
void station_leave(struct sim *sim, size_t copy);  /* frees the copy's worker */
void station_cancel(struct sim *sim, size_t copy); /* out of the queue or out of service */
void station_cut(struct sim *sim); /* counts the work done so far on what is in service */

/* stalls.c */
void stalls_start(struct sim *sim);
void stall_begin(struct sim *sim, size_t stall);
void stall_end(struct sim *sim, size_t stall);

/* engine.c */
void client_done(struct sim *sim, size_t request, enum status status);

#endif
