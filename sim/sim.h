/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_SIM_H
#define DUETIME_SIM_H

/* The event engine from inside.  A request has copies; a copy passes stations in turn; a station
   serves.  engine.c moves the clock and speaks with the load, copies.c sends and ends the copies of
   a request, path.c takes a copy from station to station, station.c serves, stalls.c and quota.c
   keep stations from it, demand.c draws what each copy asks for, measured.c knows how long answers
   took, requests.c keeps what is on its way.  Nothing else includes this. */

#include "models/loads/load.h"
#include "models/policies/resend.h"
#include "models/queues/queue.h"
#include "sim/engine.h"
#include "sim/events.h"

#define DRAWN_AHEAD 256 /* at most: blocks grow from a few, as many runs are short */
#define NEVER UINT64_MAX
#define NOBODY SIZE_MAX

/* Of one request the order of its copies, below its number: the tie order of one instant. */
#define COPY_ORDER_BITS 10

/* Progress of a station in units of 2^-64 ns of work: whole ns shifted so far. */
#define PROGRESS_BITS 64
#define FULL_SPEED ((u128)1 << PROGRESS_BITS) /* a ns of work a ns */

/* What a client waits for. */
struct request {
    uint64_t number, client;
    ns_t due_ns, acquired_ns, sent_ns, started_ns, finished_ns;
    ns_t waited_stalled_ns, served_stalled_ns, waited_behind_ns;
    uint64_t copies_sent;            /* handed to their first station */
    uint64_t parts_left;             /* of a fan-out: answers still wanted */
    uint64_t open;                   /* copies not gone yet */
    size_t first_copy;               /* list of those, the last first; NOBODY ends it */
    uint32_t first_replica;          /* where its first copy went: the others follow from it */
    uint32_t replica;                /* of the answer, else of the first copy */
    ns_t resend_at_ns;               /* when its last copy was due to leave */
    ns_t wait_ns;                    /* from there to the next, before jitter */
    bool initial, sent, begun, done; /* begun: some copy at a server; done: answered, given up or
                                        refused */
    uint8_t status;                  /* once done */
};

enum whereabouts {
    PLACE_FREE,
    PLACE_MOVING, /* it reaches its next station at the end of this instant */
    PLACE_QUEUE,
    PLACE_SERVICE,
    PLACE_HELD, /* served, its answer held back */
    PLACE_CANCELLED,
};

/* One copy of it. */
struct copy {
    size_t request;
    size_t next, previous; /* of the same request */
    uint64_t number;       /* of its request: 0 the first */
    uint64_t order;
    size_t station;    /* where it is, or goes */
    uint32_t replica;  /* the server that is its own */
    bool assigned;     /* and counts it as on its way or there */
    bool begun;        /* its service there has begun */
    bool keeps_worker; /* it has left, its worker waits for it */
    ns_t work_ns;      /* demand at this station */
    ns_t started_ns;   /* at the server */
    ns_t entered_ns;   /* this station */
    ns_t mark_ns;      /* of its clock of stops, when the copy came or started */
    ns_t held_since_ns;
    ns_t waited_stalled_ns, served_stalled_ns, waited_behind_ns;
    u128 ends; /* progress of the station at which it is served, while in service */
    enum whereabouts place;
};

/* Indices of free entries of a growing array. */
struct pool {
    size_t count; /* entries there are */
    size_t *free;
    size_t free_count;
};

/* First in, first out: a ring of indices. */
struct ring {
    size_t *items;
    size_t head, count, capacity; /* capacity a power of two */
};

/* Services by the progress at which they end: a binary heap. */
struct service {
    u128 ends;
    uint64_t order;
    size_t copy;
};
struct service_heap {
    struct service *items;
    size_t count, capacity;
};

/* num/den in (0, 1], in lowest terms. */
struct fraction {
    uint64_t num, den;
};

/* A queue and its workers.  All that are in service move on together, at the same speed. */
struct station {
    enum stage stage;
    uint64_t workers, queue_limit;
    const struct queue_type *discipline;
    struct stream picks; /* of a random discipline */
    uint64_t pick_count;
    struct waiting waiting;
    uint64_t waiting_count; /* those not cancelled */
    uint64_t occupied;      /* workers, those that are held or kept included */
    uint64_t serving;       /* services going on */
    struct service_heap services;

    u128 progress, speed;   /* of each service; speed a ns */
    ns_t at_ns;             /* the instant of progress and of the clocks below */
    struct fraction slowed; /* what slowing stalls leave of full speed */
    uint32_t suspended, stopped, holding, refusing; /* stalls that do so */
    ns_t standing_ns, stopped_ns;                   /* so long suspended, so long stopped, so far */
    struct quota_state *quota;                      /* NULL: none */

    ns_t next_ns; /* the next completion; NEVER */
    uint64_t next_order;
    size_t rank;               /* its place among the stations by that */
    bool listed, wanted_again; /* among those to dispatch; and once more */
};

/* Stations that have waiting copies and may have room. */
struct dispatch_list {
    size_t *stations, count;
};

/* When a budget is used up: at a whole ns after the completions of that instant, or within the ns
   before it, and then before them. */
struct exhaustion {
    ns_t at_ns;      /* NEVER: not as things stand */
    uint64_t beyond; /* what the workers would have used beyond the budget by then, in ns */
};

/* A budget of running time a period, of one replica and perhaps the generator. */
struct quota_state {
    ns_t used_ns, at_ns;             /* in the period of at_ns, until then */
    uint64_t running;                /* workers, since then */
    struct exhaustion pending;       /* the earliest event that looks at it */
    bool throttled, counted;         /* counted: something was stopped in this period */
    size_t members[2], member_count; /* stations */
};

struct stall_state {
    uint64_t drawn; /* random durations so far */
    bool on;
    unsigned halvings;
    ns_t next_halving_ns;
};

/* Times from send that were answered, and a percentile of them. */
struct measured {
    ns_t *times_ns;
    uint64_t count, next; /* next: how many make the next look */
    ns_t percentile_ns;
    bool known;
};

/* The batch in the making. */
struct rows {
    size_t count;
    ns_t due[BATCH_ROWS], acquired[BATCH_ROWS], sent[BATCH_ROWS], started[BATCH_ROWS],
        finished[BATCH_ROWS], ended[BATCH_ROWS], waited_stalled[BATCH_ROWS],
        served_stalled[BATCH_ROWS], waited_behind[BATCH_ROWS];
    uint64_t client[BATCH_ROWS];
    uint32_t replica[BATCH_ROWS];
    uint8_t status[BATCH_ROWS];
};

struct sim {
    const struct engine_request *asked;
    const struct plan *plan;
    const struct server *server;
    const struct load_plan *load;
    const struct load_type *type;
    void *load_state;
    const struct resend *resend; /* NULL: one copy a request */
    const struct resend_type *resend_type;
    ns_t now_ns;
    struct event_heap events;
    struct engine_totals *totals;
    struct rows rows;

    struct request *requests;
    struct pool request_pool;
    struct copy *copies;
    struct pool copy_pool;

    struct stream service_stream, routing_stream, client_stream, network_stream, behind_stream;
    ns_t drawn_ns[DRAWN_AHEAD];
    uint64_t drawn_first, drawn_count; /* request number of drawn_ns[0], and how many there are */

    struct station *stations; /* the replicas first */
    size_t station_count;
    size_t station_of[STAGE_COUNT];    /* of the server the first; NOBODY: there is none */
    size_t *by_next;                   /* the stations as a heap by their next completion */
    struct dispatch_list prompt, late; /* stations whose waiting copies may start */
    uint64_t *assigned;                /* by replica: copies on their way there, or there */
    struct quota_state *quotas;
    struct stall_state *stall_states;
    struct ring held; /* copies whose answers are held back */
    uint64_t stalled; /* stalls going on */
    ns_t stall_ended_ns;
    uint64_t stalls_begun;
    uint64_t copies_there; /* not gone, wherever they are */
    struct measured measured;

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
void copy_unlink(struct sim *sim, size_t copy); /* it is gone; may end its request */
void ring_push(struct ring *ring, size_t item);
size_t ring_pop(struct ring *ring);
void rows_flush(struct sim *sim);
void request_report(struct sim *sim, size_t request); /* and forgets it: all of it is over */
void request_forget(struct sim *sim, size_t request);

/* demand.c: in ns */
ns_t demand_ns(struct sim *sim, uint64_t number, uint64_t copy, enum stage stage);
ns_t demand_among_ns(struct sim *sim, ns_t work_ns, uint64_t others);

/* copies.c */
void copies_send(struct sim *sim, size_t request);  /* the first, or every part */
void copies_left(struct sim *sim, size_t copy);     /* it has left the client */
void copies_begun(struct sim *sim, size_t copy);    /* its service at the server begins */
void copies_answered(struct sim *sim, size_t copy); /* its answer is there */
void copies_refused(struct sim *sim, size_t copy);
void copies_withdraw(struct sim *sim, size_t copy); /* takes it back, wherever it is */
void copies_timer(struct sim *sim, const struct event *e);

/* path.c */
void path_set_up(struct sim *sim);
bool path_start(struct sim *sim, size_t copy);  /* from the client; false: refused at once */
void path_arrive(struct sim *sim, size_t copy); /* at its next station */
void path_served(struct sim *sim, size_t copy); /* its service is over and its answer out */
void path_leave(struct sim *sim, size_t copy);  /* gives back what it takes up anywhere */
void path_tear_down(struct sim *sim);

/* services.c */
void services_add(struct service_heap *heap, struct service one);
size_t services_take(struct service_heap *heap, size_t index); /* its copy */
/* The index of the one that leaves first when that progress is reached. */
size_t services_first(const struct sim *sim, const struct station *station, u128 progress);

/* station.c */
void station_advance(struct sim *sim, struct station *station); /* up to now; then change it, */
void station_changed(struct sim *sim, struct station *station); /* and say so */
bool station_enter(struct sim *sim, size_t copy);               /* false: the queue is full */
void station_queue(struct sim *sim, size_t copy); /* behind the others, to start when it may */
void station_dispatch(struct sim *sim, struct dispatch_list *list); /* waiting copies start */
void station_want_dispatch(struct sim *sim, size_t station);
ns_t station_next_ns(const struct sim *sim);           /* the next completion of all; NEVER */
void station_complete(struct sim *sim);                /* the service that is over next */
void station_release(struct sim *sim, size_t station); /* a worker */
ns_t *station_stalled_ns(const struct station *station, struct copy *copy);
bool station_can_begin(const struct station *station); /* one that comes now */
/* Takes a copy out, wherever it is; true where nothing holds its index any more. */
bool station_cancel(struct sim *sim, size_t copy);
void station_cut(struct sim *sim); /* counts the work done so far on what is in service */

/* stalls.c */
void stalls_start(struct sim *sim);
void stalls_begin(struct sim *sim, size_t event); /* of a stall or a quota */
void stalls_end(struct sim *sim, size_t event);

/* quota.c */
void quota_changed(struct sim *sim, struct quota_state *quota); /* who runs */
void quota_waits(struct sim *sim, struct quota_state *quota);   /* a copy, at a station of its */
void quota_look(struct sim *sim, size_t quota, bool before_completions);
void quota_renew(struct sim *sim, size_t quota);

/* measured.c */
void measured_add(struct sim *sim, ns_t time_ns);

/* engine.c */
void client_sent(struct sim *sim, size_t request);
void client_done(struct sim *sim, size_t request, enum status status);
void sim_push(struct sim *sim, ns_t at_ns, enum event_class class, uint64_t order,
              uint64_t payload); /* an event; one beyond the clock ends the run */

#endif
