/* SPDX-License-Identifier: GPL-3.0-or-later */
/* N clients that never think, exponential service, c workers, from an empty server: the k-th of the
   first N requests, all sent at time 0, finds k - 1 others; every later one finds N - 1.

   What is given is the law of the run's samples taken together: each kind weighs as many as are
   expected of it.  Of a run of n requests these are known; in a run of a given duration, N at time
   0 and c mu a second after it, since all workers are always busy. */
#include <math.h>
#include <stdlib.h>

#include "models/distributions/distribution.h"
#include "models/laws/ahead.h"
#include "models/laws/domain.h"
#include "models/loads/load.h"

enum { CLIENTS_MOST = 100000 };

static bool in_domain(const struct law_question *q, char why[LAW_WHY_SIZE])
{
    const struct closed_load *load = q->load->kind.params;
    if (q->load->kind.type != &load_closed.is || q->run->start != START_EMPTY)
        return law_refuses(why, LAW_ELSEWHERE "a closed loop that starts empty.");
    if (q->server->service.type != &distribution_exponential.is)
        return law_refuses(why, LAW_ELSEWHERE "exponential service.");
    if (!domain_from_due(q))
        return law_refuses(why, LAW_ELSEWHERE "the time from the send to the answer.");
    if (q->server->workers >= load->clients)
        return law_refuses(why, LAW_ELSEWHERE "more clients than workers.");
    if (!domain_no_think(load))
        return law_refuses(why, "The clients think between requests, and the law of an empty start "
                                "is that of clients that never do.");
    if (load->stagger_ns != 0)
        return law_refuses(why, "The clients do not all start at once.");
    if (load->clients > CLIENTS_MOST)
        return law_refuses(why, "There are more than 100,000 clients.");
    if (q->server->replicas > 1)
        return law_refuses(why, "The load is shared by replicas, each with a queue of its own, and "
                                "the law is that of a single one.");
    if (domain_stalls(q->server))
        return law_refuses(why, LAW_ELSEWHERE "a server without stalls.");
    if (q->run->requests != 0 && q->run->duration_ns != 0)
        return law_refuses(why, "The run ends by whichever comes first of a count and a duration, "
                                "and how many requests that is has no law here.");
    if (((const struct exponential *)q->server->service.params)->mean_ns < NS_PER_US)
        return law_refuses(why,
                           "The mean service time is below 1 us, where rounding durations to whole "
                           "ns shows in the law.");
    return domain_serves_all(q, why);
}

/* The requests sent at time 0, and how many are expected after it. */
static void expected(const struct law_question *q, double mean_ns, double *first, double *later)
{
    double clients = (double)((const struct closed_load *)q->load->kind.params)->clients;
    double requests = (double)q->run->requests;
    *first = clients;
    *later = (double)q->run->duration_ns * (double)q->server->workers / mean_ns;
    if (requests > 0.0) {
        *first = fmin(requests, clients);
        *later = requests - *first;
    }
    if (q->warmup_ns > 0) { /* of those after it all are alike */
        *first = 0.0;
        *later = 1.0;
    }
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    if (!in_domain(q, why))
        return false;
    size_t clients = (size_t)((const struct closed_load *)q->load->kind.params)->clients;
    size_t workers = (size_t)q->server->workers;
    double mean_ns = (double)((const struct exponential *)q->server->service.params)->mean_ns;
    double first, later, services = 0.0;
    expected(q, mean_ns, &first, &later);
    double *share = must_alloc(clients, sizeof *share);
    for (size_t j = 0; j < clients; j++) {
        share[j] = ((double)j < first ? 1.0 : 0.0) + (j + 1 == clients ? later : 0.0);
        share[j] /= first + later;
        services +=
            share[j] * (1.0 + (j >= workers ? (double)(j + 1 - workers) / (double)workers : 0.0));
    }
    ahead_law(share, clients - 1, workers, mean_ns, out);
    out->mean_ns = services * mean_ns;
    free(share);
    *start = (struct start_law){.state = STATE_IDLE};
    return true;
}

const struct law_type law_closed_start = {
    .is = {.name = "closed-start",
           .says = "Erlang(1 .. N) mixed into Erlang(N, mu): a closed loop from an empty start, "
                   "exponential service"},
    .formula = "P(T > x) = (sum of G_k(x), k = 1 .. N, + M G_N(x)) / (N + M); one worker: G_k(x) = "
               "Q(k, mu x), c workers: P(Erlang(max(0, k-c), c mu) + Exp(mu) > x)",
    .symbols =
        "N clients, c workers, 1/mu the mean service time, M requests expected after the first "
        "N, Q the upper regularised incomplete gamma function",
    .domain =
        "run.start empty; closed load of at most 100,000 clients, more of them than workers, no "
        "think time, no stagger; no stalls, no timeout, no full queue; a count or a duration; "
        "mean service at least 1 us; a warm-up leaves the first N out",
    .source = "the k-th of the first N finds k - 1 others, a later one N - 1",
    .check = "N = 2, c = 1, n = 4: P(T > x) = e^(-mu x) (1 + 3 mu x / 4), mean 7/4 mu",
    .distribution = holds,
};
