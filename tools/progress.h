/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_PROGRESS_H
#define DUETIME_PROGRESS_H

/* How far a long run is, on standard error: one line, rewritten, and only on a terminal. */

#include "sim/run.h"

struct progress {
    const char *file; /* borrowed */
    bool shown;       /* standard error is a terminal */
    bool written;     /* there is a line to wipe */
    double began_s, told_s;
};

/* Also warns when the run will take long or much memory. */
void progress_begin(struct progress *progress, const char *file, struct run_cost cost);
void progress_tell(void *progress, double done); /* 0..1 */
void progress_end(struct progress *progress);

#endif
