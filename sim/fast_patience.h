/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_FAST_PATIENCE_H
#define DUETIME_FAST_PATIENCE_H

/* Clients that give up, of requests that several workers serve all the same: how many are in
   flight.  Those that give up do so in the order of their sends, and the others are answered in the
   order in which they leave the server.  So of both a list is in order, and what of them is over
   at a send are their first ones. */

#include "sim/fast_parts.h"

/* In order; those before `next` are not after the latest send. */
struct instants {
    ns_t *at_ns; /* owned */
    size_t next, end, room;
};

struct patience {
    struct instants answers, endings; /* of those that are answered, and of those given up */
    uint64_t in_flight;
    ns_t last_over_ns;
    ns_t over_ns[BATCH_ROWS]; /* in order of the sends, and then as they leave */
    uint8_t gave_up[BATCH_ROWS];
};

void patience_close(struct patience *patience);
void patience_room(struct instants *instants, size_t more);

/* The next to leave the server, where there is room.  One that takes no time at all is there at its
   own send alone, and none of the list. */
static inline void patience_answer(struct patience *p, ns_t patience_ns, ns_t sent_ns, ns_t done_ns)
{
    p->answers.at_ns[p->answers.end] = done_ns;
    p->answers.end += done_ns > sent_ns && done_ns - sent_ns <= patience_ns;
}

/* Counts rows in order of their sends; all answers up to the last of these are known. */
void patience_count(struct patience *patience, struct fast *fast, const ns_t *sent_ns,
                    const ns_t *done_ns, ns_t latest_ns, size_t rows);

/* Counts rows that leave the server, with their status in its column, and says when their clients
   had an answer or gave up, and whether all had an answer.  Patience may have no end. */
const ns_t *patience_leave(struct patience *patience, struct fast *fast, const ns_t *sent_ns,
                           const ns_t *done_ns, size_t rows, bool *answered);

#endif
