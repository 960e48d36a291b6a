/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_RUNGS_H
#define DUETIME_RUNGS_H

/* A ladder of rates: given as they are, or as fractions of a capacity. */

#include "models/experiments/decimal.h"
#include "models/experiments/experiment.h"

/* Parameters that ladder and knee share. */
struct ladder {
    struct value_list rates;     /* per second */
    struct value_list fractions; /* or: of the lowest of `of` */
    struct value_list of;
    bool whole; /* the capacity rounded to a whole number, the rates down to one */
    struct value_list vary, values; /* a path, and its value at each rung */
    struct value_list load;
    struct ratio percentile;
};

const char *ladder_refuses(const void *params);

/* One rung. */
struct rung {
    char *rate; /* JSON text */
    double rate_per_s;
    double fraction; /* of the capacity; NAN: none was given */
    struct seen seen;
};

struct rungs {
    size_t load, recorder, percentile; /* indices */
    struct rung *items;
    size_t count;
};

/* The rates of fractions of a capacity, each exactly.  Owned by the caller, and each text. */
char **fraction_rates(const struct value_list *fractions, struct decimal capacity, bool whole);

/* Runs the ladder; false: told already.  rungs_free in either case. */
bool rungs_run(const struct ladder *ladder, const struct lab *lab, struct rungs *out);
void rungs_free(struct rungs *rungs);

/* Whether a series rises, falls, stays or turns, by its 95 % intervals: a step is one only where
   the two do not overlap.  *falls_at: the first index that lies below the one before it, or 0. */
enum ladder_shape { LADDER_FLAT, LADDER_RISES, LADDER_FALLS, LADDER_TURNS, LADDER_UNKNOWN };
enum ladder_shape ladder_shape(const double *low, const double *high, size_t count,
                               size_t *falls_at);
const char *ladder_shape_words(enum ladder_shape shape);

#endif
