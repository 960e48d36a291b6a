/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_POINTS_H
#define DUETIME_POINTS_H

/* A point: one scenario under some settings, and what it showed. */

#include "models/experiments/experiment.h"
#include "sim/result.h"
#include "sim/scenario/template.h"

/* A scenario as it was written, with what the command line sets. */
struct source {
    const char *file, *text; /* borrowed */
    size_t length;
    const struct setting *settings; /* borrowed */
    size_t setting_count;
    const struct template *made; /* of all this, for many points; NULL: none; borrowed */
};

/* The plan of one point: values are JSON texts, one a knob; NULL leaves the knob alone.  NULL and
   *errors where there is no such scenario, or where it has other loads, recorders or percentiles
   than `base`, the scenario as it stands, so that no table could hold both. */
struct plan *point_plan(const struct source *source, const struct plan *base,
                        const struct knob *knobs, const char *const *values, size_t count,
                        struct errors *errors);

/* What a result shows, for experiments; seen_free releases it. */
struct seen seen_of(const struct result *result, size_t number);

/* How many points the combinations of all sweeps are; the last path turns fastest.  UINT64_MAX:
   more than can be counted. */
uint64_t sweep_points(const struct plan *plan);

/* The values of point 0 .. sweep_points - 1, one a sweep; borrowed. */
void sweep_values(const struct plan *plan, uint64_t point, const char **values);

#endif
