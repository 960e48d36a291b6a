/* SPDX-License-Identifier: GPL-3.0-or-later */
/* N clients that never think, exponential service, c workers, N > c: Erlang(N - c, c mu) + Exp(mu).

   All N are at the server at every instant, so c services are always on, and none remembers how
   long it has lasted: answers leave as a Poisson process of rate c mu, and each send finds the same
   state whatever came before it.  It waits for N - c answers, and then for its own service.  So the
   law holds for every send of a run that begins with all N at the server. */
#include <math.h>

#include "models/distributions/distribution.h"
#include "models/laws/domain.h"
#include "models/laws/gammas.h"
#include "models/loads/load.h"

enum { AHEAD, WORKERS, MEAN_NS };
enum { CLIENTS_MOST = 100000 };

static double tail(const struct law_distribution *d, double x_ns)
{
    if (x_ns <= 0.0)
        return 1.0;
    double x = x_ns / d->parameters[MEAN_NS], c = d->parameters[WORKERS];
    return erlang_tail(d->parameters[AHEAD], c * x) +
           erlang_then_exponential(d->parameters[AHEAD], c, 1.0, x);
}

static bool in_domain(const struct law_question *q, char why[LAW_WHY_SIZE])
{
    const struct closed_load *load = q->load->kind.params;
    if (q->load->kind.type != &load_closed.is)
        return law_refuses(why, LAW_ELSEWHERE "a closed loop.");
    if (q->server->service.type != &distribution_exponential.is)
        return law_refuses(why, LAW_ELSEWHERE "exponential service.");
    if (!domain_from_due(q))
        return law_refuses(why, LAW_ELSEWHERE "the time from the send to the answer.");
    if (q->server->workers < 2 || q->server->workers >= load->clients)
        return law_refuses(why, LAW_ELSEWHERE "more clients than workers, and at least 2 workers.");
    if (!domain_no_think(load))
        return law_refuses(why, LAW_ELSEWHERE "clients that never think.");
    if (load->stagger_ns != 0)
        return law_refuses(why,
                           "The clients do not all start at once, and it takes a while until all "
                           "of them are at the server.");
    if (load->clients > CLIENTS_MOST)
        return law_refuses(why, "There are more than 100,000 clients.");
    if (q->server->replicas > 1)
        return law_refuses(why, "The load is shared by replicas, each with a queue of its own, and "
                                "the law is that of a single one.");
    if (domain_stalls(q->server))
        return law_refuses(why, LAW_ELSEWHERE "a server without stalls.");
    if (((const struct exponential *)q->server->service.params)->mean_ns < NS_PER_US)
        return law_refuses(why,
                           "The mean service time is below 1 us, where rounding durations to whole "
                           "ns shows in the law.");
    return domain_serves_all(q, why);
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    if (!in_domain(q, why))
        return false;
    const struct closed_load *load = q->load->kind.params;
    double c = (double)q->server->workers, clients = (double)load->clients;
    double mean_ns = (double)((const struct exponential *)q->server->service.params)->mean_ns;
    *out = (struct law_distribution){.tail = tail, .mean_ns = clients / c * mean_ns};
    out->parameters[AHEAD] = clients - c;
    out->parameters[WORKERS] = c;
    out->parameters[MEAN_NS] = mean_ns;
    *start = (struct start_law){.state = STATE_CLIENTS};
    return true;
}

const struct law_type law_closed_workers = {
    .is = {.name = "closed-workers",
           .says =
               "Erlang(N - c, c mu) + Exp(mu): N clients that never think, exponential service, "
               "c workers"},
    .formula = "P(T > x) = Q(N - c, c mu x) + e^(-mu x) (c/(c-1))^(N-c) P(N - c, (c-1) mu x)",
    .symbols = "N clients, c workers, 1/mu the mean service time, P and Q the regularised "
               "incomplete gamma functions",
    .domain =
        "closed load of at most 100,000 clients, more of them than workers, no think time, no "
        "stagger; at least 2 workers, no stalls, no timeout, no full queue; mean service at "
        "least 1 us",
    .source = "all workers are always busy and forget how long, so a send waits for N - c answers "
              "of a Poisson process of rate c mu, then for its own service",
    .check = "Little's law: mean = N / (c mu); N = 3, c = 2: P(T > x) = 2 e^(-mu x) - e^(-2 mu x), "
             "so p50 = 1.22794717730 / mu",
    .distribution = holds,
};
