/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_TESTS_ORACLE_WORLD_H
#define DUETIME_TESTS_ORACLE_WORLD_H

/* The oracle's inside: the state of its world, and what its two halves (who sends; the server and
   the clock) ask of each other. */

#include <string.h>

#include "models/distributions/distribution.h"
#include "tests/oracle.h"

#define NOBODY SIZE_MAX

/* What can happen, in the order in which it does at one instant.  A start is no event of its own in
   the semantics: a service starts as soon as a worker is free and no stall is on or begins. */
enum what { COMPLETION, STALL_END, STALL_BEGIN, START, TIMER, SEND };

struct event {
    ns_t at;
    enum what what;
    int64_t order; /* the request number; negative: of what was there before the first request */
    size_t who;    /* index of a job, a stall or a sender */
};

enum whereabouts { QUEUED, IN_SERVICE, GONE };

/* A request that was sent, or a job that was there at time 0 (order < 0). */
struct job {
    struct oracle_row row;
    int64_t order;
    size_t sender; /* NOBODY: no client of ours */
    bool awaited;  /* neither answered nor given up: in flight */
    bool has_started;
    enum whereabouts place;
    ns_t work_left;
};

/* A client of a closed load, a connection of a paced one, or all of an open load. */
struct sender {
    bool will_send;
    ns_t at; /* when it will send: */
    ns_t due, acquired;
    uint64_t number;
    int64_t order;
    uint64_t slot; /* paced: the next one of its schedule */
    ns_t shift;    /* and how far rebase has moved it */
    ns_t last_send;
    bool has_sent;
};

struct stoppage {
    ns_t begin, last, every;
    bool stops_work, on, over;
};

struct world {
    const struct plan *plan;
    const struct load_plan *load;
    const char *kind;
    struct stream service, think;
    ns_t now;
    struct job *jobs; /* in the order in which they reached the server */
    size_t job_count, job_room;
    size_t first_live; /* all jobs before it are gone */
    struct sender *senders;
    size_t sender_count;
    struct stoppage *stoppages;
    ns_t *dues; /* open: every slot that counts */
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

/* Time 0: who will send first, and when. */
size_t sender_of_job(const struct world *w, const struct oracle_question *q, size_t k);
void senders_set_up(struct world *w, const struct oracle_question *q);

/* The client of this job has its answer, or gave it up, now. */
void client_goes_on(struct world *w, const struct job *job);

/* When the oldest open slot that was not sent yet can leave; false: not before one comes back. */
bool open_next(const struct world *w, struct event *e);

/* Fills in what is sent now; false: the client's time is over, or the sends are used up. */
bool about_to_send(struct world *w, size_t who, struct oracle_row *row);

#endif
