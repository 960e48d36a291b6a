/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_SCHEDULE_H
#define DUETIME_SCHEDULE_H

/* Somebody else's send loop on the virtual clock: the engine plays the server, the scheduler says
   what leaves when, and every request is held to the schedule that the scenario asks for. */

#include <signal.h>
#include <stdio.h>

#include "models/plan.h"
#include "models/schedulers/scheduler.h"

#define SCHEDULE_VERSION 1
#define SCHEDULE_SLOTS_MOST 200000
#define SCHEDULE_CONNECTIONS_MOST 1000
/* A mistake may multiply the sends by the connections or a wrong rate; past this it is a flood. */
#define SCHEDULE_SENDS_MOST(slots) (32 * (slots) + 1000)

/* schedule_offered.c: what the load asks for.  False and *errors where it has no schedule that one
   could be held to, or too long a one. */
bool schedule_offered(const struct plan *plan, size_t load, struct offered *out,
                      struct errors *errors);
void schedule_offered_free(struct offered *offered);
/* Due instant of a slot below offered->slots; not of random arrivals. */
ns_t schedule_due_ns(const struct offered *offered, uint64_t slot);
/* Whether an instant is that slot's, to the resolution of the clock: a ns, where the exact one is
   a fraction. */
bool schedule_due_is(const struct offered *offered, uint64_t slot, ns_t due_ns);
/* The load as one line of JSON, without the line end. */
void schedule_write_load(const struct offered *offered, FILE *out);

/* What a scheduler is told, */
struct schedule_event {
    bool done; /* request `number` is answered; else only the clock has moved */
    uint64_t number, client;
    ns_t at_ns;
};

/* and what it answers. */
struct schedule_send {
    uint64_t number, client;
    ns_t due_ns;
};
enum schedule_rest { REST_UNTIL /* or the next answer */, REST_DONE, REST_END };
struct schedule_turn {
    struct schedule_send *sends; /* owned */
    size_t count, capacity;
    enum schedule_rest rest;
    ns_t until_ns; /* below NS_LIMIT */
};
void schedule_turn_send(struct schedule_turn *turn, struct schedule_send send);

struct schedule_peer {
    void *self;
    /* Its turn.  False: it is out, and the peer knows why. */
    bool (*turn)(void *self, const struct schedule_event *event, struct schedule_turn *out);
};

/* How a conversation ended. */
enum schedule_end {
    SCHEDULE_ENDED,    /* it said so */
    SCHEDULE_OUT,      /* the peer gave up on it */
    SCHEDULE_TWICE,    /* a number was sent twice: `number` */
    SCHEDULE_UNKNOWN,  /* a number far beyond the slots: `number` */
    SCHEDULE_FLOODED,  /* more sends than any mistake makes */
    SCHEDULE_SPINS,    /* turn after turn at one instant without a send */
    SCHEDULE_DEADLOCK, /* waits for an answer with nothing on its way */
    SCHEDULE_BEYOND,   /* waits for an instant long after the schedule's end: `at_ns` */
    SCHEDULE_UNLIKE,   /* sends otherwise than request->like */
    SCHEDULE_STOPPED,  /* *stop was set */
    SCHEDULE_STUCK,    /* the server never gets on */
};

struct schedule_row {
    uint64_t number, client;
    ns_t due_ns, sent_ns, finished_ns; /* finished NS_LIMIT: not */
};

struct schedule_run {
    enum schedule_end end;
    uint64_t number;
    ns_t at_ns;
    struct schedule_row *rows; /* owned, in the order of sending */
    size_t count;
};

struct schedule_request {
    const struct plan *plan;
    size_t load;
    const struct offered *offered;
    ns_t late_ns; /* every wait ends so much later than it was to */
    /* NULL, or what the sends must be like, in order, by their instants and to slack_ns: the first
       that is not ends it. */
    const struct schedule_run *like;
    ns_t slack_ns;
    struct schedule_peer peer;
    const volatile sig_atomic_t *stop; /* may be NULL */
};

/* schedule_drive.c */
void schedule_drive(const struct schedule_request *request, struct schedule_run *out);
void schedule_run_free(struct schedule_run *run);

/* schedule_loop.c: a send loop of ours. */
struct manner schedule_right(const struct offered *offered);
/* request->peer is the loop. */
void schedule_run_manner(const struct schedule_request *request, const struct manner *manner,
                         struct schedule_run *out);

/* Rounds: with a clock that is exact, and, where it is clear what then is right, with one whose
   waits end late. */
#define SCHEDULE_ROUNDS 2
size_t schedule_rounds(const struct offered *offered);
ns_t schedule_late_ns(const struct offered *offered, size_t round);

/* schedule_judge.c: what the load asks for, given the answers that came in this very run, so that
   one mistake is not told again of everything behind it. */
struct schedule_judgement {
    bool conforms;
    char *first; /* the first difference, in words; NULL: none; owned */
    size_t first_round;
    uint64_t slots, sent, missing, extra, given_up; /* given up as the load allows */
    uint64_t due_wrong, early, late;
    bool chance_known;              /* of random arrivals, with enough of them: */
    double p_rate, p_gaps, p_order; /* so far from the mean rate, from exponential gaps and from
                                       independent ones, or further, by chance alone */
    ns_t drift_ns;                  /* the largest distance of a due instant from the schedule's */
    uint64_t drift_number;
    ns_t off_ns; /* the largest distance of a send from when it was right */
    uint64_t off_number;
    double offered_per_s, claimed_per_s, achieved_per_s; /* NAN: unknown */
};
void schedule_judge(const struct offered *offered, const struct schedule_run *runs, size_t rounds,
                    struct schedule_judgement *out);
void schedule_judgement_free(struct schedule_judgement *judgement);

/* schedule_name.c: the faults that would explain it. */
struct schedule_suspect {
    size_t fault; /* index into set_schedulers */
    size_t way;   /* which of its ways; NO_INDEX: none to the ns, but by what is seen */
    char *text;   /* a sentence; owned */
};
struct schedule_suspects {
    struct schedule_suspect *items; /* owned, the most likely first */
    size_t count;
};
/* request->peer and late_ns are of no account. */
void schedule_name(const struct schedule_request *request, const struct schedule_run *runs,
                   size_t rounds, struct schedule_suspects *out);
void schedule_suspects_free(struct schedule_suspects *suspects);

/* Whether the two would be told apart under this load. */
bool schedule_separates(const struct schedule_request *request, const struct schedule_suspect *a,
                        const struct schedule_suspect *b);

#endif
