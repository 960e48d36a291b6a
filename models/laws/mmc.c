/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Poisson arrivals, exponential service, several workers: M/M/c. */
#include <math.h>

#include "models/distributions/distribution.h"
#include "models/laws/domain.h"
#include "models/laws/workers.h"
#include "models/loads/load.h"

enum { MEAN_NS, WAIT, DECAY_PER_NS };

/* With theta = c mu - lambda the textbook's
       (1-C) e^(-mu x) + C (theta e^(-mu x) - mu e^(-theta x)) / (theta - mu)
   is e^(-mu x) + C mu x f(|theta - mu| x) e^(-min(mu, theta) x), f(z) = (1 - e^-z) / z: positive
   terms, and smooth where theta = mu. */
static double tail(const struct law_distribution *d, double x_ns)
{
    if (x_ns <= 0.0)
        return 1.0;
    double served = x_ns / d->parameters[MEAN_NS], drained = x_ns * d->parameters[DECAY_PER_NS];
    double z = fabs(drained - served);
    double f = z > 0.0 ? -expm1(-z) / z : 1.0;
    return exp(-served) + d->parameters[WAIT] * served * f * exp(-fmin(served, drained));
}

/* Behind a window narrower than the workers no more than the window are ever busy, and the requests
   that the client holds back are the queue. */
static uint64_t busy_most(const struct law_question *q)
{
    uint64_t window = ((const struct open_load *)q->load->kind.params)->max_in_flight;
    return window < q->server->workers ? window : q->server->workers;
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    struct pace pace;
    struct workers w;
    if (!domain_poisson_pace(q, &pace, why))
        return false;
    if (q->server->service.type != &distribution_exponential.is)
        return law_refuses(why, LAW_ELSEWHERE "exponential service.");
    if (q->server->workers == 1)
        return law_refuses(why, LAW_ELSEWHERE "several workers.");
    if (!domain_whole_time(q, why))
        return false;
    if (domain_stalls(q->server))
        return law_refuses(why, "The server has stalls, and the law is that of one without.");
    if (!domain_serves_all(q, why))
        return false;
    uint64_t busy = busy_most(q);
    if (busy == UNLIMITED)
        return law_refuses(why, "With unlimited workers nobody waits: the law is the service's.");
    ns_t mean_ns = ((const struct exponential *)q->server->service.params)->mean_ns;
    if (!workers_of(pace, mean_ns, busy, &w, why) || !workers_stable(&w, why))
        return false;
    double wait = workers_erlang_c(&w), decay_per_ns = w.spare * w.count / w.service_ns;
    *out = (struct law_distribution){.tail = tail, .mean_ns = w.service_ns + wait / decay_per_ns};
    out->parameters[MEAN_NS] = w.service_ns;
    out->parameters[WAIT] = wait;
    out->parameters[DECAY_PER_NS] = decay_per_ns;
    *start = workers_settle(&w, UNLIMITED);
    return true;
}

const struct law_type law_mmc = {
    .is = {.name = "mmc", .says = "M/M/c: Poisson arrivals, exponential service, c workers"},
    .formula = "P(T > x) = (1-C) e^(-mu x) + C (theta e^(-mu x) - mu e^(-theta x)) / (theta - mu); "
               "for theta = mu: e^(-mu x) (1 + C mu x)",
    .symbols = "1/mu the mean service time, lambda the rate of arrivals, c workers, theta = c mu - "
               "lambda, C = c B/(c - a (1-B)) the probability of waiting, B Erlang's loss of a = "
               "lambda/mu on c workers",
    .domain = "open load, poisson, from due (behind a window W too: c is then the lesser of W and "
              "the workers), one server or replicas chosen at random; unlimited queue, no stalls, "
              "no timeout; lambda < c mu, at most 1,000,000 workers, mean service at least 1 us",
    .source = "L. Kleinrock, Queueing Systems, vol. I (1975), section 3.5",
    .check = "1/mu = 1, c = 3, lambda = 2.4: p50 = 1.57880719129, p99 = 8.45547736542; c = 2, "
             "lambda = 1, where theta = mu: p99 = 5.66596068379",
    .distribution = holds,
};
