/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_LADDER_H
#define DUETIME_LADDER_H

/* Counts runs of samples into cells at a cost that does not depend on how long they are.

   A run is rest, rest + interval, ... units above the lowest: so many times.  Let a cell end at
   level * interval + within.  Of a run that reaches further up than that, level samples lie below
   the end, and one more if rest < within; of any other run, all.  So one sum over the cells from
   below gives all but how many of the runs that go on have rest < within.  Those are counted for
   some ten thousands of runs at once, sorted by rest, the ends by within: of the runs passed so far
   counts of cells, and of groups of cells, tell how many reach beyond a cell. */

#include "models/corrections/correction.h"
#include "models/stores/store.h"

/* The cells, as a store has them. */
typedef struct stored cell_function(const void *params, ns_t value_ns);

struct ladder;

struct ladder *ladder_open(cell_function *cell, const void *params, struct correction_rule rule);
void ladder_close(struct ladder *ladder); /* may be NULL */

/* Makes room for runs of values up to this, most_ns <= LADDER_VALUE_MOST, at most so many cells;
   false: they are more. */
bool ladder_reaches(struct ladder *ladder, ns_t most_ns, size_t cells_most);

/* Runs of at most LADDER_RUNS_AT_ONCE, some of them perhaps of nothing; rests < interval <
   LADDER_INTERVAL_MOST.  The ladder reaches the values that they are for. */
void ladder_add(struct ladder *ladder, const uint64_t *times, const uint64_t *rests, size_t count);
#define LADDER_INTERVAL_MOST (UINT64_C(1) << 43)
#define LADDER_RUNS_AT_ONCE 256
#define LADDER_VALUE_MOST (UINT64_C(1) << 52)

/* Passes on, from below, a value of each cell that holds some, and how many, and empties it. */
void ladder_empty(struct ladder *ladder, void (*put)(void *self, ns_t value_ns, uint64_t times),
                  void *self);

#endif
