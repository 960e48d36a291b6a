/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_GATHER_H
#define DUETIME_GATHER_H

/* What the gates ask of a load by quarters of its window, gathered in the one pass.  Where the
   window is not known beforehand, rows are kept in up to a thousand buckets of equally many, in the
   order in which they leave, and the latest answers one by one.  Where that does not reach, or too
   many leave so late that a bucket holds some of several quarters, a crowd may tell to the last
   row; or else a pass that knows the window has to look again. */

#include "sim/crowd.h"
#include "sim/watch.h"

#define GATHER_BUCKETS 1024
#define GATHER_RECENT 8 /* batches */

struct gather_bucket {
    ns_t least_ns, greatest_ns; /* due instants in it */
    uint64_t count;
    u128 sum_ns; /* of finished - due */
};

/* One replication at a time. */
struct gather {
    ns_t warmup_ns;
    bool exact;          /* no bucket may hold some of two quarters */
    uint64_t rows, seen; /* rows there will be, 0 where that is not known; and those there were */
    uint64_t bucket_rows;
    size_t bucket_count;
    uint64_t answered;  /* at or after the window's beginning */
    ns_t unrecorded_ns; /* the last row's end while nobody knew when recording begins */
    ns_t gone_ns;       /* no answer that is no longer among the recent ones came later */
    size_t batches;     /* so far */
    size_t recent_count[GATHER_RECENT];
    ns_t recent_until_ns[GATHER_RECENT]; /* no answer in it came later */
    struct crowd crowd;                  /* exact where that is not enough */
    struct gather_bucket buckets[GATHER_BUCKETS];
    ns_t recent_ns[GATHER_RECENT][BATCH_ROWS];
};

void gather_open(struct gather *gather);
void gather_close(struct gather *gather);

/* A replication.  rows: how many there will be, if that is known; else 0. */
void gather_begin(struct gather *gather, ns_t warmup_ns, uint64_t rows, bool exact);
void gather_take(struct gather *gather, struct columns *columns);

/* Fills the watch, whose window is given; watch->known says whether it could.  of_crowd becomes
   the same as the crowd tells it: one of them may be known without the other. */
void gather_end(struct gather *gather, struct load_watch *watch, struct load_watch *of_crowd);

#endif
