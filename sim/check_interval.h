/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_CHECK_INTERVAL_H
#define DUETIME_CHECK_INTERVAL_H

/* A confidence interval of a percentile from independent replications. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/base/time.h"

/* What R replications showed around a percentile: how many samples of each lie at or below a value
   just under its cell, and at or below the cell's end. */
struct interval_evidence {
    struct ratio p;
    const uint64_t *at_most[2]; /* per replication */
    const uint64_t *samples;    /* per replication */
    size_t replications;
};

/* Ranks among the samples of all replications together; 0: no sample is far enough out. */
struct interval_ranks {
    uint64_t low, high;
    double inflation; /* variance of the counts over that of independent samples, at least 1 */
    char why[160];    /* where an end is 0 */
};

/* The 95 % interval: the values x at which a two-sided t-test over the replications does not reject
   "a share p of what such runs show is at most x".  The variance of the counts is taken from the
   replications near the percentile and carried to p as that of independent samples times their
   variance inflation, so that it does not vanish where nothing lies beyond; only where ten clusters
   of samples do.  Nothing here can tell samples of one replication apart, so none of them is ever
   counted as independent of the others. */
void check_interval(const struct interval_evidence *e, struct interval_ranks *out);

#endif
