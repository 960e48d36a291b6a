/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Poisson arrivals, exponential service, one worker that shares itself or serves in another order
   than of arrival.

   The number present is that of M/M/1, whatever the order; what differs is how long one of them
   stays.  Counted in events of a clock of rate lambda + mu, with n others that could go before it,
   the next event is an arrival (one more that could), or the end of a service.  With sharing or a
   random pick that is its own, or leads to it, with probability 1/(n + 1); last come first served
   the n that came later go first.  So the tail is a mixture of Poisson probabilities with the
   survival function of the number of events, all terms positive. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/maths.h"
#include "models/distributions/distribution.h"
#include "models/laws/domain.h"
#include "models/laws/gammas.h"
#include "models/laws/mechanisms.h"
#include "models/loads/load.h"
#include "models/queues/queue.h"

/* Shares below it are as good as none. */
#define LEAST 1e-32
#define STEPS_MOST 4e8

enum { EVENTS_PER_NS };

static double tail(const struct law_distribution *d, double x_ns)
{
    if (x_ns <= 0.0)
        return 1.0;
    return poisson_mixture(d->parameters[EVENTS_PER_NS] * x_ns, d->table, d->table_count);
}

/* One step back in time: stays[n], the probability of staying for k + 1 events, from that for k. */
struct chain {
    double *stays, *before; /* owned, `states` long */
    size_t states;
    double arrival; /* the share of events that are arrivals */
    bool latest;    /* last come, first served */
    bool shares;    /* its service has begun */
    double own;     /* the probability that its own service, begun, lasts k events */
};

static void step(struct chain *c)
{
    double *last = c->stays;
    c->stays = c->before;
    c->before = last;
    double after = c->shares ? 0.0 : c->own, departure = 1.0 - c->arrival;
    for (size_t n = 0; n < c->states; n++) {
        double more = last[n + 1 < c->states ? n + 1 : n];
        double keeps = c->latest ? (n > 0 ? 1.0 : 0.0) : (double)n / (double)(n + 1);
        double less = keeps > 0.0 ? keeps * last[n - 1] : 0.0;
        c->stays[n] = c->arrival * more + departure * (less + (1.0 - keeps) * after);
    }
    c->own *= c->arrival;
}

/* Seen by an arrival: n others with probability (1 - rho) rho^n; one is served, unless all are. */
static double share_that_stays(const struct chain *c, const struct utilisation *u)
{
    double sum = 0.0;
    for (size_t n = c->latest ? 1 : c->states; n-- > 0;)
        sum = c->latest ? c->stays[0] : sum * u->rho + u->spare * c->stays[n];
    return c->shares ? sum : u->spare * c->own + u->rho * sum;
}

/* Fills the table of P(it stays for k events); false where that would take too long. */
static bool fill(struct law_distribution *out, const struct queue_type *order,
                 const struct utilisation *u)
{
    struct chain c = {.arrival = u->rho / (1.0 + u->rho),
                      .latest = order == &queue_lifo,
                      .shares = order->shares,
                      .own = 1.0};
    double states = ceil(log(LEAST) / log(u->rho)) + 50.0;
    if (!(states < 1e5))
        return false;
    c.states = (size_t)states;
    c.stays = must_alloc(c.states, sizeof *c.stays);
    c.before = must_alloc(c.states, sizeof *c.before);
    for (size_t n = 0; n < c.states; n++)
        c.stays[n] = 1.0;
    size_t capacity = 0, most = (size_t)(STEPS_MOST / states);
    double share = 1.0;
    for (; share >= LEAST && out->table_count < most; step(&c)) {
        share = share_that_stays(&c, u);
        if (out->table_count == capacity) {
            capacity = capacity == 0 ? 1024 : 2 * capacity;
            out->table = must_grow(out->table, capacity, sizeof *out->table);
        }
        out->table[out->table_count++] = share;
    }
    free(c.stays);
    free(c.before);
    return share < LEAST;
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    const struct queue_type *order = queue_kind(q->server->queue);
    struct pace pace;
    struct utilisation u;
    if (order == NULL || !(order->shares || order == &queue_lifo || order == &queue_random))
        return law_refuses(why, LAW_ELSEWHERE "a server that shares itself, or serves the latest "
                                              "first or in random order.");
    if (!domain_poisson_pace(q, &pace, why))
        return false;
    if (q->server->service.type != &distribution_exponential.is)
        return law_refuses(why,
                           "In this order open loads have a law only with exponential service; "
                           "where the worker shares itself the mean is S / (1 - rho) with any.");
    if (!domain_from_due(q) || !domain_sent_when_due(q->load))
        return law_refuses(why, "In this order the law is that of the time from due to the answer, "
                                "without a window.");
    if (!domain_single_worker(q, why))
        return false;
    if (q->run->start == START_EMPTY && domain_counts_from_empty(q))
        return law_refuses(why, "The run starts empty, and the law is that of a stationary one.");
    ns_t mean_ns = ((const struct exponential *)q->server->service.params)->mean_ns;
    if (!domain_stable(pace, mean_ns, &u, why))
        return false;
    struct law_distribution d = {.tail = tail, .mean_ns = (double)mean_ns / u.spare};
    d.parameters[EVENTS_PER_NS] = (1.0 + u.rho) / (double)mean_ns;
    if (!fill(&d, order, &u)) {
        free(d.table);
        return law_refuses(why, "So near to capacity the law of this order takes too long to "
                                "compute.");
    }
    *out = d;
    *start = (struct start_law){STATE_RESIDUALS, round_probability(u.rho), 0};
    return true;
}

const struct law_type law_mm1_order = {
    .is = {.name = "mm1-order",
           .says = "M/M/1 where the worker shares itself, or serves the latest first or in random "
                   "order"},
    .formula = "P(T > x) = sum over k of P(Poisson((lambda + mu) x) = k) s(k), s(k) the "
               "probability to stay for k events; mean 1/(mu - lambda), as in any order",
    .symbols = "1/mu the mean service time, lambda the rate of arrivals, rho = lambda/mu; s(k) by "
               "recursion over the number that may go before",
    .domain = "queue processor-sharing, lifo or random; open load, poisson, no window, from due; "
              "exponential service, one worker, unlimited queue, no stalls, no timeout; rho < 1, "
              "up to about 0.95; run.start not empty",
    .source =
        "uniformisation of the chain of one request; E. Coffman, R. Muntz, H. Trotter, J. ACM "
        "17 (1970) for sharing",
    .check =
        "rho = 0.5, 1/mu = 1: variances 2.5/1.5/0.25 = 6.66667 shared; waits of E W^2 = 5.33333 "
        "in random order and 8 latest first, against 4 first come, first served",
    .knows = KNOWS(ORDER) | KNOWS(SHARING),
    .distribution = holds,
};
