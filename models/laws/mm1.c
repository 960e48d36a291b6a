/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Poisson arrivals, exponential service, one worker: M/M/1. */
#include <math.h>

#include "models/base/maths.h"
#include "models/distributions/distribution.h"
#include "models/laws/domain.h"
#include "models/laws/inflation.h"
#include "models/loads/load.h"

enum { DECAY_PER_NS, RHO, SPARE };

static double tail(const struct law_distribution *d, double x_ns)
{
    return x_ns <= 0.0 ? 1.0 : exp(-d->parameters[DECAY_PER_NS] * x_ns);
}

static double inflation(const struct law_distribution *d, double p, double q)
{
    return inflation_mm1(d->parameters[RHO], d->parameters[SPARE], p, q);
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    struct pace pace;
    if (!domain_poisson_pace(q, &pace, why))
        return false;
    if (q->server->service.type != &distribution_exponential.is)
        return law_refuses(why, LAW_ELSEWHERE "exponential service.");
    if (!domain_whole_time(q, why))
        return false;
    if (!domain_single_worker(q, why))
        return false;
    if (q->run->start == START_EMPTY && domain_counts_from_empty(q))
        return law_refuses(why, "The run starts empty, and the law is that of a stationary one.");
    struct utilisation u;
    ns_t mean_ns = ((const struct exponential *)q->server->service.params)->mean_ns;
    if (!domain_stable(pace, mean_ns, &u, why))
        return false;
    *out = (struct law_distribution){
        .tail = tail, .inflation = inflation, .mean_ns = (double)mean_ns / u.spare};
    out->parameters[DECAY_PER_NS] = u.spare / (double)mean_ns;
    out->parameters[RHO] = u.rho;
    out->parameters[SPARE] = u.spare;
    *start = (struct start_law){STATE_RESIDUALS, round_probability(u.rho), 0};
    return true;
}

const struct law_type law_mm1 = {
    .is = {.name = "mm1", .says = "M/M/1: Poisson arrivals, exponential service, one worker"},
    .formula = "P(T > x) = exp(-(mu - lambda) x)",
    .symbols = "1/mu the mean service time, lambda the rate of arrivals, rho = lambda/mu",
    .domain = "open load, poisson, from due (behind a window too, which only moves the waiting to "
              "the client); one worker, unlimited queue, no stalls, no timeout, or "
              "replicas chosen at random, rho being each one's; rho < 1, mean service at least 1 "
              "us; run.start not empty",
    .source = "L. Kleinrock, Queueing Systems, vol. I (1975)",
    .check = "1/mu = 10 ms, rho = 0.9: p99 = 100 ms * ln 100 = 460.517 ms",
    .distribution = holds,
};
