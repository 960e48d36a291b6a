/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Poisson arrivals, exponential service, one worker, and clients that give up: M/M/1 cut at the
   timeout. */
#include <math.h>
#include <stdio.h>

#include "models/base/maths.h"
#include "models/distributions/distribution.h"
#include "models/laws/domain.h"
#include "models/loads/load.h"

/* Whole ns: whoever is answered at the timeout itself was answered, so the cut lies half a ns
   behind it. */
enum { DECAY_PER_NS, CUT_NS };

static double tail(const struct law_distribution *d, double x_ns)
{
    double decay = d->parameters[DECAY_PER_NS], cut_ns = d->parameters[CUT_NS];
    if (x_ns <= 0.0)
        return 1.0;
    if (x_ns >= cut_ns)
        return 0.0;
    return exp(-decay * x_ns) * expm1(-decay * (cut_ns - x_ns)) / expm1(-decay * cut_ns);
}

/* Those given up counted at their timeout: an atom there. */
static double tail_stopped(const struct law_distribution *d, double x_ns)
{
    if (x_ns <= 0.0)
        return 1.0;
    return x_ns >= floor(d->parameters[CUT_NS]) ? 0.0 : exp(-d->parameters[DECAY_PER_NS] * x_ns);
}

static double tail_from_stopped(const struct law_distribution *d, double x_ns)
{
    if (x_ns <= 0.0)
        return 1.0;
    return x_ns > floor(d->parameters[CUT_NS]) ? 0.0 : exp(-d->parameters[DECAY_PER_NS] * x_ns);
}

/* Those given up counted at the end of their service: as if nobody had. */
static double tail_whole(const struct law_distribution *d, double x_ns)
{
    return x_ns <= 0.0 ? 1.0 : exp(-d->parameters[DECAY_PER_NS] * x_ns);
}

/* 1/a - c/(e^(ac) - 1), by its series where the two nearly cancel. */
static double mean_ns(double decay, double cut_ns)
{
    double z = decay * cut_ns;
    if (z < 0.01)
        return cut_ns * (0.5 - z / 12.0 + z * z * z / 720.0);
    return 1.0 / decay - cut_ns / expm1(z);
}

static struct law_distribution law_of(enum failures failures, double decay, double cut_ns)
{
    struct law_distribution d = {.parameters = {[DECAY_PER_NS] = decay, [CUT_NS] = cut_ns}};
    double given_up = 100.0 * exp(-decay * cut_ns);
    switch (failures) {
    case FAILURES_DROPPED:
        d.tail = tail;
        d.mean_ns = mean_ns(decay, cut_ns);
        snprintf(d.note, sizeof d.note,
                 "The law is that of the answered requests; %.9g %% are given up.", given_up);
        return d;
    case FAILURES_TIMEOUT:
        d.tail = tail_stopped;
        d.tail_from = tail_from_stopped;
        d.mean_ns = -expm1(-decay * floor(cut_ns)) / decay;
        break;
    case FAILURES_END:
        d.tail = tail_whole;
        d.mean_ns = 1.0 / decay;
        break;
    case FAILURES_INFINITE: BUG("an infinite failure in a law that refuses it");
    }
    snprintf(d.note, sizeof d.note, "%.9g %% are given up.", given_up);
    return d;
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    struct pace pace;
    if (!domain_poisson_pace(q, &pace, why))
        return false;
    if (q->server->service.type != &distribution_exponential.is)
        return law_refuses(why, LAW_ELSEWHERE "exponential service.");
    if (q->load->timeout_ns == 0)
        return law_refuses(why, LAW_ELSEWHERE "clients that give up after a timeout.");
    if (!domain_from_due(q) || !domain_sent_when_due(q->load))
        return law_refuses(why, "Behind a window a client that gives up frees its slot before the "
                                "server is done, and no law here knows that.");
    if (q->failures == FAILURES_INFINITE)
        return law_refuses(why, "This recorder counts a request given up as an infinite time, "
                                "which has no law here.");
    struct load_plan patient = *q->load;
    patient.timeout_ns = 0;
    struct law_question unhurried = *q;
    unhurried.load = &patient;
    struct utilisation u;
    ns_t service_ns = ((const struct exponential *)q->server->service.params)->mean_ns;
    if (!domain_single_worker(&unhurried, why) || !domain_stable(pace, service_ns, &u, why))
        return false;
    double decay = u.spare / (double)service_ns, cut_ns = (double)q->load->timeout_ns + 0.5;
    *out = law_of(q->failures, decay, cut_ns);
    *start = (struct start_law){STATE_RESIDUALS, round_probability(u.rho), 0};
    return true;
}

const struct law_type law_mm1_timeout = {
    .is = {.name = "mm1-timeout",
           .says = "M/M/1 with clients that give up while the server works on: those answered"},
    .formula = "P(T > x) = (e^(-a x) - e^(-a theta)) / (1 - e^(-a theta)), a = mu - lambda; given "
               "up: e^(-a theta)",
    .symbols = "1/mu the mean service time, lambda the rate of arrivals, theta the timeout (and "
               "half a ns: an answer at the timeout itself still counts)",
    .domain = "open load without a window, poisson, of the answered requests (or, as the recorder "
              "counts failures, min(T, theta) or T itself of all); one worker, unlimited queue, "
              "or replicas of it chosen at random; no stalls; rho < 1, mean service at least 1 us",
    .source = "the server never learns of it, so it is M/M/1 (L. Kleinrock, 1975), given that T is "
              "at most theta",
    .check = "1/mu = 1, lambda = 0.8, theta = 12: given up 9.07179532894 %, p50 = 3.03155514203, "
             "p99 = 11.5223957401",
    .distribution = holds,
};
