/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_DETECT_H
#define DUETIME_DETECT_H

/* How long a run must be for its checks to see an error of a given size: run.detect.

   The length follows from the law's variance inflation or, where no law gives it, from that of a
   pilot whose samples are thrown away: its streams are those of run 2, which no other pass uses.
   The samples of the run itself never influence its length. */

#include "sim/run.h"

struct plan_sizing {
    uint64_t requests; /* a replication */
    bool capped;       /* more would have been needed */
    char text[400];    /* what was chosen, and why */
};

/* Chooses requests such that the detectable error of percentile run.detect_p is at most
   run.detect_within for every recorder with a law, rounded up to 1, 2 or 5 times a power of ten, at
   most 10^8 requests in all; the plan gives no length itself.  False and *errors where it cannot:
   no recorder has such a law, or the machine gave out. *interrupted (not NULL) is set, and *out is
   not, when a signal stopped the pilot. */
bool detect_size(const struct plan *plan, const struct run_options *options,
                 struct plan_sizing *out, bool *interrupted, struct errors *errors);

#endif
