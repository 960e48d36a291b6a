/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A window in front of Poisson arrivals at exponential workers, from the send. */
#include <math.h>
#include <stdlib.h>

#include "models/base/maths.h"
#include "models/distributions/distribution.h"
#include "models/laws/domain.h"
#include "models/laws/stages.h"
#include "models/laws/window.h"
#include "models/loads/load.h"

enum { MEAN_NS, WORKERS };

/* Widest queue at the server that the law reckons with. */
enum { QUEUE_MOST = 1000000 };

bool window_of(const struct law_question *q, struct window *out, struct start_law *start,
               char why[LAW_WHY_SIZE])
{
    struct pace pace;
    if (!domain_poisson_pace(q, &pace, why))
        return false;
    if (q->server->service.type != &distribution_exponential.is)
        return law_refuses(why, LAW_ELSEWHERE "exponential service.");
    const struct open_load *load = q->load->kind.params;
    if (load->max_in_flight == UNLIMITED)
        return law_refuses(why, LAW_ELSEWHERE "a load behind a window.");
    if (domain_stalls(q->server))
        return law_refuses(why, "The server has stalls, and the law is that of one without.");
    if (!domain_serves_all(q, why))
        return false;
    uint64_t busy =
        load->max_in_flight < q->server->workers ? load->max_in_flight : q->server->workers;
    ns_t mean_ns = ((const struct exponential *)q->server->service.params)->mean_ns;
    if (!workers_of(pace, mean_ns, busy, &out->workers, why) || !workers_stable(&out->workers, why))
        return false;
    out->queue = load->max_in_flight - busy;
    out->wait = workers_erlang_c(&out->workers);
    if (q->server->workers == 1)
        *start = (struct start_law){STATE_RESIDUALS, round_probability(out->workers.rho), 0};
    else
        *start = workers_settle(&out->workers, UNLIMITED);
    return true;
}

static double tail(const struct law_distribution *d, double x_ns)
{
    struct stages s = {d->table, d->table_count, d->parameters[WORKERS], d->parameters[MEAN_NS]};
    return stages_tail(&s, x_ns);
}

/* Client and server together are one queue; whoever is sent finds what an arrival would, but never
   more than W - 1. */
static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    struct window window;
    struct start_law state;
    if (q->to != INSTANT_FINISHED || (q->from != INSTANT_SENT && q->from != INSTANT_ACQUIRED))
        return law_refuses(why, LAW_ELSEWHERE "the time from the send to the answer.");
    if (!window_of(q, &window, &state, why))
        return false;
    double decay = log(window.workers.rho), most = floor(-700.0 / decay);
    size_t queue = (double)window.queue < most ? (size_t)window.queue : (size_t)most;
    if (queue > QUEUE_MOST)
        return law_refuses(why, "More than 1,000,000 requests may queue at the server, beyond "
                                "which the law is not computed.");
    *out = (struct law_distribution){.tail = tail};
    out->parameters[MEAN_NS] = window.workers.service_ns;
    out->parameters[WORKERS] = window.workers.count;
    out->table_count = queue + 1;
    out->table = must_alloc(out->table_count, sizeof *out->table);
    out->table[0] = 1.0;
    for (size_t k = 1; k <= queue; k++)
        out->table[k] = window.wait * exp((double)(k - 1) * decay);
    struct stages s = {out->table, out->table_count, window.workers.count,
                       window.workers.service_ns};
    out->mean_ns = stages_mean_ns(&s);
    *start = state;
    return true;
}

const struct law_type law_window = {
    .is = {.name = "window",
           .says = "a window before exponential workers, from the send: Poisson arrivals"},
    .formula = "P(T > x) = P(Erlang(K, c mu) + Exp(mu) > x), P(K >= k) = C rho^(k-1) for k = 1 .. "
               "W-c",
    .symbols = "W the window, 1/mu the mean service time, c the lesser of W and the workers, rho = "
               "lambda/(c mu), C the probability that an arrival waits in M/M/c (c = 1: rho)",
    .domain = "open load, poisson, behind a window, from sent or acquired; unlimited queue, one "
              "server, no stalls, no timeout; rho < 1, mean service at least 1 us; at most "
              "1,000,000 in the queue at the server",
    .source = "the window only moves the queue to the client (first come, first served): M/M/c "
              "seen by arrivals, cut at W - 1",
    .check = "c = 1, 1/mu = 1, lambda = 0.8, W = 4: p50 = 2.60437627989, p99 = 9.24028173777",
    .distribution = holds,
};
