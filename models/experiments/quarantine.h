/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_QUARANTINE_H
#define DUETIME_QUARANTINE_H

/* Points that stand or fall together.  Where a gate fails at one of them the whole group is set
   aside: to drop the caught ones alone would keep those which the gate did not see, and make them
   look the better for it. */

#include "models/experiments/experiment.h"

struct group_point {
    char *group;
    size_t number;
    char *gates; /* "" none failed */
};

struct quarantine {
    struct group_point *points;
    size_t count, capacity;
};

/* Notes a point with the gates of one recorder; further recorders of it right after. */
void quarantine_add(struct quarantine *q, const char *group, const struct seen *seen,
                    size_t recorder);

/* True where no point of the group failed a gate. */
bool quarantine_stands(const struct quarantine *q, const char *group);

/* One finding for each group that is set aside, with what is lost by it, or one that none is. */
void quarantine_tell(const struct quarantine *q, const struct lab *lab);
void quarantine_free(struct quarantine *q);

#endif
