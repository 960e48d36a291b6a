/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_WATCH_H
#define DUETIME_WATCH_H

/* What is seen of a load in its rows, beside its recorders: sums for the identities, counts for the
   gates. */

#include "models/plan.h"
#include "sim/columns.h"

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

    /* Send lags of recorded requests by their leading bits. */
    uint64_t *lags; /* owned; NULL: all are 0 so far */
    size_t lag_end; /* beyond the last of lags that is not 0 */
    uint64_t without_lag;
};

void row_sums_take(struct row_sums *sums, struct columns *columns);
void row_sums_merge(struct row_sums *into, const struct row_sums *from);
void row_sums_free(struct row_sums *sums);

/* The nearest-rank p99 of the send lags, to about 3 digits. */
ns_t row_sums_lag_ns(const struct row_sums *sums);

/* Of one load in one replication, once the window of due instants is known. */
struct load_watch {
    bool known; /* gathered in the first pass: a second one has nothing to add */
    ns_t begin_ns, end_ns;
    uint64_t answered_in_window;
    uint64_t quarter_count[WATCH_QUARTERS]; /* answered, by due instant */
    u128 quarter_sum_ns[WATCH_QUARTERS];    /* of finished - due */
};

/* Where the second quarter of a window begins, and the third and the fourth. */
struct watch_edges {
    ns_t of_ns[WATCH_QUARTERS - 1];
};
struct watch_edges watch_edges(const struct load_watch *watch);

/* The quarter that a due instant is in, or would be if the window were longer. */
static inline size_t watch_quarter(const struct watch_edges *edges, ns_t due_ns)
{
    size_t quarter = 0;
    for (size_t q = 0; q < WATCH_QUARTERS - 1; q++)
        quarter += due_ns >= edges->of_ns[q];
    return quarter;
}

/* In a pass of its own. */
void load_watch_take(struct load_watch *watch, struct columns *columns);

/* Of requests that are due in it: how many were answered, and how many of these were slow. */
struct watch_window {
    uint64_t count, above;
};

/* Of one recorder, once the tail of the whole run is known, or foreseen. */
struct recorder_watch {
    const struct recorder_plan *plan;
    ns_t tail_ns;      /* the whole run's p99, or its law's */
    ns_t lag_limit_ns; /* send lag above it is too much */
    uint64_t late_sends, sends;
    ns_t width_ns; /* of a window of due instants: 1 s, doubled until all have room */
    struct watch_window *windows; /* owned; behind them nothing was due */
    size_t window_count;          /* at most WATCH_WINDOWS */
};

/* A watch for the same as another, which has seen nothing yet. */
struct recorder_watch *recorder_watch_new(const struct recorder_watch *as);
void recorder_watch_free(struct recorder_watch *watch); /* may be NULL */

void recorder_watch_take(struct recorder_watch *watch, struct columns *columns);
/* Both may have their windows widened. */
void recorder_watch_merge(struct recorder_watch *into, struct recorder_watch *from);

#endif
