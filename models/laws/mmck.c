/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Poisson arrivals, exponential service, c workers and room for a few who wait: M/M/c/K. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "models/distributions/distribution.h"
#include "models/laws/domain.h"
#include "models/laws/stages.h"
#include "models/laws/workers.h"
#include "models/loads/load.h"

/* Longest queue the law reckons with. */
enum { QUEUE_MOST = 1000000 };

enum { MEAN_NS, WORKERS };

static double tail(const struct law_distribution *d, double x_ns)
{
    struct stages s = {d->table, d->table_count, d->parameters[WORKERS], d->parameters[MEAN_NS]};
    return stages_tail(&s, x_ns);
}

/* How many arrivals find c + i requests there, i = 0 .. limit, in proportion to rho^i, against 1-B
   of those that find a worker idle and B at i = 0.  All scaled by the largest.  An accepted one
   that finds c + i waits for i + 1 departures.  Returns the share refused. */
static double fill_table(struct law_distribution *d, const struct workers *w, size_t limit)
{
    double b = workers_erlang_b(w), last = (double)limit;
    double scale_log = w->spare < 0.0 ? last * log(w->rho) : 0.0;
    double idle = (1.0 - b) * exp(-scale_log), refused = b * exp(last * log(w->rho) - scale_log);
    double waits = 0.0;
    d->table = must_alloc(limit + 1, sizeof *d->table);
    for (size_t i = limit; i-- > 0;) {
        waits += b * exp((double)i * log(w->rho) - scale_log);
        d->table[i + 1] = waits;
    }
    double accepted = idle + waits;
    d->table[0] = 1.0;
    d->table_count = 1;
    while (d->table_count <= limit && d->table[d->table_count] > accepted * 1e-305) {
        d->table[d->table_count] /= accepted;
        d->table_count++;
    }
    return refused / (accepted + refused);
}

static bool in_domain(const struct law_question *q, char why[LAW_WHY_SIZE])
{
    const struct server *server = q->server;
    if (server->service.type != &distribution_exponential.is)
        return law_refuses(why, LAW_ELSEWHERE "exponential service.");
    if (server->workers == UNLIMITED || server->queue_limit == UNLIMITED)
        return law_refuses(why, LAW_ELSEWHERE "a queue with a limit.");
    if (q->to != INSTANT_FINISHED || q->from == INSTANT_STARTED)
        return law_refuses(why, LAW_ELSEWHERE "the time from the send to the answer.");
    if (!domain_sent_when_due(q->load))
        return law_refuses(why, "The queue is limited and there is a window before it: what the "
                                "server refuses frees its slot at once, and no law here knows "
                                "that.");
    if (q->load->timeout_ns != 0 || q->run->cut_ns != 0)
        return law_refuses(why, "A timeout or a cut loses long responses first.");
    if (domain_stalls(server))
        return law_refuses(why, "The server has stalls, and the law is that of one without.");
    if (q->failures != FAILURES_DROPPED)
        return law_refuses(why, "The law is that of the requests that are answered, and this "
                                "recorder counts the refused ones too.");
    if (server->queue_limit > QUEUE_MOST)
        return law_refuses(why, "The queue holds more than 1,000,000 requests, beyond which the "
                                "law is not computed.");
    return domain_sends_once(q, why);
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    struct pace pace;
    struct workers w;
    if (!domain_poisson_pace(q, &pace, why) || !in_domain(q, why))
        return false;
    ns_t mean_ns = ((const struct exponential *)q->server->service.params)->mean_ns;
    if (!workers_of(pace, mean_ns, q->server->workers, &w, why))
        return false;
    *out = (struct law_distribution){.tail = tail};
    out->parameters[MEAN_NS] = w.service_ns;
    out->parameters[WORKERS] = w.count;
    double refused = fill_table(out, &w, (size_t)q->server->queue_limit);
    struct stages s = {out->table, out->table_count, w.count, w.service_ns};
    out->mean_ns = stages_mean_ns(&s);
    snprintf(out->note, sizeof out->note,
             "The law is that of the answered requests; %.9g %% are refused.", 100.0 * refused);
    *start = workers_settle(&w, q->server->queue_limit);
    return true;
}

const struct law_type law_mmck = {
    .is = {.name = "mmck",
           .says = "M/M/c/K: Poisson arrivals, exponential service, c workers, K - c may wait"},
    .formula = "P(T > x) = sum_{n<K} p_n P(Erlang(max(0, n-c+1), c mu) + Exp(mu) > x) / (1 - p_K); "
               "refused: p_K",
    .symbols = "1/mu the mean service time, c workers, K = c + queue_limit, p_n the stationary "
               "probability of n requests there: a^n/n! for n <= c, then falling by rho = a/c",
    .domain = "open load without a window, poisson, any rate, of the answered requests; one server "
              "or replicas chosen at random; no stalls, no timeout; at most 1,000,000 workers and "
              "as many who wait, mean service at least 1 us",
    .source = "L. Kleinrock, Queueing Systems, vol. I (1975), section 3.6 (M/M/1/K)",
    .check = "c = 1, K = 2, rho = 1, 1/mu = 1: P(T > x) = e^-x (1 + x/2), a third is refused",
    .distribution = holds,
};
