/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Even arrivals, exponential service, one worker: D/M/1. */
#include <gsl/gsl_sf_log.h>
#include <math.h>

#include "models/base/maths.h"
#include "models/distributions/distribution.h"
#include "models/laws/domain.h"
#include "models/laws/inflation.h"
#include "models/loads/load.h"
#include "models/policies/late.h"

enum { DECAY_PER_NS, RHO, SPARE };

static double tail(const struct law_distribution *d, double x_ns)
{
    return x_ns <= 0.0 ? 1.0 : exp(-d->parameters[DECAY_PER_NS] * x_ns);
}

/* y = 1 - sigma, the root in (0, 1) of f(y) = ln(1-y) + y/rho, written ln(1-y) + y + y (1-rho)/rho
   so that nothing cancels near rho = 1, where y is about 2 (1-rho).  f is concave and negative to
   the right of the root: Newton from there goes straight down to it. */
static double root_spare(struct utilisation u)
{
    double excess = u.spare / u.rho, never = exp(-1.0 / u.rho);
    double y = fmin(2.0 * excess, 1.0 - never);
    if (never < 1e-17)
        return 1.0;
    for (int step = 0; step < 100; step++) {
        double f = gsl_sf_log_1plusx_mx(-y) + excess * y;
        double slope = excess - y / (1.0 - y);
        double next = y - f / slope;
        if (!(next < y))
            break;
        y = next;
    }
    return y;
}

/* Even due times on one schedule, and nothing that changes them; false with *pace untouched. */
static bool even_pace(const struct load_plan *load, struct pace *pace)
{
    if (load->kind.type == &load_open.is) {
        const struct open_load *open = load->kind.params;
        if (open->arrivals.type != &arrivals_even.is)
            return false;
        *pace = pace_of(open->rate_per_s, open->every_ns);
        return true;
    }
    if (load->kind.type != &load_paced.is)
        return false;
    const struct paced_load *paced = load->kind.params;
    if (paced->late.type != &late_catch_up.is)
        return false;
    const struct catch_up *policy = paced->late.params;
    if (policy->factor.num != 0)
        return false;
    *pace = pace_of(paced->rate_per_s, paced->every_ns);
    return true;
}

/* With a constant gap waits vary less than with an exponential one: in heavy traffic by half. */
static double inflation_bound(const struct law_distribution *d, double p, double q)
{
    return inflation_mm1(d->parameters[RHO], d->parameters[SPARE], p, q);
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    struct pace pace;
    if (!even_pace(q->load, &pace))
        return law_refuses(why,
                           LAW_ELSEWHERE "an even schedule, open or with back-to-back catch-up.");
    if (q->server->service.type != &distribution_exponential.is)
        return law_refuses(why, LAW_ELSEWHERE "exponential service.");
    if (!domain_from_due(q))
        return law_refuses(why,
                           "Where requests may leave late the law is that of the time from due to "
                           "the answer.");
    if (!domain_single_server(q, why))
        return false;
    struct utilisation u;
    ns_t mean_ns = ((const struct exponential *)q->server->service.params)->mean_ns;
    if (!domain_stable(pace, mean_ns, &u, why))
        return false;
    double spare = root_spare(u);
    *out = (struct law_distribution){
        .tail = tail, .inflation_bound = inflation_bound, .mean_ns = (double)mean_ns / spare};
    out->parameters[RHO] = u.rho;
    out->parameters[SPARE] = u.spare;
    out->parameters[DECAY_PER_NS] = spare / (double)mean_ns;
    *start = (struct start_law){STATE_RESIDUALS, round_probability(exp(-spare / u.rho)), 0};
    return true;
}

const struct law_type law_dm1 = {
    .is = {.name = "dm1", .says = "D/M/1: even schedule, exponential service, one worker"},
    .formula = "P(T > x) = exp(-mu (1 - sigma) x), sigma = exp(-mu tau (1 - sigma))",
    .symbols = "1/mu the mean service time, tau the interval, sigma the root in (0, 1)",
    .domain = "open even load, or paced with catch-up on any number of connections, from due; one "
              "worker, unlimited queue, no stalls, no timeout; mu tau > 1, mean service at least "
              "1 us",
    .source = "L. Kleinrock, Queueing Systems, vol. I (1975) (G/M/1)",
    .check = "1/mu = 1, tau = 1.25: sigma = 0.62862979650, p99 = 12.4004837829",
    .distribution = holds,
};
