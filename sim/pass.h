/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_PASS_H
#define DUETIME_PASS_H

/* One pass: every load that is watched, every replication, spread over threads.  The same (run,
   replication) gives the same rows every time, so later passes can count what only the first one
   could know to ask. */

#include "sim/engine.h"
#include "sim/gather.h"
#include "sim/recorder.h"
#include "sim/run.h"
#include "sim/start.h"
#include "sim/watch.h"

struct pass_recorder {
    bool active; /* takes rows */
    bool stores;
    bool keeps_census;
    struct correction_rule rule;
    const ns_t *thresholds_ns; /* borrowed */
    size_t threshold_count;
    bool counts_certain;
    ns_t certain_limit_ns;
    const struct recorder_watch *watch_as; /* NULL: nothing */

    /* Of those that take the same samples the first leads, which may be itself: it alone looks at
       rows, keeps the census, and counts at the thresholds of all. */
    size_t leader;
    ns_t *counted_ns; /* owned, its own thresholds first; NULL of one that follows */
    size_t counted_count;

    struct recorder found;        /* over all replications */
    struct recorder_watch *watch; /* owned; NULL unless watch_as */
    /* Per replication, in one piece that `samples` owns: above[replication * threshold_count + k].
     */
    uint64_t *samples, *requests, *infinite, *above;
    struct census_list *census; /* per replication, the leader owns it; NULL unless keeps_census */
};

struct pass_load {
    bool active;
    size_t replications;
    struct start_law start;
    bool gathers; /* fill `watch` as the windows become known */
    bool watches; /* fill `watch` from the windows of `totals` */

    struct engine_totals *totals; /* owned, per replication; of an earlier pass if again */
    struct row_sums sums;         /* only of a first pass */
    ns_t *ended_ns;               /* owned, per replication: when the last row left the server */
    struct load_watch *watch;     /* owned, per replication; NULL unless it gathers or watches */
    struct load_watch *of_crowd;  /* the same to the last row, where a crowd tells; if it gathers */
};

struct pass {
    const struct plan *plan;
    const struct run_options *options;
    uint32_t run;
    bool again;       /* the same requests once more: loads have the totals of the first pass */
    bool census_lost; /* all that should be kept would be too much: none is whole */
    struct pass_recorder *recorders; /* owned, one a recorder of the plan */
    struct pass_load *loads;         /* owned, one a load of the plan */
    double progress_from, progress_to;
    size_t failed_load; /* the load that did not run to its end */
};

/* One replication of one load, by itself. */
struct replication_request {
    const struct plan *plan;
    size_t load;
    struct start_law start;
    uint32_t run, replication;
    bool again;     /* for its rows: totals need not be whole */
    unsigned wants; /* enum batch_wants */
    struct consumer consumer;
    const volatile sig_atomic_t *stop;
};

/* On the fast path where there is one. */
enum engine_end replication_run(const struct replication_request *request,
                                struct engine_totals *totals);

void pass_init(struct pass *pass, const struct plan *plan, const struct run_options *options,
               uint32_t run);
void pass_free(struct pass *pass);

/* Room for what is found, and who leads whom; part of pass_run. */
void pass_prepare(struct pass *pass);

/* ENGINE_DONE when everything ran, else why pass->failed_load did not. */
enum engine_end pass_run(struct pass *pass);

#endif
