/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_WATCH_H
#define DUETIME_WATCH_H

/* What is seen of a load in its rows, beside its recorders: sums for the identities in the first
   pass, counts for the gates in the second. */

#include "models/base/batch.h"
#include "models/plan.h"
#include "sim/counts.h"

#define WATCH_WINDOWS 4096
#define WATCH_QUARTERS 4

/* First pass: from rows alone, so that the engine's own totals can be held against it. */
struct row_sums {
    uint64_t answered, timed_out, refused, cut;
    u128 in_system_ns; /* sum of finished - sent */

    /* Of answered requests: send lag, queue, stalls and service, none of them below 0, beside the
       response times that they make up. */
    bool takes_parts;
    u128 parts_ns, response_ns;

    /* Send lags of recorded requests, to 14 leading bits; those of 0 apart. */
    struct counts lags;
    uint64_t without_lag;
};

void row_sums_take(struct row_sums *sums, const struct batch *batch);
void row_sums_merge(struct row_sums *into, const struct row_sums *from);
void row_sums_free(struct row_sums *sums);

/* The nearest-rank p99 of the send lags, to about 3 digits. */
ns_t row_sums_lag_ns(const struct row_sums *sums);

/* Second pass, of one load in one replication: the window of due instants is known now. */
struct load_watch {
    ns_t begin_ns, end_ns;
    uint64_t answered_in_window;
    uint64_t quarter_count[WATCH_QUARTERS]; /* answered, by due instant */
    u128 quarter_sum_ns[WATCH_QUARTERS];    /* of finished - due */
};

void load_watch_take(struct load_watch *watch, const struct batch *batch);

/* Second pass, of one recorder: the tail of the whole run is known now. */
struct recorder_watch {
    const struct recorder_plan *plan;
    ns_t tail_ns;      /* the whole run's p99 */
    ns_t lag_limit_ns; /* send lag above it is too much */
    uint64_t late_sends, sends;
    ns_t width_ns; /* of a window of due instants: 1 s, or more on very long runs */
    uint64_t window_count[WATCH_WINDOWS], window_above[WATCH_WINDOWS];
};

void recorder_watch_take(struct recorder_watch *watch, const struct batch *batch);
void recorder_watch_merge(struct recorder_watch *into, const struct recorder_watch *from);

#endif
