/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_REPLAYING_H
#define DUETIME_REPLAYING_H

/* A run in which some exact recorders keep no samples: the same requests are run again until their
   percentiles are known to the ns. */

#include "sim/replay.h"
#include "sim/run.h"

struct work;

struct replaying {
    struct plan plan;                /* the scenario's, but for those stores */
    struct recorder_plan *recorders; /* owned: its recorders */
    struct replay_params *params;    /* owned, one a recorder */
    unsigned *passes;                /* owned, one a recorder: so far; 0: it keeps its samples */
};

/* Whether a recorder's samples are too many to be kept; exact_limit 0: the default. */
bool replaying_suits(const struct plan *plan, size_t recorder, uint64_t exact_limit);

/* False where every recorder keeps its samples. */
bool replaying_open(struct replaying *replaying, const struct plan *plan,
                    const struct run_options *options);
void replaying_close(struct replaying *replaying);

/* Until all that will be asked of the replayed stores, as far as it is known by now, has its exact
   answer.  False, with the error, where a pass could not be run. */
bool replaying_resolve(struct replaying *replaying, struct work *work, struct errors *errors);

#endif
