/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_TESTS_FAST_BOTH_H
#define DUETIME_TESTS_FAST_BOTH_H

/* One scenario through the event engine and through a path beside it, and whether they say the
   same. */

#include "sim/engine.h"

/* Every column of the rows of a run, one row after the other. */
#define COLUMNS 12
struct fast_rows {
    uint64_t (*row)[COLUMNS];
    size_t count, room, batches;
    bool wrong_answered;
};

/* A consumer's take; self a struct fast_rows. */
void fast_gather(void *self, const struct batch *batch);

/* Print the first difference. */
bool fast_rows_equal(const struct fast_rows *engine, const struct fast_rows *fast);
bool fast_totals_equal(const struct engine_totals *engine, const struct engine_totals *fast);

struct fast_tally {
    unsigned differ, taken;
    size_t batches;
    unsigned resent, withheld, cancelled, wasted, timed_out, refused; /* runs with any */
};

/* One scenario both ways, if the fast paths take it; what it starts with is the seed's affair. */
void fast_try_both(const char *text, uint64_t seed, unsigned unit, struct fast_tally *tally);

/* FAST_TIMES=k in the environment: k times as many. */
uint64_t fast_so_many(uint64_t seeds);

#endif
