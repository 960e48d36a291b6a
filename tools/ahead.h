/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_AHEAD_H
#define DUETIME_AHEAD_H

/* Points that do not depend on one another, run on several threads ahead of the one that is wanted
   next, and handed on in their order: what comes out is the same for any number of threads. */

#include "sim/run.h"
#include "tools/progress.h"
#include "tools/ran.h"

struct ahead_points {
    const struct source *source;
    const struct plan *base;
    const struct knob *knobs;
    size_t knob_count;
    uint64_t count;
    struct run_options run; /* threads, stop and progress are not looked at */
    /* The values of one point, one a knob, which outlive all runs; from any thread. */
    void (*values)(const void *self, uint64_t point, const char **values);
    const void *self;
};

struct ahead;

/* threads 0: as many as there are processors.  A few points ahead of the next are held, no more.
   Points fewer than threads run on several threads each.  progress: shown as one for all points;
   NULL: none.  ahead_free waits for those that are being run, and releases. */
struct ahead *ahead_new(const struct ahead_points *points, unsigned threads,
                        struct progress *progress);
void ahead_free(struct ahead *ahead);

/* The next point, of which there must be one, within some ms of its being done.  Borrowed until the
   next call, but for what is moved out of it. */
struct ran *ahead_next(struct ahead *ahead);

/* While a caller writes to the terminal no progress is: ahead_quiet wipes the line. */
void ahead_quiet(struct ahead *ahead);
void ahead_loud(struct ahead *ahead);

#endif
