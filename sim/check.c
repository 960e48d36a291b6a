/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/check.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdio.h>

enum { REPLICATIONS_LEAST = 32, CLUSTERS_LEAST = 200 };

/* What the replications say: s_r = at_most_r - F samples_r has mean zero under the law, because F
   is a ratio of expectations per request.  In terms of q = 1 - F, which keeps its digits. */
struct moments {
    double mean, deviation; /* of s_r over the replications */
    double samples;         /* mean number a replication */
};

static double statistic(const struct evidence *e, double q, size_t r)
{
    double beyond = (double)(e->samples[r] - e->at_most[r]);
    return q * (double)e->samples[r] - beyond;
}

static struct moments moments_of(const struct evidence *e, double q)
{
    struct moments m = {0};
    double count = (double)e->replications;
    for (size_t r = 0; r < e->replications; r++) {
        m.mean += statistic(e, q, r) / count;
        m.samples += (double)e->samples[r] / count;
    }
    double squares = 0.0;
    for (size_t r = 0; r < e->replications; r++) {
        double off = statistic(e, q, r) - m.mean;
        squares += off * off;
    }
    m.deviation = count > 1.0 ? sqrt(squares / (count - 1.0)) : 0.0;
    return m;
}

/* Variance inflation of the samples at the threshold as the replications show it, never below that
   of independent samples. */
static double estimated_inflation(const struct moments *m, double q)
{
    return fmax(1.0, m->deviation * m->deviation / (m->samples * q * (1.0 - q)));
}

/* The law's own where it knows it of the raw values. */
static double inflation_of(const struct evidence *e, double q, const struct moments *m)
{
    const struct law_distribution *d = &e->law->distribution;
    double known =
        d->inflation != NULL && e->law->rule.interval == 0 ? d->inflation(d, 1.0 - q, q) : NAN;
    return isfinite(known) ? known : estimated_inflation(m, q);
}

/* Clusters of real samples beyond the threshold, by the raw law; INFINITY where it knows neither
   its inflation nor a bound. */
static double raw_clusters(const struct evidence *e)
{
    struct law raw = *e->law; /* a view: it owns nothing */
    raw.rule = (struct correction_rule){.unit_ns = 1};
    const struct law_distribution *d = &raw.distribution;
    double q = law_tail(&raw, e->threshold_ns), requests = 0.0, inflation = NAN;
    for (size_t r = 0; r < e->replications; r++)
        requests += (double)e->requests[r];
    if (d->inflation != NULL)
        inflation = d->inflation(d, 1.0 - q, q);
    if (!isfinite(inflation) && d->inflation_bound != NULL)
        inflation = d->inflation_bound(d, 1.0 - q, q);
    if (q <= 0.0 || q >= 1.0)
        return 0.0;
    return isfinite(inflation) ? 2.0 * requests * fmin(q, 1.0 - q) / inflation : INFINITY;
}

/* The rarer side's clusters are what the normal approximation lives on: below the median those are
   the samples at or below the percentile.  An added sample beyond it implies a real one, so a
   correction makes no clusters; and what the replications show is believed only downwards. */
static double clusters_of(const struct evidence *e, double q, const struct moments *m)
{
    double shown =
        2.0 * m->samples * (double)e->replications * fmin(q, 1.0 - q) / estimated_inflation(m, q);
    double by_law = raw_clusters(e);
    if (e->law->rule.interval == 0 && isfinite(by_law))
        return by_law;
    return fmin(by_law, shown);
}

/* Whether the replications, where they alone say how many clusters there are, are fit to say so.
   Each with a sample on the rarer side has a cluster at least.  Where those do not make 200 by
   themselves, hardly any may be without: with 200 clusters over 32 replications one such has
   probability 6 in 100, two 2 in 1000. */
static bool clusters_are_seen(const struct evidence *e, double q)
{
    size_t empty = 0;
    for (size_t r = 0; r < e->replications; r++) {
        uint64_t rarer = q <= 0.5 ? e->samples[r] - e->at_most[r] : e->at_most[r];
        empty += rarer == 0;
    }
    return e->replications - empty >= CLUSTERS_LEAST || empty <= e->replications / 32;
}

/* ---- power of the t-test ---- */

/* P(T' > critical) for T' = (Z + shift) / sqrt(X/nu), X chi-squared with nu degrees of freedom:
   over the density of w = sqrt(X), which is all within 9 of sqrt(nu). */
static double power(const gsl_integration_glfixed_table *nodes, double nu, double critical,
                    double shift)
{
    double from = fmax(0.0, sqrt(nu) - 9.0), to = sqrt(nu) + 9.0, sum = 0.0;
    double log_scale = (1.0 - nu / 2.0) * log(2.0) - gsl_sf_lngamma(nu / 2.0);
    for (size_t i = 0; i < nodes->n; i++) {
        double w, weight;
        gsl_integration_glfixed_point(from, to, i, &w, &weight, nodes);
        double density = exp(log_scale + (nu - 1.0) * log(w) - w * w / 2.0);
        sum += weight * density * gsl_cdf_ugaussian_Q(critical * w / sqrt(nu) - shift);
    }
    return sum;
}

/* The power's normal quantile is nearly a straight line in the shift: Newton, from where the
   normal approximation puts it. */
double check_noncentrality(size_t replications, double level, double power_wanted)
{
    BUG_IF(replications < REPLICATIONS_LEAST);
    double nu = (double)replications - 1.0;
    double critical = gsl_cdf_tdist_Qinv(level / 2.0, nu);
    double wanted = gsl_cdf_ugaussian_Pinv(power_wanted);
    double slope = 1.0 / sqrt(1.0 + critical * critical / (2.0 * nu));
    double shift = critical + wanted / slope;
    gsl_integration_glfixed_table *nodes = gsl_integration_glfixed_table_alloc(96);
    if (nodes == NULL)
        return NAN;
    for (int step = 0; step < 50; step++) {
        double reached = power(nodes, nu, critical, shift);
        double off = gsl_cdf_ugaussian_Pinv(fmin(fmax(reached, 1e-9), 1.0 - 1e-9)) - wanted;
        double ahead = power(nodes, nu, critical, shift + 0.01);
        double rise = gsl_cdf_ugaussian_Pinv(fmin(fmax(ahead, 1e-9), 1.0 - 1e-9)) - wanted - off;
        double change = off / fmax(rise / 0.01, slope / 4.0);
        shift -= change;
        if (fabs(change) < 1e-9 * shift)
            break;
    }
    gsl_integration_glfixed_table_free(nodes);
    return shift;
}

/* The relative change of the percentile, the larger of up and down, that would put a share `shift`
   of the samples on the other side of it; NAN where that takes 100 % or more. */
static double change_for(const struct law *law, ns_t threshold_ns, double q, double shift)
{
    double x = (double)threshold_ns;
    if (!(x > 0.0) || !(shift > 0.0) || q - shift <= 0.0 || q + shift >= 1.0)
        return NAN;
    double up = (law_quantile_beyond(law, q - shift) - 0.5) / x - 1.0;
    double down = 1.0 - (law_quantile_beyond(law, q + shift) - 0.5) / x;
    double larger = fmax(up, down);
    return larger > 0.0 && larger < 1.0 ? larger : NAN;
}

/* Rejected with 99 % by both runs, that is with the root of it by each. */
static double detectable(const struct evidence *e, double level, double q, double inflation,
                         double samples)
{
    if (law_atom(e->law, e->threshold_ns))
        return NAN;
    double runs = (double)e->replications;
    double share_deviation = sqrt(q * (1.0 - q) * inflation / (samples * runs));
    double shift = share_deviation * check_noncentrality(e->replications, level, sqrt(0.99));
    return change_for(e->law, e->threshold_ns, q, shift);
}

/* ---- the verdict ---- */

static void too_few(struct judgement *out, const char *text)
{
    out->check = CHECK_TOO_FEW;
    snprintf(out->why, sizeof out->why, "%s", text);
}

/* Whether the normal approximation may be relied on; if not, says what would do. */
static bool enough(const struct evidence *e, double q, const struct moments *m,
                   struct judgement *out)
{
    if (e->replications < REPLICATIONS_LEAST) {
        too_few(out, "a statistical check needs 32 independent replications");
        return false;
    }
    if (!(q > 0.0 && q < 1.0) || m->samples <= 0.0) {
        too_few(out, "the law puts every sample on one side of this percentile");
        return false;
    }
    if (!(m->deviation > 1e-9 * m->samples)) {
        too_few(out, "every replication shows the same share: there is no variance to judge by");
        return false;
    }
    if (out->clusters < CLUSTERS_LEAST) {
        double times = 1.05 * CLUSTERS_LEAST / out->clusters;
        snprintf(out->why, sizeof out->why,
                 "about %.3g clusters beyond it, and a check needs %d; %.*f times as many requests "
                 "would do",
                 out->clusters, CLUSTERS_LEAST, times < 10.0 ? 1 : 0, ceil(times * 10.0) / 10.0);
        out->check = CHECK_TOO_FEW;
        return false;
    }
    if (!isfinite(raw_clusters(e)) && !clusters_are_seen(e, q)) {
        too_few(out, "several replications have no sample beyond it: each would have to be longer");
        return false;
    }
    return true;
}

void check_statistical(const struct evidence *e, double level, struct judgement *out)
{
    BUG_IF(e->law->shape != LAW_RANDOM || e->replications == 0);
    double q = law_tail(e->law, e->threshold_ns), runs = (double)e->replications;
    struct moments m = moments_of(e, q);
    double inflation = inflation_of(e, q, &m);
    *out = (struct judgement){.check = CHECK_STATISTICAL, .p_value = NAN, .detectable = NAN};
    out->clusters = clusters_of(e, q, &m);
    double t = m.mean / (m.deviation / sqrt(runs));
    out->sign = (t > 0.0) - (t < 0.0);
    out->p_value = m.deviation > 0.0 ? 2.0 * gsl_cdf_tdist_Q(fabs(t), runs - 1.0) : NAN;
    if (!enough(e, q, &m, out))
        return;
    out->rejects = out->p_value < level;
    out->detectable = detectable(e, level, q, inflation, m.samples);
}
