/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_CHECK_GAPS_H
#define DUETIME_CHECK_GAPS_H

/* Whether due instants are those of a Poisson process of a given rate. */

#include <stdbool.h>
#include <stddef.h>

#include "models/base/time.h"

/* A true process fails one of the three tests once in 300,000 runs. */
#define GAPS_LEVEL 1e-6
#define GAPS_LEAST 30

struct gaps_check {
    bool known; /* at least GAPS_LEAST instants, and they never go back */
    /* Two-sided probabilities, under the law, of what was seen or worse. */
    double p_rate;  /* the last instant is a sum of that many exponential gaps: gamma, exactly */
    double p_gaps;  /* Kolmogorov-Smirnov against the exponential gap of that mean */
    double p_order; /* the correlation of neighbouring gaps, by rank */
};

/* The first gap is the one from 0 to the first instant.  mean_ns > 0. */
struct gaps_check check_gaps(const ns_t *due_ns, size_t count, double mean_ns);

#endif
