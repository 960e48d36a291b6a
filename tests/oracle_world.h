/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_TESTS_ORACLE_WORLD_H
#define DUETIME_TESTS_ORACLE_WORLD_H

/* The oracle's inside: the state of its world, and what its parts ask of each other: the clock
   (oracle.c), what is at the servers (oracle_servers.c), who sends (oracle_senders.c). */

#include <string.h>

#include "models/arrivals/arrivals.h"
#include "models/distributions/distribution.h"
#include "tests/oracle.h"

#define NOBODY SIZE_MAX

/* What can happen, in the order in which it does at one instant.  Starts are no event of their own
   in the semantics: all services start for which a worker is free as soon as no stall is on or
   begins. */
enum what { COMPLETION, STALL_END, STALL_BEGIN, STARTS, TIMER, SEND };

/* Timers of one request at one instant, in this order. */
enum { TIMEOUT, RESEND };

struct event {
    ns_t at;
    enum what what;
    int64_t order;  /* the request number; negative: of what was there before the first request */
    uint64_t after; /* of one request: the copy's number, or which timer */
    size_t who;     /* index of a copy, a stall, a request or a sender */
};

enum whereabouts { QUEUED, IN_SERVICE, HELD, GONE };

/* A request that was sent, or a job that was there at time 0 (order < 0). */
struct request {
    struct oracle_row row;
    int64_t order;
    size_t sender;       /* NOBODY: no client of ours */
    bool awaited;        /* neither answered nor given up nor refused: in flight */
    uint64_t sent;       /* copies or parts */
    uint64_t parts_left; /* still to be answered */
    uint64_t at_servers; /* copies not gone yet */
};

struct copy {
    size_t request;
    uint64_t number; /* of its request: 0 the first */
    uint64_t station;
    enum whereabouts place;
    ns_t started, work_left;
    uint64_t turn; /* HELD: how many services had ended in a blackout before */
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
};

struct stoppage {
    ns_t begin, last, every;
    bool stops_work, holds_answers, on, over;
    bool is_random;
    struct choice up, down;
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
    struct stream service, think, routing;
    ns_t now;
    struct request *requests; /* in the order in which they were sent */
    size_t request_count, request_room;
    size_t first_awaited; /* all requests before it are answered, given up or refused */
    struct copy *copies;  /* in the order in which they reached the servers */
    size_t copy_count, copy_room;
    size_t first_there; /* all copies before it are gone */
    uint64_t turns;
    struct sender *senders;
    size_t sender_count, sender_room;
    struct arrival_cursor beginnings; /* of sessions */
    struct stoppage *stoppages;
    struct pause *pauses; /* in the order in which they began */
    size_t pause_count, pause_room;
    size_t pauses_at_answer; /* of those, begun before the last answer */
    ns_t *dues;              /* open: every slot that counts */
    size_t due_count, due_next;
    uint64_t sends;
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

/* Requests that are neither answered nor given up. */
uint64_t in_flight(const struct world *w);

/* What is at the servers. */
bool work_stands_still(const struct world *w);
uint64_t copies_there(const struct world *w);
size_t request_new(struct world *w, int64_t order, size_t sender);
void copy_new(struct world *w, size_t request, uint64_t station, ns_t work);
bool some_can_start(const struct world *w);
void start_all(struct world *w);
bool can_be_sent_again(const struct world *w, const struct request *r, ns_t *at);

/* What happens there. */
void complete(struct world *w, struct copy *copy);
void send_all(struct world *w, size_t request);
void send_again(struct world *w, size_t request);
void give_up(struct world *w, struct request *r);
void release_held(struct world *w);
void cut_there(struct world *w);

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
