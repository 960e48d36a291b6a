/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_SCHEDULE_LOOKS_H
#define DUETIME_SCHEDULE_LOOKS_H

/* Which kind of fault a schedule has, by what is seen of it, where none of ours is the same to the
   ns. */

#include "sim/conform/schedule.h"

/* Name of a fault of models/schedulers, or NULL.  Runs sorted by the instant of sending; `later`:
   of the round behind, with a clock that wakes late; NULL: there is none. */
const char *schedule_looks(const struct offered *offered, const struct schedule_run *seen,
                           const struct schedule_run *right, const struct schedule_run *later);
const char *schedule_looks_random(const struct offered *offered, const struct schedule_run *run);

#endif
