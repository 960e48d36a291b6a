/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Poisson arrivals, exponential service, one worker: M/M/1. */
#include <math.h>

#include "models/base/maths.h"
#include "models/distributions/distribution.h"
#include "models/laws/domain.h"
#include "models/loads/load.h"

enum { DECAY_PER_NS, RHO, SPARE };

static double tail(const struct law_distribution *d, double x_ns)
{
    return x_ns <= 0.0 ? 1.0 : exp(-d->parameters[DECAY_PER_NS] * x_ns);
}

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

/* n Var(F_n(x_p)) / (p q) for n -> infinity: consecutive responses are dependent, and exceedances
   come in clusters.  From Poisson's equation for T' = (T - A)^+ + S.  rho = 0.9, p = 0.99: 344.254.
   */
static double inflation(const struct law_distribution *d, double p, double q)
{
    if (q <= 0.0)
        return NAN;
    double rho = d->parameters[RHO], spare = d->parameters[SPARE];
    return 1.0 + 4.0 * rho / (spare * spare) * shape(p, q);
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  enum start_state *state, double *probability, char why[LAW_WHY_SIZE])
{
    const struct open_load *load = q->load->kind.params;
    if (q->load->kind.type != &load_open.is || load->arrivals.type != &arrivals_poisson.is)
        return law_refuses(why, LAW_ELSEWHERE "an open load with Poisson arrivals.");
    if (q->server->service.type != &distribution_exponential.is)
        return law_refuses(why, LAW_ELSEWHERE "exponential service.");
    if (!domain_from_due(q))
        return law_refuses(why,
                           "Behind a window the law is that of the time from due to the answer.");
    if (!domain_single_server(q, why))
        return false;
    struct utilisation u;
    ns_t mean_ns = ((const struct exponential *)q->server->service.params)->mean_ns;
    if (!domain_stable(pace_of(load->rate_per_s, load->every_ns), mean_ns, &u, why))
        return false;
    *out = (struct law_distribution){
        .tail = tail, .inflation = inflation, .mean_ns = (double)mean_ns / u.spare};
    out->parameters[DECAY_PER_NS] = u.spare / (double)mean_ns;
    out->parameters[RHO] = u.rho;
    out->parameters[SPARE] = u.spare;
    *state = STATE_RESIDUALS;
    *probability = round_probability(u.rho);
    return true;
}

const struct law_type law_mm1 = {
    .is = {.name = "mm1", .says = "M/M/1: Poisson arrivals, exponential service, one worker"},
    .formula = "P(T > x) = exp(-(mu - lambda) x)",
    .symbols = "1/mu the mean service time, lambda the rate of arrivals, rho = lambda/mu",
    .domain = "open load, poisson, from due (behind a window too, which only moves the waiting to "
              "the client); one worker, unlimited queue, no stalls, no timeout; rho < 1, mean "
              "service at least 1 us",
    .source = "L. Kleinrock, Queueing Systems, vol. I (1975)",
    .check = "1/mu = 10 ms, rho = 0.9: p99 = 100 ms * ln 100 = 460.517 ms",
    .distribution = holds,
};
