/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_BASE_BATCH_H
#define DUETIME_BASE_BATCH_H

/* Finished requests in columns, about a thousand rows at a time: the one interface between the
   engine and everything that watches it. */

#include "models/base/time.h"

#define BATCH_ROWS 1024 /* so that a few columns stay in the first cache */

enum status {
    STATUS_ANSWERED,
    STATUS_TIMED_OUT, /* the client gave up; finished is the instant at which it did */
    STATUS_REFUSED, /* at the server: its queue was full, or it refuses; finished is that instant */
    STATUS_CUT,     /* still in flight when the scenario cut the run; finished is the cut */
};

/* Columns that a consumer reads, beside due, sent, finished, ended and status.  Those that nobody
   wants may be all zeros. */
enum batch_wants {
    WANTS_STARTED = 1,
    WANTS_PARTS = 2, /* waited_stalled, served_stalled, waited_behind */
    WANTS_CLIENT = 4,
    WANTS_REPLICA = 8,
    WANTS_ALL = 15,
};

/* Instants in ns.  due <= acquired <= sent <= finished <= ended, and sent <= started <= ended for
   a request that began service; a refused one has started = finished.  The columns are borrowed for
   the time of one call, and may be one another where they are equal throughout. */
struct batch {
    size_t count;        /* at most BATCH_ROWS */
    bool answered;       /* every row was answered */
    bool in_order;       /* due instants do not fall from row to row; false: they may */
    ns_t record_from_ns; /* requests due before it belong to the run's settling: nobody records them
                          */
    const ns_t *due;
    const ns_t *acquired; /* got its window slot or connection */
    const ns_t *sent;
    const ns_t *started;
    const ns_t *finished; /* answered, or given up, as the client sees it */
    const ns_t *ended;    /* left the server: later than finished where the client gave up */
    const uint8_t *status;
    const uint64_t *client;  /* of a closed load, a connection, a session; else 0 */
    const uint32_t *replica; /* that answered, or of the first copy */
    /* Of the time from sent to started, and from started to finished, what the stations spent in
       stalls: unable to begin it while it waited; standing still with it, or holding its answer
       back.  And of the latter time what it waited at a second station, stalls apart.  0 for
       requests that were not answered. */
    const ns_t *waited_stalled;
    const ns_t *served_stalled;
    const ns_t *waited_behind;
    /* So many requests have been claimed, these among them, and the latest of them is due then: a
       hint to those who look ahead.  0: it is not told. */
    uint64_t begun;
    ns_t begun_until_ns;
};

/* The first due instant of the batch that is recorded after a warm-up; NS_LIMIT: none is. */
static inline ns_t batch_recorded_from_ns(const struct batch *batch, ns_t warmup_ns)
{
    return batch->record_from_ns >= NS_LIMIT ? NS_LIMIT : batch->record_from_ns + warmup_ns;
}

/* Parts of a row's response time, beside the send lag.  None is below 0, or the identity of their
   sum is broken. */
static inline ns_t batch_without_ns(ns_t whole_ns, ns_t part_ns)
{
    return whole_ns > part_ns ? whole_ns - part_ns : 0;
}

static inline ns_t batch_queue_ns(const struct batch *b, size_t i)
{
    return batch_without_ns(b->started[i] - b->sent[i], b->waited_stalled[i]) + b->waited_behind[i];
}

static inline ns_t batch_stall_ns(const struct batch *b, size_t i)
{
    return b->waited_stalled[i] + b->served_stalled[i];
}

static inline ns_t batch_service_ns(const struct batch *b, size_t i)
{
    return batch_without_ns(b->finished[i] - b->started[i],
                            b->served_stalled[i] + b->waited_behind[i]);
}

/* Anything that watches a run.  Rows come in the order in which requests leave the server. */
struct consumer {
    void (*take)(void *self, const struct batch *batch);
    void *self;
};

#endif
