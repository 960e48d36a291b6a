/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_TOOLS_POINTS_H
#define DUETIME_TOOLS_POINTS_H

/* Runs the points of a sweep or of an experiment, and writes a row a recorder, point by point. */

#include "sim/experiments/points.h"
#include "tools/ahead.h"
#include "tools/session.h"
#include "tools/sheet.h"

struct bench {
    const struct options *options;
    const struct source *source;
    const struct plan *plan; /* the scenario as it stands */
    struct sheet sheet;
    bool grouped; /* points say which group they are of */
    struct knob *knobs;
    size_t knob_count;
    size_t points;            /* run so far */
    bool told;                /* the table of points is open */
    struct progress progress; /* of the points that run ahead */
    struct ahead *ahead;      /* NULL: none do */
    uint64_t ahead_left;      /* points that were announced and not asked for yet */
    char **announced;         /* owned: the values of those of an experiment, knobs within points */
    size_t announced_count;
    int status; /* the worst so far */
};

void bench_open(struct bench *bench, const struct options *options, const struct source *source,
                const struct plan *plan, struct output *output, struct errors *errors);
void bench_close(struct bench *bench);

void bench_knobs(struct bench *bench, const struct knob *knobs, size_t count);

/* Announces the points that bench_point will be asked for next, in this order: they may run at
   once. What was announced before is forgotten.  cost: of all of them, for the warning; their
   values and `self` outlive them. */
void bench_ahead(struct bench *bench, uint64_t count, struct run_cost cost,
                 void (*values)(const void *self, uint64_t point, const char **values),
                 const void *self);

/* As lab->ahead. */
void bench_announce(struct bench *bench, const char *const *values, size_t count);

/* As lab->point; out may be NULL. */
bool bench_point(struct bench *bench, const char *group, size_t load, const char *const *values,
                 struct seen *out);

#endif
