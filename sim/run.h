/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_RUN_H
#define DUETIME_RUN_H

/* One scenario, whole: simulate, record, recount, check. */

#include <signal.h>

#include "sim/result.h"

struct run_options {
    unsigned threads;                  /* 0: as many as there are processors */
    const volatile sig_atomic_t *stop; /* set by a signal: finish soon; may be NULL */
    /* Told now and then how far the run is, 0..1; may be NULL. */
    void (*progress)(void *self, double done);
    void *progress_self;
    /* Canaries: ask the laws of this plan, of the same shape, instead of the one that runs, and see
       the checks fail.  NULL: of the one that runs. */
    const struct plan *law_plan;
    /* Samples that a recorder with an exact store may keep; where about more are expected they are
       replayed instead, to the same figures.  0: EXACT_LIMIT_DEFAULT. */
    uint64_t exact_limit;
};

#define EXACT_LIMIT_DEFAULT UINT64_C(4000000) /* 32 MB and more */

/* Runs the plan; NULL and *errors when the machine or the clock gave out.  result_free releases it.
 */
struct result *run_scenario(const struct plan *plan, const struct run_options *options,
                            struct errors *errors);

/* The laws alone, no run: result->law_only.  stop: as in the options of a run, and it leaves the
   result interrupted. */
struct result *run_laws(const struct plan *plan, const volatile sig_atomic_t *stop);

/* What the run will need, for the warning before it. */
struct run_cost {
    double requests; /* to be simulated, all passes */
    double time_ns;  /* of one processor, roughly */
    double bytes;
};
/* exact_limit: as in the options of a run. */
struct run_cost run_estimate(const struct plan *plan, uint64_t exact_limit);

/* About how many requests one replication of a load sends; 0 where only the run will tell. */
double run_load_requests(const struct plan *plan, size_t load);

#endif
