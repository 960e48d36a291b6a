/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every request to all of k single-worker exponential replicas at once, the others taken back at
   the first answer. */
#include <math.h>
#include <stdio.h>

#include "models/distributions/distribution.h"
#include "models/laws/domain.h"
#include "models/laws/inflation.h"
#include "models/loads/load.h"
#include "models/policies/resend.h"

enum { DECAY_PER_NS, RHO, SPARE };

/* ln(1e12 (1 + sqrt(rho))) and a little: see settle_ns. */
#define SETTLE_DECAYS 28.4

static double tail(const struct law_distribution *d, double x_ns)
{
    return x_ns <= 0.0 ? 1.0 : exp(-d->parameters[DECAY_PER_NS] * x_ns);
}

static double inflation(const struct law_distribution *d, double p, double q)
{
    return inflation_mm1(d->parameters[RHO], d->parameters[SPARE], p, q);
}

/* An empty queue and a stationary one under the same arrivals and services are one from the instant
   at which the stationary one is empty.  With M the pair's rate, that takes longer than t with
   probability at most (1 + sqrt(rho)) e^(-s t), s = (sqrt(M) - sqrt(lambda))^2: the largest s at
   which E e^(s busy) is finite, averaged over the stationary number.  s = (1 - rho)^2 M /
   (1 + sqrt(rho))^2 keeps its digits near rho = 1. */
static double settle_ns(const struct utilisation *u, double pair_mean_ns)
{
    double root = u->spare / (1.0 + sqrt(u->rho));
    return SETTLE_DECAYS * pair_mean_ns / (root * root);
}

/* The loser goes on being served: both queues are M/M/1 with the whole load, but not equal. */
static bool refuses_losers(const struct law_question *q, struct pace pace, ns_t mean_ns,
                           char why[LAW_WHY_SIZE])
{
    struct utilisation u = domain_utilisation(pace, mean_ns);
    const struct resend *resend = q->load->resend.params;
    if (resend->cancel == CANCEL_QUEUED)
        return law_refuses(why, "A copy that is in service is served to its end, and no law here "
                                "knows how much of the load that is.");
    if (!u.stable || q->server->replicas != 2)
        return law_refuses(why, "The replicas go on serving what is already answered, and the law "
                                "is that of copies taken back, from service too.");
    double mean_answer_ns = (4.0 + u.rho) / 8.0 * (double)mean_ns / u.spare;
    snprintf(why, LAW_WHY_SIZE,
             "Both replicas serve every request to its end: of the first answer only the mean is "
             "known, (4 + rho)/(8 (mu - lambda)) = %.9g ms, and no percentile.",
             mean_answer_ns / 1e6);
    return false;
}

static bool sends_to_all(const struct law_question *q, char why[LAW_WHY_SIZE])
{
    const struct open_load *load = q->load->kind.params;
    const struct variant *policy = q->load->resend.type;
    const struct resend *resend = q->load->resend.params;
    if (policy == NULL || q->load->fan_out > 1)
        return law_refuses(why, LAW_ELSEWHERE "requests sent in several copies.");
    if (q->server->workers == UNLIMITED)
        return law_refuses(why, LAW_ELSEWHERE "copies that queue.");
    if (policy != &resend_hedge.is || resend->after_ns != 0 ||
        resend->copies != q->server->replicas)
        return law_refuses(why,
                           "Copies that queue have a law only where a hedge sends one to every "
                           "replica at once: the others change what their queues hold.");
    if (q->load->kind.type != &load_open.is || load->arrivals.type != &arrivals_poisson.is ||
        q->server->service.type != &distribution_exponential.is)
        return law_refuses(why, "Copies that queue have a law only with Poisson arrivals and "
                                "exponential service.");
    if (q->server->workers != 1 || !domain_from_due(q) || !domain_sent_when_due(q->load))
        return law_refuses(why, "Copies that queue have a law only at replicas of one worker, from "
                                "due to the answer, without a window.");
    if (domain_stalls(q->server) || q->load->timeout_ns != 0 || q->run->cut_ns != 0 ||
        q->server->queue_limit != UNLIMITED)
        return law_refuses(why, "Copies that queue have a law only without stalls, timeout, queue "
                                "limit and cut.");
    return true;
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    if (!sends_to_all(q, why))
        return false;
    const struct open_load *load = q->load->kind.params;
    ns_t mean_ns = ((const struct exponential *)q->server->service.params)->mean_ns;
    struct pace pace = pace_of(load->rate_per_s, load->every_ns);
    uint64_t replicas = q->server->replicas;
    if (((const struct resend *)q->load->resend.params)->cancel != CANCEL_IN_SERVICE)
        return refuses_losers(q, pace, mean_ns, why);
    /* The pair is one M/M/1 queue of k times the rate: compare the work with k intervals. */
    if (replicas > 1000 || pace.num > UINT64_MAX / replicas)
        return law_refuses(why, "So many replicas, or so long an interval, overflow the law.");
    struct utilisation u;
    if (!domain_stable((struct pace){pace.num * replicas, pace.den}, mean_ns, &u, why))
        return false;
    double pair_mean_ns = (double)mean_ns / (double)replicas, settle = settle_ns(&u, pair_mean_ns);
    if (pair_mean_ns < (double)NS_PER_US)
        return law_refuses(why, "The first of the services takes less than 1 us on average, where "
                                "rounding durations to whole ns shows in the law.");
    if (settle >= (double)NS_LIMIT / 16.0)
        return law_refuses(why, "So near to capacity the run would take years to settle.");
    *out = (struct law_distribution){
        .tail = tail, .inflation = inflation, .mean_ns = pair_mean_ns / u.spare};
    out->parameters[DECAY_PER_NS] = u.spare / pair_mean_ns;
    out->parameters[RHO] = u.rho;
    out->parameters[SPARE] = u.spare;
    *start = (struct start_law){.state = STATE_SETTLED, .settle_ns = (ns_t)settle + 1};
    snprintf(out->note, sizeof out->note,
             "%llu copies a request, together the work of one: the queues stay equal.",
             (unsigned long long)replicas);
    return true;
}

const struct law_type law_both_and_cancel = {
    .is = {.name = "both-and-cancel",
           .says = "a copy to each of k exponential replicas, the losers taken back: M/M/1 of rate "
                   "k mu"},
    .formula = "P(T > x) = exp(-(k mu - lambda) x)",
    .symbols = "1/mu the mean service time of a replica, lambda the rate of arrivals, k the "
               "replicas and the copies, x in ns",
    .domain = "hedge after 0 with as many copies as replicas and cancel in-service, open load, "
              "poisson, from due; replicas of one worker, exponential service, unlimited queues, "
              "no stalls, no timeout, no window; lambda < k mu; settles as an M/M/1 queue does",
    .source = "the minimum of k exponentials has rate k mu, and all queues hold the same requests: "
              "L. Kleinrock, Queueing Systems, vol. I (1975) for M/M/1",
    .check = "k = 2, 1/mu = 5 ms, lambda = 140/s: p99 = ln 100 / 260 s = 17.7122 ms, mean 3.84615 "
             "ms; an M/M/1 queue of 2.5 ms at 140/s has the same",
    .distribution = holds,
};
