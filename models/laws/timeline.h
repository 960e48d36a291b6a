/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_LAWS_TIMELINE_H
#define DUETIME_LAWS_TIMELINE_H

/* The server as the exact laws see it: constant service, pauses in which nothing starts, the
   suspended time in which work stands still, and the blackouts in which no answer leaves.  Instants
   are in ns, below NS_LIMIT; NEVER is an end that does not come. */

#include "models/laws/law.h"
#include "models/loads/load.h"

#define NEVER UINT64_MAX

/* A maximal interval [begin, end) of a union of stalls.  Touching stalls are one span, but two
   blackouts: at the instant between them answers leave. */
struct span {
    ns_t begin_ns, end_ns;
    ns_t before_ns; /* total length of all earlier spans */
};

/* The spans in order, made as far as anybody has looked. */
struct span_list {
    struct span *spans; /* owned */
    size_t count, capacity;
    bool complete;
    enum { SPANS_OF_ALL, SPANS_OF_SUSPENDS, SPANS_OF_BLACKOUTS } of;
    ns_t *next_ns; /* owned: a stall's next begin; NEVER: no more; NULL: there are no stalls */
};

struct timeline {
    const struct server *server; /* borrowed */
    ns_t service_ns;             /* constant */
    struct span_list pauses, suspends, blackouts;
    uint64_t steps;
    const char *fault; /* a sentence: why the law gives up; NULL while all is well */
};

/* A free segment: services may start at any instant of [from, until). */
struct segment {
    ns_t from_ns, until_ns;
};

/* Opens the timeline of the question's server; false, and a sentence in why, where no exact law can
   hold: service not constant, a queue limit, a cut, a stationary start, random stalls.
   timeline_close releases it, and need not be called after false. */
bool timeline_open(struct timeline *t, const struct law_question *q, char why[LAW_WHY_SIZE]);
void timeline_close(struct timeline *t);

/* Counts work towards the most an exact law may do; sets fault beyond it.  Whoever loops over the
   functions below stops when there is a fault. */
void timeline_spend(struct timeline *t, uint64_t steps);

/* The first instant from at_ns on at which a service may start, and the pause after it. */
struct segment timeline_free(struct timeline *t, ns_t at_ns);

/* When the work of a service that starts at the free instant start_ns is done.  Work that is done
   at the instant a suspend begins is not extended. */
ns_t timeline_done(struct timeline *t, ns_t start_ns);

/* When the answer to work done at done_ns leaves and its worker is free: at the end of the blackout
   it falls into, if one began before; *held says whether one did. */
ns_t timeline_leave(struct timeline *t, ns_t done_ns, bool *held);

/* Both together: when a service that starts at the free instant start_ns ends. */
ns_t timeline_finish(struct timeline *t, ns_t start_ns);

/* The begin of the first suspend, or of the first suspend or blackout, at at_ns or later. */
ns_t timeline_next_suspend(struct timeline *t, ns_t at_ns);
ns_t timeline_next_change(struct timeline *t, ns_t at_ns);

/* The number of slots floor(i * num / den), i = 0, 1, ..., that fall in the run; false, and a
   sentence in why, where the schedule leaves the range of exact arithmetic. */
bool slots_in_run(struct pace pace, const struct run_plan *run, uint64_t *out,
                  char why[LAW_WHY_SIZE]);

/* The number of slots due before at_ns. */
u128 slots_before(struct pace pace, ns_t at_ns);

/* One request of a load that never sends late. */
struct answer {
    ns_t sent_ns, started_ns, finished_ns;
};

static inline ns_t answer_instant(struct answer a, enum instant which)
{
    switch (which) {
    case INSTANT_DUE:
    case INSTANT_ACQUIRED:
    case INSTANT_SENT: return a.sent_ns;
    case INSTANT_STARTED: return a.started_ns;
    case INSTANT_FINISHED: break;
    }
    return a.finished_ns;
}

#endif
