/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_CHECK_H
#define DUETIME_CHECK_H

/* Holding a figure of a random scenario against its law. */

#include "models/laws/law.h"
#include "sim/result.h"

/* What one percentile of one recorder showed in R independent replications. */
struct evidence {
    const struct law *law;
    struct ratio p;
    ns_t threshold_ns;        /* law_percentile(law, p): fixed before the run */
    const uint64_t *at_most;  /* per replication: samples <= threshold_ns */
    const uint64_t *samples;  /* per replication: samples, added ones included */
    const uint64_t *requests; /* per replication: real samples */
    size_t replications;
};

struct judgement {
    enum check check;  /* CHECK_STATISTICAL, or CHECK_TOO_FEW with why */
    bool rejects;      /* at level/2 on each side, level the one handed in */
    int sign;          /* of the mean statistic: +1 more samples at or below than the law says */
    double p_value;    /* two-sided; of no weight where there are too few clusters */
    double clusters;   /* expected clusters beyond the percentile, on the rarer side */
    double detectable; /* relative; NAN: none below 100 %, or an atom */
    char why[200];
};

/* Judges one cell at a two-sided level (1e-3 divided by the number of cells).  Needs 32
   replications.  A cell is rejected only if a second run with fresh streams rejects it too, with
   the same sign: that is the caller's. */
void check_statistical(const struct evidence *e, double level, struct judgement *out);

/* The mean of t, in its own standard deviations, that a t-test over that many replications at a
   two-sided level rejects, on the right side, with the probability wanted; at least
   32 replications. */
double check_noncentrality(size_t replications, double level, double power_wanted);

#endif
