/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_TOOLS_POINTS_H
#define DUETIME_TOOLS_POINTS_H

/* Runs the points of a sweep or of an experiment one after another, and writes a row a recorder. */

#include "sim/experiments/points.h"
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
    size_t points; /* run so far */
    bool told;     /* the table of points is open */
    int status;    /* the worst so far */
};

void bench_open(struct bench *bench, const struct options *options, const struct source *source,
                const struct plan *plan, struct output *output, struct errors *errors);
void bench_close(struct bench *bench);

void bench_knobs(struct bench *bench, const struct knob *knobs, size_t count);

/* As lab->point; out may be NULL. */
bool bench_point(struct bench *bench, const char *group, size_t load, const char *const *values,
                 struct seen *out);

#endif
