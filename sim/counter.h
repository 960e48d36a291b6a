/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_COUNTER_H
#define DUETIME_COUNTER_H

/* How many samples lie above each of some thresholds, counted by code that shares nothing with a
   store.  Real samples go into a census: of a column only those in a threshold's own cell, of which
   there are few, are looked at one by one. */

#include "sim/census.h"
#include "sim/columns.h"

struct counter {
    const ns_t *thresholds_ns; /* borrowed */
    size_t count;
    uint64_t *above;       /* owned, with both below; whole when the replication has ended */
    uint32_t *cells;       /* of each threshold */
    uint32_t *fresh;       /* what was in those cells before a block */
    struct census *census; /* owned; NULL: there are no thresholds */
};

void counter_open(struct counter *counter, const ns_t *thresholds_ns, size_t count);
void counter_close(struct counter *counter);

/* For one that takes no columns, but copies what another counts that has all of its thresholds. */
void counter_drop_census(struct counter *counter);
void counter_copy(struct counter *counter, const struct counter *of);

/* Makes room for a column of samples, which are then taken a piece at a time.  cells: those of the
   census, or NULL where the samples are one value. */
void counter_make_room(struct counter *counter, const struct column *column);
void counter_take(struct counter *counter, const struct piece *piece,
                  const struct census_cells *cells);

/* Completes `above`.  The census of the replication is the caller's, or NULL drops it. */
void counter_end_replication(struct counter *counter, struct census_list *census);

#endif
