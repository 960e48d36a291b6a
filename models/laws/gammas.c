/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/laws/gammas.h"

#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sf_log.h>
#include <math.h>

#include "models/laws/gauss.h"

#define TAU 6.283185307179586

/* Loader's saddle-point form: m ln(m/z) + z - m from ln(1+e) - e, and Stirling's remainder of m!.
 */
double poisson_weight(double m, double z)
{
    if (z <= 0.0)
        return m == 0.0 ? 1.0 : 0.0;
    if (m == 0.0)
        return exp(-z);
    double deviance = z < 0.1 * m ? m * log(m / z) + z - m : -m * gsl_sf_log_1plusx_mx((z - m) / m);
    if (deviance > 745.0)
        return 0.0;
    return exp(-deviance) / (sqrt(TAU * m) * gsl_sf_gammastar(m));
}

double erlang_tail(double k, double z)
{
    if (k <= 0.0)
        return 0.0;
    if (z <= 0.0)
        return 1.0;
    /* Chernoff's bound, below what a double holds: GSL fails there instead of saying 0. */
    if (z > k && z - k - k * log(z / k) > 744.0)
        return 0.0;
    return gsl_sf_gamma_inc_Q(k, z);
}

/* P(Erlang <= z): the same with the other side's bound. */
static double erlang_below(double k, double z)
{
    if (z <= 0.0)
        return 0.0;
    if (z < k && z - k - k * log(z / k) > 744.0)
        return 0.0;
    return gsl_sf_gamma_inc_P(k, z);
}

/* E max(k - Poisson(z), 0): the number of services that are not done at z, each of mean 1. */
double erlang_excess(double k, double z)
{
    if (z <= 0.0)
        return k - z;
    double start = fmin(floor(z), k - 1.0), weight = poisson_weight(start, z), sum = 0.0;
    double term = weight;
    for (double m = start; m >= 0.0; m -= 1.0) {
        sum += (k - m) * term;
        if ((k - m) * term < 1e-18 * sum && m < z)
            break;
        term *= m / z;
    }
    term = weight;
    for (double m = start + 1.0; m < k; m += 1.0) {
        term *= z / m;
        sum += (k - m) * term;
        if ((k - m) * term < 1e-18 * sum)
            break;
    }
    return sum;
}

static double tail_at(const void *k, double z)
{
    return erlang_tail(*(const double *)k, z);
}

/* Short stretches by a Gauss rule, long ones as a difference, in which little cancels. */
double erlang_area(double k, double a, double b)
{
    if (!(b > a))
        return 0.0;
    return b - a > 2.0 ? erlang_excess(k, a) - erlang_excess(k, b) : gauss_area(tail_at, &k, a, b);
}

/* e^(-b x) (a/(a-b))^k P(k, y), y = (a-b) x.  Up to y = k the series of P, whose first factor turns
   the whole into P(Poisson(a x) = k) (1 + y/(k+1) + y^2/((k+1)(k+2)) + ...). */
double erlang_then_exponential(double k, double a, double b, double x)
{
    if (x <= 0.0)
        return k == 0.0 ? 1.0 : 0.0;
    if (k == 0.0)
        return exp(-b * x);
    double y = (a - b) * x;
    if (y > k)
        return exp(-b * x - k * log1p(-b / a)) * erlang_below(k, y);
    double term = 1.0, sum = 1.0;
    for (double i = k + 1.0; term > 1e-18 * sum; i += 1.0) {
        term *= y / i;
        sum += term;
    }
    return poisson_weight(k, a * x) * sum;
}

/* From the mode of the weights both ways; below it the table may grow faster than they fall. */
double poisson_mixture(double z, const double *table, size_t count)
{
    if (count == 0)
        return 0.0;
    if (z <= 0.0)
        return table[0];
    size_t start = z < (double)(count - 1) ? (size_t)z : count - 1;
    double weight = poisson_weight((double)start, z), sum = 0.0, last = 0.0;
    double w = weight;
    for (size_t m = start;; m--) {
        double term = w * table[m];
        sum += term;
        if (m == 0 || (term < 1e-18 * sum && term < last))
            break;
        last = term;
        w *= (double)m / z;
    }
    w = weight;
    for (size_t m = start + 1; m < count; m++) {
        w *= z / (double)m;
        sum += w * table[m];
        if (w * table[m] < 1e-18 * sum)
            break;
    }
    return sum;
}
