/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_BASE_BATCH_H
#define DUETIME_BASE_BATCH_H

/* Finished requests in columns, a few thousand rows at a time: the one interface between the engine
   and everything that watches it. */

#include "models/base/time.h"

#define BATCH_ROWS 4096

enum status {
    STATUS_ANSWERED,
    STATUS_TIMED_OUT, /* the client gave up; finished is the instant at which it did */
    STATUS_REFUSED,   /* the queue was full; finished is the instant it was sent */
    STATUS_CUT,       /* still in flight when the scenario cut the run; finished is the cut */
};

/* Instants in ns.  due <= acquired <= sent <= finished <= ended, and sent <= started <= ended for
   a request that began service; a refused one has started = finished. */
struct batch {
    size_t count;
    ns_t due[BATCH_ROWS];
    ns_t acquired[BATCH_ROWS]; /* got its window slot or connection */
    ns_t sent[BATCH_ROWS];
    ns_t started[BATCH_ROWS];
    ns_t finished[BATCH_ROWS]; /* answered, or given up, as the client sees it */
    ns_t ended[BATCH_ROWS];    /* left the server: later than finished where the client gave up */
    uint8_t status[BATCH_ROWS];
};

/* Anything that watches a run.  Rows come in the order in which requests leave the server. */
struct consumer {
    void (*take)(void *self, const struct batch *batch);
    void *self;
};

#endif
