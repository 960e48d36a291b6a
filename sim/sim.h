/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_SIM_H
#define DUETIME_SIM_H

/* The event engine from inside.  A request has copies; a copy passes stations in turn; a station
   serves.  engine.c moves the clock and speaks with the load, claims.c knows which of its slots the
   run takes, copies.c sends and ends the copies of a request, timers.c does what a client does
   without an answer, path.c takes a copy from station to station, station.c serves and progress.c
   knows how far services are, stalls.c and quota.c keep stations from it, demand.c draws what each
   copy asks for, measured.c knows how long answers took, agenda.c what happens when, requests.c
   keeps what is on its way.  plain.c does in place of all that what a queue and its workers do when
   there is nothing else.  Nothing else includes this. */

#include "models/distributions/ahead.h"
#include "models/loads/load.h"
#include "models/policies/resend.h"
#include "models/queues/queue.h"
#include "sim/engine.h"
#include "sim/events.h"

#define NOBODY UINT32_MAX

/* Of one request the order of its copies, below its number: the tie order of one instant. */
#define COPY_ORDER_BITS 10

/* Progress of a station in units of 2^-64 ns of work: whole ns shifted so far. */
#define PROGRESS_BITS 64
#define FULL_SPEED ((u128)1 << PROGRESS_BITS) /* a ns of work a ns */

/* Of this size and no more, since a run may have a million of each in flight: what only some
   scenarios need stands apart, in struct further and struct lost. */

/* What a client waits for. */
struct request {
    uint64_t number; /* NEVER: a free entry */
    ns_t due_ns, acquired_ns, sent_ns, started_ns, finished_ns;
    uint32_t client;
    uint32_t first_copy; /* list of those not gone yet, the last first; NOBODY ends it */
    uint16_t open;       /* how many they are */
    uint16_t replica;    /* of the answer, else of the first copy */
    uint8_t status;      /* once done */
    bool initial, sent;
    bool done; /* answered, given up or refused */
};

enum whereabouts {
    PLACE_FREE,
    PLACE_MOVING, /* it reaches its next station at the end of this instant */
    PLACE_QUEUE,
    PLACE_SERVICE,
    PLACE_HELD, /* served, its answer held back */
    PLACE_CANCELLED,
};

/* One copy of it.  The first has the request's own index, the others entries whose request is not
   in use. */
struct copy {
    uint64_t order;
    ns_t work_ns;             /* demand at its station */
    ns_t started_ns;          /* at the server */
    uint64_t ends, ends_part; /* progress of the station at which it is served, while in service */
    uint32_t request;
    uint32_t next, previous; /* of the same request */
    uint32_t number;         /* of its request: 0 the first */
    uint16_t station;        /* where it is, or goes */
    uint16_t replica;        /* the server that is its own */
    uint8_t place;           /* enum whereabouts */
    bool assigned;           /* its replica counts it as on its way or there */
    bool begun;              /* its service there has begun */
    bool keeps_worker;       /* it has left, its worker waits for it */
};

/* Of a request that may have several copies. */
struct further {
    uint64_t copies_sent;   /* handed to their first station */
    uint64_t parts_left;    /* of a fan-out: answers still wanted */
    ns_t resend_at_ns;      /* when its last copy was due to leave */
    ns_t wait_ns;           /* from there to the next, before jitter */
    uint32_t first_replica; /* where its first copy went: the others follow from it */
    bool begun;             /* some copy at a server */
};

/* What stalls and a second station took of the time of a copy, and of the answer of a request. */
struct parts {
    ns_t waited_stalled_ns, served_stalled_ns, waited_behind_ns;
};
struct lost {
    struct parts copy, answer;
    ns_t entered_ns; /* its station */
    ns_t mark_ns;    /* of that one's clock of stops, when the copy came or started */
    ns_t held_since_ns;
};

/* First in, first out: a ring of indices. */
struct ring {
    size_t *items;
    size_t head, count, capacity; /* capacity a power of two */
};

/* num/den in (0, 1], in lowest terms. */
struct fraction {
    uint64_t num, den;
};

/* A queue and its workers.  All that are in service move on together, at the same speed: that of
   the clock but for stalls where nothing slows, shares or breaks off within a ns, so that progress
   is a whole number of ns, the time that the station was not suspended. */
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
    struct heap services;   /* by progress: high whole ns; low its fraction, or where there is none
                               the copy's order; payload the copy.  Not where sim->steady */

    u128 progress, speed; /* of each service, speed a ns; not kept where progress is whole */
    u128 served_ns, work_done_ns; /* instead of the totals' areas, where progress is whole */
    ns_t at_ns;                   /* the instant of progress and of the clocks below */
    struct fraction slowed;       /* what slowing stalls leave of full speed */
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

/* The batch in the making: its columns, one behind the other.  Those that nobody reads are not
   there, and neither is `ended` where requests leave as they are answered. */
struct rows {
    size_t count, capacity; /* at most BATCH_ROWS: it grows, as many runs are short */
    ns_t *due;              /* owned: all columns; acquired, sent and finished are the next three */
    uint8_t *status;
    ns_t *ended;
    bool more; /* any of these */
    ns_t *started, *waited_stalled, *served_stalled, *waited_behind;
    uint64_t *client;
    uint32_t *replica;
};

/* Due instants of a load that sends when due, whatever becomes of its requests. */
struct arrivals_ahead {
    ns_t due_ns[AHEAD_BLOCK];
    size_t next, count;
    uint64_t number; /* of the next */
    ns_t next_ns;    /* when it is due; NEVER: there is no further one */
};

/* Slots that are sent whatever else: numbers and due instants below these.  Of them those due in
   [counted_from_ns, counted_to_ns) count. */
struct claims {
    uint64_t numbers;
    ns_t end_ns, counted_from_ns, counted_to_ns;
};

struct sim {
    const struct engine_request *asked;
    const struct plan *plan;
    const struct server *server;
    const struct load_plan *load;
    const struct load_type *type;
    const void *load_params;
    void *load_state;
    const struct resend *resend; /* NULL: one copy a request */
    const struct resend_type *resend_type;
    ns_t now_ns, last_ns; /* the cut; NEVER */
    struct agenda agenda;
    struct engine_totals *totals;
    struct rows rows;

    /* Entries by index, all of the same number; the last two NULL where no scenario's mechanism
       needs them. */
    struct request *requests;
    struct copy *copies;
    struct further *further;
    struct lost *lost;
    bool has_further, has_lost;
    bool tied;     /* the first copy that begins takes back those that wait */
    bool straight; /* copies go from the client straight to a server, and are not tied */
    bool alone;    /* and a request is its only copy */
    bool plain;    /* and what plain.c says */
    bool heedless; /* the load does not look at answers, and its due instants are known ahead */
    struct arrivals_ahead ahead;
    uint32_t entry_count, free_count;
    uint32_t *free_entries;

    struct stream routing_stream, client_stream, network_stream, behind_stream;
    struct drawn_ahead service;

    struct station *stations; /* the replicas first */
    size_t station_count;
    size_t station_of[STAGE_COUNT];    /* of the server the first; NO_INDEX: there is none */
    uint8_t stage_after[STAGE_COUNT];  /* STAGE_COUNT: it is answered */
    bool whole;                        /* progress of stations is a whole number of ns */
    bool steady;                       /* and goes on with the clock: there are no stalls either */
    struct heap services;              /* where steady, of all stations: by instant and order */
    uint64_t broken_off;               /* services cancelled, but not out of their heap yet */
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
    uint64_t settling; /* slots claimed before the run has settled */
    struct claims claims;
    uint64_t events_at_now; /* since the clock last moved */
    uint64_t stalls_on_end; /* since a service last began or ended */
    bool overflow;
};

/* requests.c */
void entries_grow(struct sim *sim);
void copy_free(struct sim *sim, size_t copy); /* no longer in any queue or heap */
void ring_push(struct ring *ring, size_t item);
size_t ring_pop(struct ring *ring);
void rows_flush(struct sim *sim);
void request_row(struct sim *sim, size_t request);
void request_report(struct sim *sim, size_t request); /* and forgets it: all of it is over */

/* demand.c: in ns */
ns_t demand_ns(struct sim *sim, uint64_t number, uint64_t copy, enum stage stage);
ns_t demand_among_ns(struct sim *sim, ns_t work_ns, uint64_t others);

/* copies.c */
void copies_send(struct sim *sim, size_t request);     /* the first, or every part */
bool copies_send_one(struct sim *sim, size_t request); /* false: refused, perhaps gone */
void copies_left(struct sim *sim, size_t copy);        /* it has left the client */
void copies_begun(struct sim *sim, size_t copy);       /* where they are tied: its service begins */
void copies_answered(struct sim *sim, size_t copy);    /* its answer is there */
void copies_refused(struct sim *sim, size_t copy);
void copies_withdraw(struct sim *sim, size_t copy); /* takes it back, wherever it is */

/* timers.c: what a client does when there is no answer yet */
void timers_set(struct sim *sim, size_t request, uint64_t copy); /* as that copy leaves */
void timers_fire(struct sim *sim, const struct node *e);
bool timers_dead(const struct sim *sim, const struct node *e); /* firing it would do nothing */

/* plain.c: a server's one queue and its workers, when there is nothing else to it */
bool plain_is(const struct sim *sim);
void plain_begin(struct sim *sim, size_t request, ns_t work_ns); /* one that is there at time 0 */
void plain_send(struct sim *sim, size_t request);
bool plain_step(struct sim *sim);

/* path.c */
void path_set_up(struct sim *sim);
bool path_start(struct sim *sim, size_t copy);  /* from the client; false: refused at once */
void path_arrive(struct sim *sim, size_t copy); /* at its next station */
void path_served(struct sim *sim, size_t copy); /* its service is over and its answer out */
void path_tear_down(struct sim *sim);

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
void sim_handle_next(struct sim *sim); /* event */
void sim_arrive(struct sim *sim);      /* what was due ahead */
void client_done(struct sim *sim, size_t request, enum status status);

/* claims.c */
void claims_set(struct sim *sim);
void claims_open_ahead(struct sim *sim); /* a load whose due instants are known */
void claims_next_ahead(struct sim *sim);

/* An event; one beyond the clock ends the run. */
static inline void sim_push(struct sim *sim, enum lane lane, ns_t at_ns, enum event_class class,
                            uint64_t order, uint64_t payload)
{
    if (at_ns >= NS_LIMIT)
        sim->overflow = true;
    else
        agenda_push(sim, &sim->agenda, lane,
                    (struct node){at_ns, event_key(class, order), payload});
}

#endif
