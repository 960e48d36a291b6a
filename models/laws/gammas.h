/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_LAWS_GAMMAS_H
#define DUETIME_LAWS_GAMMAS_H

/* Sums of exponentials, as sums of positive terms: nothing cancels, nothing overflows.  Relative
   errors are below 1e-12 where the result is above 1e-300; below that it may be 0. */

#include <stddef.h>

/* P(Poisson(z) = m), m a whole number >= 0, z >= 0. */
double poisson_weight(double m, double z);

/* P(Erlang(k, 1) > z), k a whole number >= 0: the tail of the sum of k services of mean 1. */
double erlang_tail(double k, double z);

/* E max(Erlang(k, 1) - z, 0), the integral of erlang_tail(k, .) from z to infinity. */
double erlang_excess(double k, double z);

/* The integral of erlang_tail(k, .) from a to b, 0 <= a <= b. */
double erlang_area(double k, double a, double b);

/* P(Erlang(k, a) <= x < Erlang(k, a) + Exp(b)), a > b > 0: the last stage, of rate b, is on. */
double erlang_then_exponential(double k, double a, double b, double x);

/* The sum over m < count of P(Poisson(z) = m) table[m]: what is left after m events of a
   uniformised chain.  table >= 0 and without gaps in its logarithm, as survival probabilities are.
 */
double poisson_mixture(double z, const double *table, size_t count);

#endif
