/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_LANE_KERNELS_H
#define DUETIME_LANE_KERNELS_H

/* A line of one worker whose gaps and works are drawn in lanes (models/base/draw_kernels.h): eight
   stretches of sixteen rows at a time, none of which waits for another until all have been looked
   at.  Only where vectors are wide enough does it cost less than draws, sums and Lindley's
   recursion one after another, which give the same. */

#include "models/base/draw_kernels.h"
#include "sim/queue_kernels.h"

#define STRETCH (DRAWS_IN_LANES / 8)

/* The line as a row left it: when that was due and done; and the sums of all rows since. */
struct line_state {
    ns_t due_ns, done_ns;
    struct served sums;
};

struct lane_kernels {
    /* Lindley's recursion over a whole number of DRAWS_IN_LANES: due[i] = due[i-1] + gap[i],
       done[i] = max(due[i], done[i-1]) + work[i].  Works are below QUEUE_LONG_NS, and so are gaps.
       Columns that are written share nothing with those that are read.  NULL: use the others. */
    void (*serve)(const ns_t *gap_ns, const ns_t *work_ns, struct line_state *line, ns_t *due_ns,
                  ns_t *done_ns, size_t count);
};
VECTOR_TABLES(lane_kernels)

#endif
