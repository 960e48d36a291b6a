/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sessions that come as a Poisson process, each a chain of requests, exponential service, one
   worker. */
#include <math.h>

#include "models/distributions/distribution.h"
#include "models/laws/domain.h"
#include "models/loads/load.h"

enum { DECAY_PER_NS };

static double tail(const struct law_distribution *d, double x_ns)
{
    return x_ns <= 0.0 ? 1.0 : exp(-d->parameters[DECAY_PER_NS] * x_ns);
}

/* ---- how long a start is remembered ---- */

#define LONGEST_NS 3.2e18 /* a century */

/* A time scale of thinking: its longest, or the mean of its slowest exponential phase; infinite
   where neither is known. */
static double think_scale_ns(struct choice think)
{
    if (think.type == NULL)
        return 0.0;
    const void *params = think.params;
    if (think.type == &distribution_constant.is)
        return (double)((const struct constant *)params)->value_ns;
    if (think.type == &distribution_exponential.is)
        return (double)((const struct exponential *)params)->mean_ns;
    if (think.type == &distribution_erlang.is)
        return (double)((const struct erlang *)params)->mean_ns;
    if (think.type == &distribution_uniform.is)
        return (double)((const struct uniform *)params)->high_ns;
    if (think.type == &distribution_two_point.is) {
        const struct two_point *two = params;
        return (double)(two->rare_ns > two->usual_ns ? two->rare_ns : two->usual_ns);
    }
    return INFINITY;
}

/* The work that sessions bring is that of M/G/1 with Erlang(k, mu) services, whose empty start is
   forgotten at the rate s - lambda ((mu/(mu-s))^k - 1), s the best (Chernoff's bound on the time
   until the stationary server has once been idle).  In units of mu; looked for up to the s beyond
   which it falls. */
static double work_rate(double sessions, double requests)
{
    double best = 0.0, high = 1.0;
    for (int i = 1; i < 400; i++) {
        double s = high * pow(0.95, i);
        double rate = s - sessions * expm1(-requests * log1p(-s));
        best = fmax(best, rate);
    }
    return best;
}

/* Thinking makes a session's requests come over up to k-1 think times more, and a start is
   forgotten more slowly by as much: the sum of both relaxation times is taken.  No proof, but held
   against the network itself with exponential thinking, its master equation solved from empty until
   1e-9 for k = 2 and 3, rho from 0.3 to 0.7 and think times of 0.05 to 20 services: the sum was 1.1
   to 1.4 times the true relaxation time, and the instant below 1.4 to 1.8 times the one wanted.
   From an empty start, of stationary probability (1-rho) e^-m with m sessions thinking in the mean,
   the total variation is at most e^(-t / relaxation) over twice the root of that probability. */
static struct start_law settle(const struct sessions_load *load, struct utilisation u,
                               double service_ns)
{
    double requests = (double)load->requests, think_ns = think_scale_ns(load->think);
    double rate = work_rate(u.rho / requests, requests);
    double relaxation_ns = service_ns / rate + (requests - 1.0) * think_ns;
    double thinking = u.rho / service_ns * (requests - 1.0) / requests * think_ns;
    double settle_ns =
        relaxation_ns * (log(0.5e12) + 0.5 * (thinking - log(u.spare))) + relaxation_ns;
    if (!(settle_ns < LONGEST_NS))
        return (struct start_law){.state = STATE_NONE};
    return (struct start_law){.state = STATE_SETTLED, .settle_ns = (ns_t)settle_ns + 1};
}

/* The pace of requests: k a session. */
static bool request_pace(const struct sessions_load *load, struct pace *out, char why[LAW_WHY_SIZE])
{
    *out = pace_of(load->rate_per_s, load->every_ns);
    u128 den = (u128)out->den * load->requests;
    if (den > UINT64_MAX)
        return law_refuses(why, "The sessions' requests are too many to compute with.");
    out->den = (uint64_t)den;
    return true;
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    const struct sessions_load *load = q->load->kind.params;
    if (q->load->kind.type != &load_sessions.is || load->arrivals.type != &arrivals_poisson.is)
        return law_refuses(why, LAW_ELSEWHERE "sessions with Poisson arrivals.");
    if (q->server->service.type != &distribution_exponential.is)
        return law_refuses(why, LAW_ELSEWHERE "exponential service.");
    if (!domain_from_due(q))
        return law_refuses(why, LAW_ELSEWHERE "the time from the send to the answer.");
    if (q->run->requests != 0)
        return law_refuses(why, "The run ends with a number of requests, and how soon sessions "
                                "make that many depends on their answers: the law is that of a run "
                                "of a fixed duration.");
    if (!domain_single_server(q, why))
        return false;
    struct pace pace;
    struct utilisation u;
    ns_t mean_ns = ((const struct exponential *)q->server->service.params)->mean_ns;
    if (!request_pace(load, &pace, why) || !domain_stable(pace, mean_ns, &u, why))
        return false;
    *out = (struct law_distribution){.tail = tail, .mean_ns = (double)mean_ns / u.spare};
    out->parameters[DECAY_PER_NS] = u.spare / (double)mean_ns;
    *start = settle(load, u, (double)mean_ns);
    return true;
}

const struct law_type law_sessions = {
    .is = {.name = "sessions",
           .says = "Poisson sessions of k requests each, exponential service, one worker"},
    .formula = "P(T > x) = exp(-(mu - Lambda) x), Lambda = k times the rate of sessions",
    .symbols = "1/mu the mean service time, k requests a session, Lambda the rate of requests",
    .domain =
        "sessions load, poisson, any number of requests and any think time, from the send "
        "(when a session's request is due); one worker, unlimited queue, no stalls, no "
        "timeout; the run limited by run.duration alone; Lambda < mu, mean service at least 1 us",
    .source = "F. Baskett, K. M. Chandy, R. R. Muntz, F. G. Palacios, Journal of the ACM 22 "
              "(1975): product form, and an arriving request sees it",
    .check = "1/mu = 1, Lambda = 0.75, any k: p99 = 4 ln 100 = 18.4206807440",
    .distribution = holds,
};
