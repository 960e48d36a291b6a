/* SPDX-License-Identifier: GPL-3.0-or-later */
/* N clients with exponential think time, c workers with exponential service: the repairman.

   A sending client sees the stationary state of N - 1 clients (arrival theorem).

   Settling.  Let two copies of the loop run from any two states, coupled so that the one with more
   clients at the server keeps at least as many.  Each client of the difference is one more that
   thinks in the other copy and joins at rate nu, and answers only lessen the difference: its
   expectation falls at a rate of at least nu.  So after t it is at most N e^(-nu t), and so is the
   total variation, a difference of 1 being the least: below 1e-12 after ln(N 10^12) think times
   from when the last client has joined. */
#include "models/laws/repairman.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "models/distributions/distribution.h"
#include "models/laws/ahead.h"
#include "models/laws/domain.h"
#include "models/loads/load.h"

enum { CLIENTS_MOST = 100000 };

/* w_j / w_(j-1) = (N-j+1) nu / (min(j, c) mu), from the likeliest j both ways: w is 1 there. */
void repairman_shares(struct repairman r, double *share)
{
    double ratio = r.service_ns / r.think_ns, sum = 1.0;
    size_t n = (size_t)r.clients, mode = 0;
    while (mode < n && (r.clients - (double)mode) * ratio > fmin((double)mode + 1.0, r.workers))
        mode++;
    share[mode] = 1.0;
    for (size_t j = mode; j > 0; j--) {
        share[j - 1] =
            share[j] * fmin((double)j, r.workers) / ((r.clients - (double)j + 1.0) * ratio);
        sum += share[j - 1];
    }
    for (size_t j = mode + 1; j <= n; j++) {
        share[j] =
            share[j - 1] * (r.clients - (double)j + 1.0) * ratio / fmin((double)j, r.workers);
        sum += share[j];
    }
    for (size_t j = 0; j <= n; j++)
        share[j] /= sum;
}

double repairman_throughput(struct repairman r)
{
    size_t n = (size_t)r.clients;
    double *share = must_alloc(n + 1, sizeof *share), busy = 0.0;
    repairman_shares(r, share);
    for (size_t j = 1; j <= n; j++)
        busy += share[j] * fmin((double)j, r.workers);
    free(share);
    return busy / r.service_ns;
}

static bool in_domain(const struct law_question *q, char why[LAW_WHY_SIZE])
{
    const struct closed_load *load = q->load->kind.params;
    if (q->load->kind.type != &load_closed.is)
        return law_refuses(why, LAW_ELSEWHERE "a closed loop.");
    if (q->server->service.type != &distribution_exponential.is)
        return law_refuses(why, LAW_ELSEWHERE "exponential service.");
    if (domain_no_think(load))
        return law_refuses(why, LAW_ELSEWHERE "clients that think between requests.");
    if (!domain_from_due(q))
        return law_refuses(why, LAW_ELSEWHERE "the time from the send to the answer.");
    if (load->think.type != &distribution_exponential.is)
        return law_refuses(why, "The law is that of an exponential think time.");
    if (load->clients > CLIENTS_MOST)
        return law_refuses(why, "There are more than 100,000 clients.");
    if (q->server->replicas > 1)
        return law_refuses(why, "The load is shared by replicas, each with a queue of its own, and "
                                "the law is that of a single one.");
    if (domain_stalls(q->server))
        return law_refuses(why, LAW_ELSEWHERE "a server without stalls.");
    if (((const struct exponential *)q->server->service.params)->mean_ns < NS_PER_US ||
        ((const struct exponential *)load->think.params)->mean_ns < NS_PER_US)
        return law_refuses(why,
                           "The mean service or think time is below 1 us, where rounding durations "
                           "to whole ns shows in the law.");
    return domain_serves_all(q, why);
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    if (!in_domain(q, why))
        return false;
    const struct closed_load *load = q->load->kind.params;
    double clients = (double)load->clients;
    struct repairman all = {
        clients, fmin((double)q->server->workers, clients),
        (double)((const struct exponential *)load->think.params)->mean_ns,
        (double)((const struct exponential *)q->server->service.params)->mean_ns};
    double settle_ns =
        ceil(all.think_ns * log(clients * 1e12)) + (clients - 1.0) * (double)load->stagger_ns;
    if (!(settle_ns < 0x1p60))
        return law_refuses(why, "The loop takes more than 36 years to settle.");
    double throughput = repairman_throughput(all), busy = throughput * all.service_ns;
    struct repairman others = all;
    others.clients -= 1.0;
    double *share = must_alloc((size_t)load->clients, sizeof *share);
    repairman_shares(others, share);
    ahead_law(share, (size_t)others.clients, (size_t)all.workers, all.service_ns, out);
    free(share);
    out->mean_ns = clients / throughput - all.think_ns;
    snprintf(
        out->note, sizeof out->note,
        "In the long run %.9g requests a second are answered, and %.9g %% of the workers' time "
        "is busy.",
        throughput * 1e9, 100.0 * busy / (double)q->server->workers);
    *start = (struct start_law){.state = STATE_SETTLED, .settle_ns = (ns_t)settle_ns};
    return true;
}

const struct law_type law_repairman = {
    .is = {.name = "repairman",
           .says = "N clients that think, exponential think and service times, c workers"},
    .formula =
        "P(T > x) = sum over j < N of w_j P(Erlang(max(0, j-c+1), c mu) + Exp(mu) > x), w_j / "
        "w_(j-1) = (N-j) nu / (min(j, c) mu); throughput X = sum of min(j, c) mu w_j with N+1 "
        "for N, utilisation X / (c mu), mean T = N/X - 1/nu",
    .symbols =
        "N clients, c workers, 1/nu the mean think time, 1/mu the mean service time, w_j the "
        "probability that a sending client finds j others at the server",
    .domain =
        "closed load of at most 100,000 clients, exponential think time, from the send; any "
        "number of workers, no stalls, no timeout, no full queue; mean think and service time "
        "at least 1 us",
    .source = "S. Lavenberg, M. Reiser (1980); K. Sevcik, I. Mitrani (1981): arrival theorem; "
              "R. Cooper, Introduction to Queueing Theory: finite sources",
    .check = "N = 20, c = 1, 1/nu = 30/mu: p50 = 1.64067572757/mu, p99 = 9.60239402329/mu, "
             "mean 2.26248141558/mu, throughput 0.619915118815 mu",
    .distribution = holds,
};
