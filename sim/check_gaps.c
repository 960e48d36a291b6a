/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/check_gaps.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>

#include "models/base/error.h"

static int ascending(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static double two_sided(double below, double above)
{
    double p = 2.0 * (below < above ? below : above);
    return p < 1.0 ? p : 1.0;
}

/* The largest distance between the two distribution functions, by Massart's bound
   P(D > d) <= 2 exp(-2 n d^2): never too small a probability, so a true process is safe.
   n = 1000, d = 0.0851: 1e-6. */
static double kolmogorov(const double *sorted, size_t n, double mean)
{
    double distance = 0.0, size = (double)n;
    for (size_t i = 0; i < n; i++) {
        double law = -expm1(-sorted[i] / mean);
        distance = fmax(distance, fmax((double)(i + 1) / size - law, law - (double)i / size));
    }
    double p = 2.0 * exp(-2.0 * size * distance * distance);
    return p < 1.0 ? p : 1.0;
}

/* Gaps as uniform numbers u = exp(-gap / mean); for independent ones the mean of
   12 (u_i - 1/2)(u_i+1 - 1/2) has mean 0 and variance 1/(n - 1), and is normal in the limit. */
static double order(const double *gaps, size_t n, double mean)
{
    double sum = 0.0;
    for (size_t i = 0; i + 1 < n; i++)
        sum += 12.0 * (exp(-gaps[i] / mean) - 0.5) * (exp(-gaps[i + 1] / mean) - 0.5);
    double z = sum / sqrt((double)(n - 1));
    return two_sided(gsl_cdf_ugaussian_P(z), gsl_cdf_ugaussian_Q(z));
}

struct gaps_check check_gaps(const ns_t *due_ns, size_t count, double mean_ns)
{
    struct gaps_check out = {.known = count >= GAPS_LEAST};
    for (size_t i = 1; i < count && out.known; i++)
        out.known = due_ns[i] >= due_ns[i - 1];
    if (!out.known)
        return out;
    double *gaps = must_alloc(count, sizeof *gaps);
    for (size_t i = 0; i < count; i++)
        gaps[i] = (double)(due_ns[i] - (i > 0 ? due_ns[i - 1] : 0));
    double last = (double)due_ns[count - 1];
    out.p_rate = two_sided(gsl_cdf_gamma_P(last, (double)count, mean_ns),
                           gsl_cdf_gamma_Q(last, (double)count, mean_ns));
    out.p_order = order(gaps, count, mean_ns);
    qsort(gaps, count, sizeof *gaps, ascending);
    out.p_gaps = kolmogorov(gaps, count, mean_ns);
    free(gaps);
    return out;
}
