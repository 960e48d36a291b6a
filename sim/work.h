/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_WORK_H
#define DUETIME_WORK_H

/* A run in the making: what its steps hand to one another.  run.c calls them in order. */

#include "models/stores/store.h"
#include "sim/check.h"
#include "sim/pass.h"
#include "sim/replaying.h"
#include "sim/result.h"

/* One order statistic behind a printed percentile.  The recount counts below its cell and up to its
   end: points `recount` and `recount + 1` of the recorder's. */
struct order {
    uint64_t rank;
    struct stored stored;
    size_t recount;
};

/* A percentile being made: one order statistic, or two to interpolate between. */
struct percentile_work {
    bool present;  /* there are samples */
    bool infinite; /* the rank falls on a failure that counts as infinite */
    uint64_t rank, num, den;
    struct order lower, upper;
    ns_t law_threshold_ns; /* random laws: where the statistic cuts */
    struct judgement judgement;
    bool judged;
};

struct recorder_work {
    struct law law, truth;
    bool statistical;    /* the law is random and the run started in its state */
    ns_t *thresholds_ns; /* first pass: the report's, then the law's, one a percentile */
    ns_t *recount_ns;    /* two points an order statistic */
    size_t recount_count;
    uint64_t *recounted; /* a replication: its samples, counted again; owned, with up_to */
    uint64_t *up_to;     /* a replication and point: those at or below it */
    struct percentile_work *percentiles;
    ns_t tail_ns; /* nearest-rank p99, for the gates */
    bool has_tail;
    ns_t auto_interval_ns;       /* of a correction that takes it from the run itself */
    struct recorder_watch watch; /* what is to be watched */
    bool watched;                /* it was, in the first pass, which foresaw the tail */
};

struct work {
    const struct plan *plan;
    const struct run_options *options;
    struct result *result;
    struct recorder_work *recorders;
    struct start_law *starts; /* one a load */
    size_t *replications;     /* one a load; owned, with watched */
    struct law_memo memo;     /* of the plan that the laws are asked of */
    size_t *watched; /* of these the first so many are watched for the gates in later passes */
    /* Record; watch the first replications, or all, and count again what the census could not. */
    struct pass first, second;
    struct replaying *replaying; /* NULL: every recorder keeps its samples */
};

/* recount.c: fills up_to and recounted.  By the census of the first pass, false where that does not
   know all of it; else after the second. */
bool work_recount_by_census(struct work *work, size_t recorder);
void work_recount_by_pass(struct work *work, size_t recorder);

/* Whether a printed percentile's ranks are those of its cells, by the recount. */
bool work_chain_holds(const struct work *work, size_t recorder, size_t percentile);

/* What was seen of a load's window, one a replication; NULL before the second pass has seen what
   the first could not. */
const struct load_watch *work_load_watch(const struct work *work, size_t load);

/* What was seen of a recorder's windows, and in how many replications. */
const struct recorder_watch *work_recorder_watch(const struct work *work, size_t recorder);
size_t work_watched(const struct work *work, size_t recorder);
#define WATCHED_MORE 8 /* together, where the first alarms and there are more */

/* laws.c: asks for every recorder's law and truth, and fixes the thresholds. */
void work_find_laws(struct work *work);

/* After a signal: then the result is not finished, and nothing that takes long is begun. */
static inline bool work_stopped(struct work *work)
{
    if (work->options->stop != NULL && *work->options->stop != 0)
        work->result->interrupted = true;
    return work->result->interrupted;
}

/* cells.c */
void work_find_percentiles(struct work *work, size_t recorder); /* after the first pass */
void work_judge(struct work *work, struct pass *pass, bool again);
void work_fill_cells(struct work *work, size_t recorder); /* after the second pass */
void work_fill_laws(struct work *work, size_t recorder);  /* laws and truths, run or not */

/* The nearest-rank p99 that an exact law says the store prints; false: it says nothing. */
bool work_law_tail(const struct work *work, size_t recorder, ns_t *tail_ns);

/* What the store prints for an order statistic: its cell's highest value, cut to the maximum. */
ns_t work_printed_ns(const struct recorder_plan *plan, struct stored stored, ns_t max_ns);

/* groups_found.c: windows, clients and replicas by themselves, and the average of their
 * percentiles. */
void work_fill_groups(struct work *work, size_t recorder); /* before work_fill_cells */
bool work_averages(const struct work *work, size_t recorder);
void work_fill_average(struct work *work, size_t recorder, size_t i, struct cell *cell);
void work_warn_of_average(struct work *work, size_t recorder); /* while cells hold percentiles */
/* NULL where the groups together are the whole, figure by figure; else why not, owned. */
char *work_merge_fault(const struct work *work, size_t recorder);

/* intervals.c: confidence intervals, after the second pass; how far each percentile wanders, run or
   not. */
void work_fill_intervals(struct work *work, size_t recorder);
void work_ask_intervals(const struct work *work, size_t recorder); /* its store, before that */
void work_fill_wander(struct work *work, size_t recorder);

/* tallies.c: the figures of whole recorders and loads. */
void work_fill_recorder(struct work *work, size_t recorder);
void work_fill_load(struct work *work, size_t load);

/* identities.c, gates.c, expect.c */
void work_fill_identities(struct work *work);
void work_fill_gates(struct work *work);
void work_fill_expects(struct work *work);

/* describe.c: the short texts of loads, corrections, stores and rank rules. */
void work_describe(struct work *work);

/* run.c: runs a pass; a stop is no failure, but leaves the result unfinished. */
bool work_run_pass(struct work *work, struct pass *pass, struct errors *errors);
void work_plan_pass(const struct work *work, struct pass *pass); /* its loads */

/* again.c: plans what the first pass is to watch, where a law tells the tail; false. */
bool work_foresee_watch(struct work *work, size_t recorder);

/* again.c: the passes after the first, of the same requests.  False, with the error, where one
   could not be run. */
bool work_look_again(struct work *work, struct errors *errors);

/* gates.c: whether a gate of a recorder's watch fails: then more is to be watched. */
bool work_watch_alarms(const struct work *work, size_t recorder);

/* run.c: the interval of a correction that takes it from the run, after a pass. */
ns_t work_interval_ns(const struct load_plan *plan, const struct pass_load *load);

/* What a load asks of the run that it cannot have; the fault stands where the load's name does. */
void work_add_load_error(struct errors *errors, const struct plan *plan, size_t load,
                         const char *what);

#endif
