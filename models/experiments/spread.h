/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_SPREAD_H
#define DUETIME_SPREAD_H

/* What several runs of one figure show. */

#include <stddef.h>

struct spread {
    size_t count; /* of the known ones */
    double min, median, max, mean, range;
    double deviation; /* with count - 1; NAN below two */
    double cv;        /* deviation / mean; NAN where either is unknown or the mean is 0 */
};

/* Unknown values (NAN) are left out.  All NAN where none is known. */
struct spread spread_of(const double *values, size_t count);

/* Student's t beyond which 2.5 % lie, for so many degrees of freedom (at least 1). */
double student_t_975(size_t degrees);

/* Runs of `each` figures each: how much of their variance lies between runs, which only further
   runs can average out, and how much within, which longer runs would. */
struct components {
    double mean;
    double between, within; /* variances, of one figure; between is at least 0 */
    /* Standard errors of: one figure; one of a run so many times longer; the mean of so many
       further runs. */
    double single, longer, restarts;
    /* 95 % intervals of the mean: of the first run alone, and of the runs' means. */
    double within_low, within_high, between_low, between_high;
};

/* values[run * each + i]; runs and each at least 2. */
struct components components_of(const double *values, size_t runs, size_t each, double times);

#endif
