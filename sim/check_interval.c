/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/check_interval.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>

enum { CLUSTERS_LEAST = 10 };
#define OUTSIDE 0.05

static double total(const uint64_t *counts, size_t replications)
{
    double sum = 0.0;
    for (size_t r = 0; r < replications; r++)
        sum += (double)counts[r];
    return sum;
}

/* Variance of at_most_r - F samples_r over the replications, F the share of all samples, over what
   it would be of independent samples; NAN where F is 0 or 1. */
static double inflation_at(const struct interval_evidence *e, const uint64_t *at_most,
                           double *share)
{
    double samples = total(e->samples, e->replications), runs = (double)e->replications;
    double squares = 0.0;
    *share = total(at_most, e->replications) / samples;
    if (!(*share > 0.0 && *share < 1.0))
        return NAN;
    for (size_t r = 0; r < e->replications; r++) {
        double off = (double)at_most[r] - *share * (double)e->samples[r];
        squares += off * off;
    }
    return squares / (runs - 1.0) / (samples / runs * *share * (1.0 - *share));
}

/* At whichever side of the cell is nearer to p; where all samples are in it, there is nothing to
   estimate.  Never below that of independent samples. */
static double inflation_near(const struct interval_evidence *e, double p)
{
    double share[2], inflation[2];
    for (size_t i = 0; i < 2; i++)
        inflation[i] = inflation_at(e, e->at_most[i], &share[i]);
    bool upper = !isfinite(inflation[0]) ||
                 (isfinite(inflation[1]) && fabs(share[1] - p) <= fabs(share[0] - p));
    double chosen = inflation[upper ? 1 : 0];
    return isfinite(chosen) ? fmax(1.0, chosen) : 1.0;
}

void check_interval(const struct interval_evidence *e, struct interval_ranks *out)
{
    *out = (struct interval_ranks){.inflation = 1.0};
    if (e->replications < 2) {
        snprintf(out->why, sizeof out->why,
                 "one run shows once what runs may show: an interval needs 2 replications or more");
        return;
    }
    double samples = total(e->samples, e->replications);
    double p = (double)e->p.num / (double)e->p.den;
    double q = (double)(e->p.den - e->p.num) / (double)e->p.den;
    if (!(samples > 0.0) || e->p.num == 0 || e->p.num >= e->p.den) {
        snprintf(out->why, sizeof out->why, "the smallest and the largest sample have no interval");
        return;
    }
    out->inflation = inflation_near(e, p);
    double clusters = samples * fmin(p, q) / out->inflation;
    if (clusters < CLUSTERS_LEAST) {
        snprintf(out->why, sizeof out->why,
                 "about %.2g clusters of samples beyond it, and an interval needs %d", clusters,
                 CLUSTERS_LEAST);
        return;
    }
    double t = gsl_cdf_tdist_Qinv(OUTSIDE / 2.0, (double)e->replications - 1.0);
    double half = t * sqrt(samples * p * q * out->inflation);
    /* The smallest value not rejected as too low, and the first that is rejected as too high: the
       ranks themselves are whole, so what is cut off is less than one sample. */
    double low = floor(p * samples - half) + 1.0, high = ceil(p * samples + half);
    out->low = low >= 1.0 ? (uint64_t)low : 0;
    out->high = high <= samples ? (uint64_t)high : 0;
    if (out->low == 0 || out->high == 0)
        snprintf(out->why, sizeof out->why,
                 "the replications differ so much that the interval reaches beyond all samples");
}
