/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_TESTS_ORACLE_WORLD_H
#define DUETIME_TESTS_ORACLE_WORLD_H

/* The oracle's inside: the state of its world, and what its parts ask of each other: the clock
   (oracle.c), the stations (oracle_stations.c), what stands in their way (oracle_stalls.c), the
   copies that pass them (oracle_copies.c), what the client does about its requests
   (oracle_requests.c), who sends (oracle_senders.c). */

#include <string.h>

#include "models/arrivals/arrivals.h"
#include "models/distributions/distribution.h"
#include "models/stalls/stall.h"
#include "tests/oracle.h"
#include "tests/oracle_number.h"

#define NOBODY SIZE_MAX

/* What can happen, in the order in which it does at one instant.  A quota that was used up since
   the whole instant before is RAN_DRY.  A new period of a quota is one of PAUSE_END, a quota that
   is used up just now and a step of a slowdown that dies away are of PAUSE_BEGIN.  LATE_STARTS are
   those of disciplines by which one that comes now may go first. */
enum what {
    RAN_DRY,
    COMPLETION,
    PAUSE_END,
    PAUSE_BEGIN,
    STARTS,
    TIMER,
    SEND,
    ARRIVAL,
    LATE_STARTS
};

/* Timers of one request at one instant, in this order; from ABANDON on one a copy. */
enum { TIMEOUT, RESEND, ABANDON };

struct event {
    ns_t at;
    enum what what;
    int64_t order;  /* the request number; negative: of what was there before the first request */
    uint64_t after; /* of one request: the copy's number, or which timer */
    size_t who;     /* index of a copy, a stall or else a quota, a request or a sender */
};

enum whereabouts {
    ON_ITS_WAY /* from its station, to the next one now */,
    WAITING,
    IN_SERVICE,
    HELD,
    GONE
};
#define PLACE_COUNT (GONE + 1)

/* A request whose turn to be sent has come, or a job that was there at time 0 (order < 0). */
struct request {
    struct oracle_row row;
    int64_t order;
    size_t sender;       /* NOBODY: no client of ours */
    bool awaited;        /* neither answered nor given up nor refused */
    bool is_sent;        /* its first copy has left the client: in flight while it is awaited */
    uint64_t copies;     /* or parts, made */
    uint64_t parts_left; /* still to be answered */
    uint64_t there;      /* copies not gone yet */
    uint64_t first_replica;
    bool goes_on; /* another copy is to be sent: */
    ns_t base, again_at;
};

struct copy {
    size_t request;
    uint64_t number; /* of its request: 0 the first */
    size_t station;
    enum whereabouts place;
    uint64_t replica;
    bool is_sent, left_server, begun /* at the server */, is_abandoned;
    size_t keeps; /* the server whose worker waits for it; NOBODY */
    ns_t sent_at, started, drawn_ns;
    uint64_t turn; /* WAITING: who came first; HELD: whose service ended first */
    ns_t waited_stalled, served_stalled, waited_behind;
};

struct station {
    bool exists;
    enum leg leg;
    uint64_t replica;
    uint64_t workers;
    const char *discipline;
    bool shares, late;            /* of that */
    uint64_t id, picks;           /* of the random discipline */
    uint64_t copies[PLACE_COUNT]; /* there, by whereabouts */
    uint64_t kept;                /* workers that wait for copies behind */
    size_t quota;                 /* NOBODY: none */
};

/* Work that may be done in a period. */
struct quota_state {
    u128 used;
    bool throttled;
    bool ran_dry; /* before this instant, so that it throttles before all else that happens now */
    bool stops_some; /* in this period, and is counted */
    ns_t period_end; /* once some is used */
};

/* A client of a closed load, a connection of a paced one, a session, or all of an open load. */
struct sender {
    bool will_send;
    ns_t at; /* when it will send: */
    ns_t due, acquired;
    uint64_t number;
    int64_t order;
    uint64_t slot; /* paced: the next one of its schedule; session: requests sent */
    ns_t shift;    /* and how far rebase has moved it */
    ns_t last_send;
    bool has_sent;
    uint64_t client; /* its name: of a session the place that it takes while it is there */
};

struct stoppage {
    const struct stall *stall;
    ns_t begin, last;
    bool on, over;
    uint64_t halvings;
    struct stream stream;
    uint64_t drawn;
};

/* A stall that has begun. */
struct pause {
    ns_t begin, end;
};

struct world {
    const struct plan *plan;
    const struct load_plan *load;
    const char *kind;
    struct stream service, think, routing, client, network, behind, queue;
    ns_t now;
    struct request *requests; /* in the order in which their turn came */
    size_t request_count, request_room;
    size_t first_awaited;     /* all requests before it are answered, given up or refused */
    struct copy *copies;      /* in the order in which they were made */
    struct number *work_left; /* of each that is IN_SERVICE, in that unit below */
    size_t copy_count, copy_room;
    size_t first_there; /* all copies before it are gone */
    uint64_t turns;
    struct station *stations; /* generator, network, every replica, behind, client */
    size_t station_count;
    struct quota_state *quotas;
    size_t quota_count;
    struct number unit;           /* one ns of work; every speed is a whole part of it */
    struct number shared;         /* the factor of it that makes room for processor sharing */
    struct number done;           /* work, in that unit */
    struct number ran[LEG_COUNT]; /* workers that run, integrated over time, in that unit */
    struct sender *senders;
    size_t sender_count, sender_room;
    struct arrival_cursor beginnings; /* of sessions */
    uint64_t *left_places;            /* of sessions that are over: the last one is taken first */
    size_t left_count, left_room;
    uint64_t places;
    struct stoppage *stoppages;
    struct pause *pauses; /* in the order in which they began */
    size_t pause_count, pause_room;
    size_t pauses_at_answer; /* of those, begun before the last answer */
    ns_t *dues;              /* open: every slot that counts */
    size_t due_count, due_next;
    uint64_t sends; /* requests whose turn has come */
    uint64_t requests_sent, further_copies;
    ns_t *times; /* from send to answer, in the order of answers */
    size_t time_count, time_room;
    ns_t measured; /* the percentile of them after which a hedge leaves */
    bool has_measured;
    struct oracle_answer *out;
};

static inline bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static inline ns_t later(ns_t a, ns_t b)
{
    return a > b ? a : b;
}

static inline ns_t draw(struct choice c, struct stream stream, uint64_t index)
{
    ns_t value = 0;
    if (c.type)
        distribution(c)->draw(c.params, stream, index, &value, 1);
    return value;
}

/* ---- oracle_stations.c ---- */

void stations_set_up(struct world *w);
size_t station_of_server(uint64_t replica);
size_t station_after(const struct world *w, size_t station, uint64_t replica); /* NOBODY: none */
uint64_t count_at(const struct world *w, size_t station, enum whereabouts place);
uint64_t count_all(const struct world *w, enum whereabouts place);
void move(struct world *w, size_t copy, size_t station, enum whereabouts place);
uint64_t running(const struct world *w,
                 size_t station); /* workers, when work does not stand still */
void make_room_for_sharing(struct world *w);
/* The same so that what the station does in left / users ns is a whole part of the unit. */
void make_room_for_part(struct world *w, size_t station, uint64_t left, uint64_t users);
struct number speed_of(const struct world *w, size_t station);
bool begins_at_once(const struct world *w, size_t station);
bool queue_is_full(const struct world *w, size_t station);
/* Whether some that wait can start: at stations that start at once, and at those that start late.
 */
void look_for_starts(const struct world *w, bool *prompt, bool *late);
void start_all(struct world *w, bool late);
void begin_service(struct world *w, size_t copy);

/* ---- oracle_stalls.c ---- */

void stalls_set_up(struct world *w, const struct oracle_question *q);
void quotas_set_up(struct world *w);
bool starts_are_stopped(const struct world *w, size_t station);
bool work_stands_still(const struct world *w, size_t station);
bool answers_are_held(const struct world *w, size_t station);
bool arrivals_are_refused(const struct world *w, size_t station);
void slow_down(const struct world *w, size_t station, struct number *speed);
/* The k-th thing that may end a pause, or begin one: a stall, or after these a quota. */
bool next_of_pause(const struct world *w, size_t k, struct event *e);
void pause_happens(struct world *w, const struct event *e);
void quotas_use(struct world *w, ns_t step);
/* Whether the station's quota lasts for so long; if not, left / users ns of it are left. */
bool quota_lasts(const struct world *w, size_t station, ns_t step, uint64_t *left, uint64_t *users);
void quota_stops_one(struct world *w, size_t station); /* one has to wait there */
uint64_t stalls_counted(const struct world *w);

/* ---- oracle_copies.c ---- */

uint64_t in_flight(const struct world *w);
uint64_t copies_there(const struct world *w);
size_t request_new(struct world *w, int64_t order, size_t sender);
void job_new(struct world *w, size_t request, uint64_t replica, ns_t work);
bool send_copy(struct world *w, size_t request); /* false: refused at once */
void go_on(struct world *w, size_t copy);        /* reach the next station */
void complete(struct world *w, size_t copy);
void leave_station(struct world *w, size_t copy);
void cancel(struct world *w, size_t copy);

/* ---- oracle_requests.c ---- */

void send_all(struct world *w, size_t request); /* what leaves at the send itself */
void sent_first(struct world *w, struct request *r);
void refuse(struct world *w, struct request *r);
void answer(struct world *w, size_t copy);
bool next_timer(const struct world *w, size_t request, uint64_t which, struct event *e);
bool next_abandon(const struct world *w, size_t copy, struct event *e);
void timer_fires(struct world *w, const struct event *e);
void cut_there(struct world *w);

/* ---- oracle_senders.c ---- */

/* Time 0: who will send first, and when. */
size_t sender_of_job(const struct world *w, const struct oracle_question *q, size_t k);
void senders_set_up(struct world *w, const struct oracle_question *q);

/* The client of this request has its answer, or gave it up, or was refused, now. */
void client_goes_on(struct world *w, const struct request *request);

/* When the oldest open slot that was not sent yet can leave; false: not before one comes back. */
bool open_next(const struct world *w, struct event *e);

/* Fills in what is sent now; false: the client's time is over, or the sends are used up. */
bool about_to_send(struct world *w, size_t who, struct oracle_row *row);

#endif
