/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_CROWD_H
#define DUETIME_CROWD_H

/* What gather.h gathers, exactly, where many are in flight, so that rows of all quarters leave side
   by side.  From what has been claimed so far it is foreseen where the window will end and,
   roughly, where its quarters will: rows due near such an edge are kept one by one, the others only
   counted and summed up, for the edge that it comes to be lies on one side of them.  Of the answers
   those are kept that are no earlier than the latest due instant, which is in the window.  Where an
   edge comes to lie elsewhere it says that it does not know. */

#include "sim/watch.h"

#define CROWD_EDGES (WATCH_QUARTERS - 1)

/* Rows due in [low, high) are kept. */
struct crowd_edge {
    ns_t low_ns, high_ns;
};

struct crowd_row {
    ns_t due_ns, time_ns; /* from due to finished */
};

/* Of one replication; its arrays are owned. */
struct crowd {
    bool lost;       /* it knows nothing: few are in flight, or it cannot tell */
    uint64_t rows;   /* there will be; 0: not known */
    ns_t begin_ns;   /* of the window */
    uint64_t seen;   /* rows */
    uint64_t marked; /* so many had been claimed, the latest due then, when it began to look */
    ns_t marked_ns;
    ns_t due_until_ns;  /* the latest that was claimed so far */
    ns_t greatest_ns;   /* due, of the rows so far */
    uint64_t in_window; /* answers that are known to be */
    struct crowd_edge edges[CROWD_EDGES];
    uint64_t count[WATCH_QUARTERS]; /* surely of that quarter */
    u128 sum_ns[WATCH_QUARTERS];
    struct crowd_row *kept;
    size_t kept_count, kept_room;
    ns_t *late_ns; /* answers, in order */
    size_t late_count, late_room;
};

/* rows: how many there will be, 0 where that is not known.  Memory of another replication is used
   again. */
void crowd_begin(struct crowd *crowd, uint64_t rows);
void crowd_free(struct crowd *crowd);

/* The window begins then, as far as is known. */
void crowd_take(struct crowd *crowd, struct columns *columns, ns_t begin_ns);

/* Fills the watch, whose window is given, unless it does not know: false. */
bool crowd_end(const struct crowd *crowd, struct load_watch *watch);

#endif
