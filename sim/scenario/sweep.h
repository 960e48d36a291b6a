/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_SWEEP_H
#define DUETIME_SWEEP_H

#include "sim/scenario/reading.h"

/* Values of a range, and combinations of all paths, at most. */
#define SWEEP_MOST 10000

/* Paths at most: of more with two values each there are too many combinations anyway. */
#define SWEEP_PATHS_MOST 16

/* The paths with their values, into plan->sweeps.  False after putting every fault into the
   reading. */
bool read_sweep(struct reading *r, uint32_t value, struct plan *out);

/* Faults a sweep whose first combination cannot be read: an unknown path, an impossible value.  The
   others are judged when their turn comes. */
void check_sweep(struct reading *r, const struct plan *plan);

#endif
