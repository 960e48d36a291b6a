/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_FAST_COPIES_H
#define DUETIME_FAST_COPIES_H

/* An open load without a limit against replicas that serve first come first served, whose clients
   may send further copies, give up and take copies back: the event engine's own order of events,
   but of three kinds of them alone.  Due instants are known ahead; timers of one length come in the
   order in which they are set; and only services need a heap.  fast_copies.c is the run and its
   memory, fast_attempts.c what happens to a copy; fast_entries.h, fast_replicas.h and fast_timers.h
   are parts of it.  Nothing else includes this. */

#include "models/policies/resend.h"
#include "sim/fast_ends.h"
#include "sim/fast_parts.h"

#define NEVER UINT64_MAX
#define NOBODY UINT32_MAX

/* Below the request's number in an order: of its copies, and of what a timer is for. */
#define ORDER_BITS 10
enum timer_for { TIMER_TIMEOUT, TIMER_RESEND, TIMER_ABANDON /* and the copy's number */ };

/* Instead of a number. */
#define NO_REQUEST NEVER
#define INITIAL_JOB (NEVER - 1)

/* What a client waits for, or its copies still do. */
struct pending {
    uint64_t number;
    ns_t sent_ns, started_ns, finished_ns;
    uint32_t first;       /* of its copies that are there, the last sent first; NOBODY ends it */
    uint32_t open;        /* how many they are */
    uint32_t copies_sent; /* in all */
    uint16_t replica;     /* of the answer, else of the first copy */
    uint16_t first_replica;
    uint8_t status; /* once done */
    bool done;      /* answered, given up or refused */
};

enum where {
    PLACE_NONE,
    PLACE_QUEUE,
    PLACE_SERVICE,
    PLACE_TAKEN_BACK /* but still among others */
};

/* One copy of it. */
struct attempt {
    uint64_t order; /* the request's number and the copy's: of those that end at one instant */
    ns_t begun_ns, work_ns;
    uint32_t request, next; /* of the same request */
    uint32_t behind;        /* in the queue */
    uint16_t copy;          /* 0 the first */
    uint16_t replica;
    uint8_t place; /* enum where */
};

/* A request with its first copy; or a further copy alone. */
struct entry {
    struct pending request;
    struct attempt copy;
};

struct replica {
    uint32_t front, back; /* of its queue, those taken back included; front NOBODY: there is none */
    uint64_t serving;
    bool listed; /* among those whose queue may move on */
};

struct timer {
    ns_t at_ns;
    uint64_t order;   /* the request's number and enum timer_for */
    uint32_t request; /* its entry */
};

/* Timers of one length: a ring, in order. */
struct timers {
    struct timer *items;          /* owned */
    size_t head, count, capacity; /* capacity a power of two */
    ns_t first_ns;                /* NEVER: there is none */
};

struct copies {
    struct fast fast;
    const struct load_plan *load;
    const struct resend *resend; /* NULL: one copy */
    bool elsewhere;              /* each further copy goes to the next replica */
    struct stream routing_stream;
    uint64_t workers, room; /* of each replica: copies that it serves, and that it takes */

    size_t next, known; /* of the columns of due instants and works */
    bool more;          /* to draw */
    ns_t due_ns;        /* NEVER: none will follow */
    uint64_t sent;
    ns_t now_ns;
    bool overflow, stopped;

    struct entry *entries; /* owned */
    uint32_t *free_entries, entry_count, free_count;

    struct replica *replicas;
    uint64_t *there; /* copies at each replica */
    /* Those whose queues may move on as soon as no other service ends at the instant. */
    uint32_t *listed;
    size_t listed_count;
    struct ends services; /* payload the entry */
    uint64_t broken_off;  /* services that are still there */
    struct timers timeouts, resends;

    uint64_t in_flight, further; /* further: copies beyond the first ones */
    u128 work_ns;                /* done */
    size_t rows;                 /* in the columns */
    uint8_t failed;              /* some of them */
    ns_t ended_ns[BATCH_ROWS];
    uint32_t replica[BATCH_ROWS];
};

/* ---- fast_attempts.c ---- */

/* A job that is there at time 0; at one instant it ends before or after others, as it has no row.
 */
void attempts_begin(struct copies *copies, uint32_t replica, ns_t work_ns);

/* From there to the end of all. */
void attempts_run(struct copies *copies);

/* ---- fast_copies.c ---- */

/* The columns of what is due next, and due_ns. */
void copies_draw(struct copies *copies);

/* Twice as many entries. */
void copies_grow(struct copies *copies);

/* Room for one more timer: drops the dead; a ring that is still more than half full grows. */
void copies_make_room(const struct copies *copies, struct timers *timers);

/* Drops services that were broken off if they are most of all; else each stays until it comes
   first. */
void copies_forget_broken_off(struct copies *copies);

/* Hands the rows on. */
void copies_hand_on(struct copies *copies);

#endif
