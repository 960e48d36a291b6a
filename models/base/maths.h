/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_BASE_MATHS_H
#define DUETIME_BASE_MATHS_H

/* Functions whose every bit is the same on every machine: + - * / and sqrt on doubles in a fixed
   order, nothing from libm.  Whatever reaches a draw comes from here. */

#include "models/base/time.h"

/* Natural logarithm of x in (0, 1]; error below 1 unit in the last place. */
double portable_log(double x);

/* Rounds a finite x >= 0 half to even to whole ns; values of NS_LIMIT or more become NS_LIMIT,
   which the engine reports as an overflow. */
ns_t round_ns(double x);

/* The nearest multiple of 2^-40: what a law's probability is rounded to before it may steer a
   stationary start, so that the last bit of a special function cannot change a run. */
double round_probability(double p);

#endif
