/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_INTEGRAL_H
#define DUETIME_INTEGRAL_H

/* The mean of a duration is the integral of its tail from 0 on. */

#include <stddef.h>

typedef double (*integral_tail)(const void *context, double x);

/* Where the tail jumps or bends, or falls steeply: sorted in place, >= 0. */
struct integral_breaks {
    double *at;
    size_t count;
};

/* Integral of a tail, which falls from at most 1 towards 0, over x >= 0; scale > 0 is about how far
   it reaches.  To a relative 1e-10 where the breaks are named and the tail is smooth between them;
   NAN when it does not converge. */
double integral_of_tail(integral_tail tail, const void *context, double scale,
                        struct integral_breaks breaks);

#endif
