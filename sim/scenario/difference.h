/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_DIFFERENCE_H
#define DUETIME_DIFFERENCE_H

/* Where two scenarios are not the same, every default filled. */

#include "models/plan.h"

/* The JSON paths, as "/server/workers", at which two plans differ or that only one of them has, in
   the order of the first, then of the second.  What tells of a scenario and does not make it is
   left out: title, about, claims, expect, report, sweep and experiment.  The array and each path
   are owned by the caller. */
char **plan_differences(const struct plan *a, const struct plan *b, size_t *count);

/* Whether a plan has something at a path, every default filled. */
bool plan_has(const struct plan *plan, const char *path);

/* The same for two loads of one plan: paths within a load, as "/open/rate". */
char **load_differences(const struct plan *plan, size_t a, size_t b, size_t *count);

void differences_free(char **paths, size_t count);

#endif
