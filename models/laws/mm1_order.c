/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Poisson arrivals, exponential service, one worker that shares itself or serves in another order
   than of arrival.

   The number present is that of M/M/1, whatever the order; what differs is how long one of them
   stays.  Counted in events of a clock of rate lambda + mu, with n others that could go before it,
   the next event is an arrival (one more that could), or the end of a service.  With sharing or a
   random pick that is its own, or leads to it, with probability 1/(n + 1); last come first served
   the n that came later go first.  So the tail is a mixture of Poisson probabilities with the
   survival function of the number of events, all terms positive.

   The last requests of a run have fewer behind them.  Let m requests be expected of it, and let the
   events go on without their arrivals when it has ended.  Of those that stay for k events with
   arrivals going on, as many have the end of the run behind them as there were arrivals: in a run
   that counts, those that came while it stayed; in one of a duration lambda/(lambda + mu) for each
   event, as it could have come at any.  They are replaced by those that stay for k events of which
   the last ones had no arrivals, begun once at each event that was one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
/* Of a random scenario that does not say how many. */
#define REPLICATIONS 32.0

enum { EVENTS_PER_NS };

static double tail(const struct law_distribution *d, double x_ns)
{
    if (x_ns <= 0.0)
        return 1.0;
    return poisson_mixture(d->parameters[EVENTS_PER_NS] * x_ns, d->table, d->table_count);
}

/* Shares of requests that are still there, by the number of others that could go before; element 0
   and the one past the last state are none. */
struct row {
    double *others; /* owned, `states` + 2 long */
    double own;     /* those whose own service has begun */
};

struct chain {
    struct row stays;    /* with arrivals going on */
    struct row met;      /* the same, times the arrivals that each has met */
    struct row alone;    /* behind whom the run has ended */
    double *before;      /* owned: what a row was */
    double *keeps;       /* owned: the probability that a service that ends leads to another's */
    size_t states;       /* so many others at most */
    double arrival;      /* the share of events that are arrivals */
    bool shares, latest; /* what the order is: sharing, or last come first served, or neither */
};

/* The mean time: what each event is expected to take, as often as it comes. */
static double mean_of(const struct law_distribution *d)
{
    double sum = 0.0;
    for (size_t k = d->table_count; k-- > 0;)
        sum += d->table[k];
    return sum / d->parameters[EVENTS_PER_NS];
}

/* One event more, with arrivals or without them. */
static void step(struct chain *c, struct row *row, bool arrivals)
{
    double *last = row->others, *next = c->before, departure = 1.0 - c->arrival, leaves = 0.0;
    for (size_t n = 1; n <= c->states; n++) {
        next[n] =
            c->arrival * last[arrivals ? n - 1 : n] + departure * c->keeps[n + 1] * last[n + 1];
        leaves += (1.0 - c->keeps[n]) * last[n];
    }
    row->others = next;
    c->before = last;
    row->own = c->shares ? 0.0 : c->arrival * row->own + departure * leaves;
}

/* Adds the arrivals of an event that `from` has met: each is one more that could go before, or, if
   the run ends with it, none. */
static void meet(const struct chain *c, const struct row *from, struct row *to, bool joins)
{
    for (size_t n = 1; n <= c->states; n++)
        to->others[n] += c->arrival * from->others[joins ? n - 1 : n];
    to->own += c->arrival * from->own;
}

static double share(const struct chain *c, const struct row *row)
{
    double sum = 0.0;
    for (size_t n = c->states; n >= 1; n--)
        sum += row->others[n];
    return sum + row->own;
}

static struct row row_of(size_t states)
{
    return (struct row){.others = must_alloc(states + 2, sizeof(double))};
}

/* Seen by an arrival: n others with probability (1 - rho) rho^n; one is served, unless all are. */
static struct chain chain_of(const struct queue_type *order, const struct utilisation *u,
                             size_t states)
{
    struct chain c = {.arrival = u->rho / (1.0 + u->rho),
                      .states = states,
                      .shares = order->shares,
                      .latest = order == &queue_lifo,
                      .stays = row_of(states),
                      .met = row_of(states),
                      .alone = row_of(states),
                      .before = row_of(states).others,
                      .keeps = row_of(states).others};
    double arrives = c.shares ? u->spare : u->spare * u->rho;
    c.stays.own = c.shares ? 0.0 : u->spare;
    for (size_t n = 1; n <= states; n++, arrives *= u->rho) {
        c.keeps[n] = c.latest ? (n > 1 ? 1.0 : 0.0) : (double)(n - 1) / (double)n;
        c.stays.others[n] = c.latest ? (n > 1 ? 0.0 : u->rho) : arrives;
    }
    return c;
}

static void chain_free(struct chain *c)
{
    free(c->stays.others);
    free(c->met.others);
    free(c->alone.others);
    free(c->before);
    free(c->keeps);
}

/* How a run ends: with so many requests of each of its replications; none: it never does. */
struct ending {
    double requests, replications;
    bool counted; /* it ends with the last of them */
};

/* Fills the table of P(it stays for k events); false where that would take too long.  A request
   that stays for as many events as the run has requests may meet both ends of it, and is not
   reckoned with.  *least requests are enough for fewer than half a one of those in all
   replications: less than a tenth of a check's standard error, which is 7 requests or more where
   there are 200 clusters. */
static bool fill(struct law_distribution *out, const struct queue_type *order,
                 const struct utilisation *u, const struct ending *end, double *least)
{
    double states = ceil(log(LEAST) / log(u->rho)) + 50.0, stays = 1.0, last = 0.0;
    if (!(states < 1e5))
        return false;
    struct chain c = chain_of(order, u, (size_t)states);
    size_t capacity = 0, most = (size_t)(STEPS_MOST / states);
    for (*least = 0.0; stays >= LEAST && out->table_count < most; last = stays) {
        double events = (double)out->table_count, table = stays = share(&c, &c.stays);
        if (stays * events * end->replications > 0.5)
            *least = events + 1.0;
        if (end->requests > 0.0) {
            double met = end->counted ? share(&c, &c.met) : c.arrival * events * last;
            table = fmax(stays - met / end->requests, 0.0) + share(&c, &c.alone) / end->requests;
            step(&c, &c.alone, false);
            meet(&c, &c.stays, &c.alone, false);
        }
        if (end->counted) {
            step(&c, &c.met, true);
            meet(&c, &c.stays, &c.met, true);
        }
        step(&c, &c.stays, true);
        if (out->table_count == capacity) {
            capacity = capacity == 0 ? 1024 : 2 * capacity;
            out->table = must_grow(out->table, capacity, sizeof *out->table);
        }
        out->table[out->table_count++] = table;
    }
    chain_free(&c);
    return stays < LEAST;
}

/* The end of the run as the law reckons with it; false, and why, for others. */
static bool ends(const struct law_question *q, const struct utilisation *u, struct ending *out,
                 char why[LAW_WHY_SIZE])
{
    const struct run_plan *run = q->run;
    *out = (struct ending){.replications =
                               run->replications > 0 ? (double)run->replications : REPLICATIONS,
                           .counted = run->requests != 0};
    if (run->requests != 0 && run->duration_ns != 0)
        return law_refuses(why, "The run ends by whichever comes first of a count and a duration, "
                                "and in this order the last requests depend on which it is.");
    if (run->requests != 0 && q->server->replicas > 1)
        return law_refuses(why, "The last requests have fewer behind them, and how many at their "
                                "replica has a law here only in a run of a given duration.");
    if (run->requests != 0)
        out->requests = (double)run->requests;
    else if (run->duration_ns != 0 && run->duration_ns <= q->warmup_ns)
        return law_refuses(why, "Nothing is sent after the warm-up.");
    else if (run->duration_ns != 0)
        out->requests = (double)(run->duration_ns - q->warmup_ns) * u->per_ns;
    return true;
}

static bool in_domain(const struct law_question *q, struct pace *pace, char why[LAW_WHY_SIZE])
{
    const struct queue_type *order = queue_kind(q->server->queue);
    if (order == NULL || !(order->shares || order == &queue_lifo || order == &queue_random))
        return law_refuses(why, LAW_ELSEWHERE "a server that shares itself, or serves the latest "
                                              "first or in random order.");
    if (!domain_poisson_pace(q, pace, why))
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
    return true;
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    struct pace pace;
    struct utilisation u;
    struct ending end;
    double least;
    if (!in_domain(q, &pace, why))
        return false;
    ns_t mean_ns = ((const struct exponential *)q->server->service.params)->mean_ns;
    if (!domain_stable(pace, mean_ns, &u, why) || !ends(q, &u, &end, why))
        return false;
    struct law_distribution d = {.tail = tail, .mean_ns = (double)mean_ns / u.spare};
    d.parameters[EVENTS_PER_NS] = (1.0 + u.rho) / (double)mean_ns;
    bool filled = fill(&d, queue_kind(q->server->queue), &u, &end, &least);
    if (!filled)
        law_refuses(why, "So near to capacity the law of this order takes too long to compute.");
    else if (end.requests > 0.0 && end.requests < least)
        snprintf(why, LAW_WHY_SIZE,
                 "In this order the last requests of a run have fewer behind them, and the law "
                 "reckons with that only in runs of at least %.0f requests.",
                 least);
    if (!filled || (end.requests > 0.0 && end.requests < least)) {
        free(d.table);
        return false;
    }
    if (end.requests > 0.0)
        d.mean_ns = mean_of(&d);
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
