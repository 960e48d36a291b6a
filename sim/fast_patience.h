/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_FAST_PATIENCE_H
#define DUETIME_FAST_PATIENCE_H

/* Clients that give up, of requests that several workers serve all the same: how many are in
   flight.  Those that give up do so in the order of their sends, and the others are answered in the
   order in which they leave the server.  So of both a list is in order, and what of them is over
   at a send are their first ones. */

#include "sim/fast_parts.h"

/* A column in order; those before `next` have been dealt with. */
struct instants {
    ns_t *at_ns; /* owned */
    size_t next, end, room;
};

struct patience {
    struct instants answers, endings; /* of those that are answered, and of those given up */
    struct instants sent, done;       /* of all requests, in the order of their sends */
    uint64_t in_flight;
    ns_t last_over_ns;
    ns_t over_ns[BATCH_ROWS]; /* in order of the sends, and then as they leave */
    uint8_t gave_up[BATCH_ROWS];
};

void patience_close(struct patience *patience);

/* Rows that are sent then, and leave the server then. */
void patience_sent(struct patience *patience, const ns_t *sent_ns, const ns_t *done_ns,
                   size_t rows);

/* Rows leave the server, at most BATCH_ROWS: as many are counted, in the order of their sends. When
   n have left the server, so has whatever is answered before the n-th send. */
void patience_over(struct patience *patience, struct fast *fast, const ns_t *sent_ns,
                   const ns_t *done_ns, size_t rows);

/* Counts the answers to rows that leave the server, with their status in its column, and says when
   their clients had an answer or gave up, and whether all had an answer.  Patience may have no end.
 */
const ns_t *patience_leave(struct patience *patience, struct fast *fast, const ns_t *sent_ns,
                           const ns_t *done_ns, size_t rows, bool *answered);

#endif
