/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_READABLE_H
#define DUETIME_READABLE_H

/* Whether all points of a sweep can be read, asked before the first one runs. */

#include "sim/experiments/points.h"
#include "sim/run.h"

struct readable {
    const struct source *source;
    const struct plan *plan;
    const struct knob *knobs; /* one a path of the sweep */
    uint64_t exact_limit;     /* as in the options of a run */
    struct run_cost cost;     /* found: requests of all points, bytes of the largest */
};

/* On so many threads, 0: as many as there are processors.  False and every fault in *errors, each
   once, in the order of the points; false too after a signal. */
bool readable_all(struct readable *readable, unsigned threads, struct errors *errors);

#endif
