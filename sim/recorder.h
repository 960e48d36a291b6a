/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_RECORDER_H
#define DUETIME_RECORDER_H

/* A recorder at work: takes batches, subtracts two instants, corrects, stores, and counts.  One
   runs in each thread; recorder_merge brings them together, and since everything in it is a sum, a
   minimum or a maximum, in any order. */

#include <signal.h>

#include "models/base/batch.h"
#include "models/corrections/correction.h"
#include "models/plan.h"
#include "sim/corrected.h"
#include "sim/columns.h"
#include "sim/counter.h"
#include "sim/groups.h"

/* Exact whatever the store: kept beside it. */
struct tally {
    uint64_t requests; /* real samples, infinite ones apart */
    uint64_t added;    /* by the correction */
    uint64_t excluded; /* failures that were dropped */
    uint64_t infinite; /* failures that count as infinite */
    uint64_t censored; /* among requests: known from below only */
    ns_t censored_min_ns;
    u128 sum_ns;
    ns_t min_ns, max_ns;
    bool overflow; /* a correction would add more than SAMPLES_MOST */
};

/* Added samples of a recorder at most, so that no count wraps. */
#define SAMPLES_MOST (UINT64_C(1) << 60)

struct recorder {
    const struct recorder_plan *plan;
    struct correction_rule rule;
    void *store;                 /* NULL: count only; whole once corrected_settle was called */
    struct corrected *corrected; /* owned; NULL: nothing is held back */
    struct groups *groups;       /* owned; NULL: none, or count only */
    const volatile sig_atomic_t *stop; /* looked at between corrections; may be NULL */
    struct tally tally;
    struct counter counter;
    bool shares;    /* the samples since the replication began are in the leader's census alone */
    uint32_t apart; /* numbers of the cells of such a store, less those of the census */
    struct recorder *followed_by; /* takes the same samples, into a store of its own; NULL: none */
    bool counts_certain; /* also count the samples that are certain and <= certain_limit_ns */
    ns_t certain_limit_ns;
    uint64_t certain;
};

const ns_t *recorder_column(const struct batch *batch, enum instant instant);

/* What the stopwatch shows for a row: the time between two instants, or a part of the response
   time. Of a request that was not answered only the former is known. */
ns_t recorder_value_ns(const struct recorder_plan *plan, const struct batch *batch, size_t row);

/* Opens a store of the plan's kind when stores is true.  thresholds_ns is borrowed.  A census of
   the real samples is taken where there are thresholds. */
void recorder_open(struct recorder *recorder, const struct recorder_plan *plan,
                   struct correction_rule rule, bool stores, const ns_t *thresholds_ns,
                   size_t threshold_count);
void recorder_close(struct recorder *recorder);
void recorder_take(struct recorder *recorder, struct columns *columns);

/* Whether two recorders take the same samples, and no others, so that only what they make of them
   differs. */
bool recorder_samples_alike(const struct recorder_plan *a, const struct recorder_plan *b);

/* From now on the recorder has the samples that its leader takes, which is alike and counts at all
   of its thresholds, too: nothing is left to do for it but to store them. */
void recorder_follow(struct recorder *recorder, struct recorder *leader);

/* Completes the counters, and those that follow.  What there is of a census, that of real samples,
   is the caller's; NULL drops it. */
void recorder_end_replication(struct recorder *recorder, struct census_list *census);

/* enum batch_wants: the columns that it reads. */
unsigned recorder_wants(const struct recorder_plan *plan);

/* Whether a census is worth keeping to count its samples again: one cell of its store, looked at
   for all, ends where one of a census does, and a correction adds none that a census does not have.
   A guess: whoever counts asks the census whether it knows. */
bool recorder_suits_census(const struct recorder_plan *plan);

/* Whether all rows were answered and are recorded. */
bool recorder_takes_all(const struct batch *batch, ns_t recorded_from_ns);
void recorder_merge(struct recorder *into, struct recorder *from);

static inline uint64_t recorder_samples(const struct recorder *recorder)
{
    return recorder->tally.requests + recorder->tally.added + recorder->tally.infinite;
}

#endif
