/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/laws/stages.h"

#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sf_log.h>
#include <math.h>
#include <stdbool.h>

/* m! by Stirling's formula and its exact correction, and ln(m/mean) + mean/m - 1 without
   cancelling, so that the digits do not depend on how large m is. */
double stages_poisson(double m, double mean)
{
    if (m == 0.0)
        return exp(-mean);
    double exponent =
        mean < 0.1 * m ? m * log(mean / m) + (m - mean) : m * gsl_sf_log_1plusx_mx((mean - m) / m);
    return exp(exponent) / (gsl_sf_gammastar(m) * sqrt(2.0 * 3.14159265358979323846 * m));
}

/* V(k) = P(Erlang(k, c mu) <= x < Erlang(k, c mu) + Exp(mu)): the request is in service at x.  With
   y = c mu x and g = 1 - 1/c it is sum_{i >= k} g^(i-k) P(Poisson(y) = i), all terms positive. */
static double in_service(double k, double y, double workers)
{
    double g = 1.0 - 1.0 / workers;
    if (g * y > k && g > 0.0) {
        double scale = exp(-y / workers - k * log1p(-1.0 / workers)), mean = g * y;
        /* Chernoff's bound: all of it is there, and GSL would fail instead of saying 1. */
        bool all = mean - k - k * log(mean / k) > 60.0;
        return all ? scale : scale * gsl_sf_gamma_inc_P(k, mean);
    }
    double term = stages_poisson(k, y), sum = 0.0;
    for (double i = k + 1.0; term > 1e-18 * sum; i += 1.0) {
        sum += term;
        term *= g * y / i;
    }
    return sum;
}

/* A k beyond which the V(k) are below 1e-20 of the largest, but not so far that they vanish. */
static double beyond_matter(double y)
{
    return y > 1.0 ? floor(y + 10.0 * sqrt(y) + 50.0) : ceil(52.0 / (1.0 - log(y)));
}

/* One more stage moves the tail by V(k)/c, so P(T > x) = e^(-mu x) + sum_{k>=1} P(K >= k) V(k) / c,
   and V(k-1) = g V(k) + P(Poisson(y) = k-1): from the far end down everything is positive. */
double stages_tail(const struct stages *s, double x_ns)
{
    if (x_ns <= 0.0)
        return 1.0;
    double y = x_ns / s->service_ns * s->workers, g = 1.0 - 1.0 / s->workers;
    double alone = exp(-x_ns / s->service_ns);
    if (s->count < 2)
        return alone;
    double last = fmin((double)(s->count - 1), beyond_matter(y));
    double v = in_service(last, y, s->workers), poisson = stages_poisson(last, y), sum = 0.0;
    for (double k = last; k >= 1.0; k -= 1.0) {
        sum += s->at_least[(size_t)k] * v;
        if (k < y && k * v < 1e-18 * sum)
            break;
        poisson *= k / y;
        v = g * v + poisson;
    }
    return alone + sum / s->workers;
}

double stages_mean_ns(const struct stages *s)
{
    double stages = 0.0;
    for (size_t k = s->count; k-- > 1;)
        stages += s->at_least[k];
    return s->service_ns * (1.0 + stages / s->workers);
}
