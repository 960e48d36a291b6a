/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How late a window makes requests leave: Poisson arrivals at exponential workers. */
#include <math.h>

#include "models/laws/window.h"
#include "models/loads/load.h"

enum { LATE, DECAY_PER_NS };

static double tail(const struct law_distribution *d, double x_ns)
{
    return x_ns < 0.0 ? 1.0 : d->parameters[LATE] * exp(-d->parameters[DECAY_PER_NS] * x_ns);
}

/* Those that find the window open leave when due. */
static double tail_from(const struct law_distribution *d, double x_ns)
{
    return x_ns <= 0.0 ? 1.0 : tail(d, x_ns);
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    struct window window;
    struct start_law state;
    if (q->to != INSTANT_SENT || q->from != INSTANT_DUE)
        return law_refuses(why, LAW_ELSEWHERE "the time from due to the send.");
    if (!window_of(q, &window, &state, why))
        return false;
    const struct workers *w = &window.workers;
    double late = window.wait * exp((double)window.queue * log(w->rho));
    double decay_per_ns = w->spare * w->count / w->service_ns;
    *out = (struct law_distribution){
        .tail = tail, .tail_from = tail_from, .mean_ns = late / decay_per_ns};
    out->parameters[LATE] = late;
    out->parameters[DECAY_PER_NS] = decay_per_ns;
    *start = state;
    return true;
}

const struct law_type law_send_lag = {
    .is = {.name = "send-lag",
           .says = "the send lag behind a window: Poisson arrivals, exponential workers"},
    .formula = "P(lag > x) = C rho^(W-c) e^(-(c mu - lambda) x), x >= 0",
    .symbols = "W the window, 1/mu the mean service time, lambda the rate of arrivals, c the "
               "lesser of W and the workers, rho = lambda/(c mu), C the probability that an "
               "arrival waits in M/M/c (c = 1: rho)",
    .domain = "open load, poisson, behind a window, from due to sent; unlimited queue, one server, "
              "no stalls, no timeout; rho < 1, mean service at least 1 us",
    .source = "a request is late by N - W + 1 departures if N >= W are there, N as seen by an "
              "arrival at M/M/c",
    .check = "c = 1, 1/mu = 1, lambda = 0.8, W = 4: 1 - 0.8^4 = 59.04 % leave when due, p99 = 5 ln "
             "40.96 = 18.5628",
    .distribution = holds,
};
