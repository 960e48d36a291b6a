/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/laws/inflation.h"

#include <math.h>

/* 1 - (q/p) ln(1/q) loses its digits for small p: there the series sum of p^k / (k (k+1)). */
static double shape(double p, double q)
{
    if (p > 0.01)
        return 1.0 + q * log(q) / p;
    double sum = 0.0, power = 1.0;
    for (int k = 1; k <= 8; k++) {
        power *= p;
        sum += power / (k * (k + 1));
    }
    return sum;
}

/* Consecutive responses are dependent, and exceedances come in clusters.  From Poisson's equation
   for T' = (T - A)^+ + S.  rho = 0.9, p = 0.99: 344.254. */
double inflation_mm1(double rho, double spare, double p, double q)
{
    if (!(q > 0.0))
        return NAN;
    return 1.0 + 4.0 * rho / (spare * spare) * shape(p, q);
}
