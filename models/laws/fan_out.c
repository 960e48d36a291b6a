/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A request in N parts on unlimited workers: it is answered when the last part is, or so many are.
 */
#include <math.h>
#include <stdio.h>

#include "models/laws/domain.h"
#include "models/laws/mechanisms.h"
#include "models/laws/order.h"
#include "models/laws/unqueued.h"

/* The k-th of N to end, k < N, exceeds x. */
static double tail_of_first(const struct law_distribution *d, double x_ns)
{
    struct unqueued u = unqueued_of(d);
    double beyond = unqueued_service_tail(&u, x_ns);
    return beyond >= 1.0 ? 1.0
                         : order_beyond_cdf((struct order_statistic){u.count, u.first}, beyond);
}

/* 1 - (1 - G)^N keeps its digits for small G, and for N in the millions. */
static double tail(const struct law_distribution *d, double x_ns)
{
    struct unqueued u = unqueued_of(d);
    double beyond = unqueued_service_tail(&u, x_ns);
    return beyond >= 1.0 ? 1.0 : -expm1((double)u.count * log1p(-beyond));
}

/* What is known where the parts queue: each replica then is the M/M/1 queue of the whole load. */
static bool refuses_queues(const struct law_question *q, char why[LAW_WHY_SIZE])
{
    static const char *const alike =
        "The parts of a request reach their queues together, so these are alike and the law "
        "F(x)^N of independent ones only bounds P(latency <= x) from below";
    const struct open_load *open = q->load->kind.params;
    struct utilisation u;
    char unstable[LAW_WHY_SIZE];
    bool mm1 = q->load->kind.type == &load_open.is && open->arrivals.type == &arrivals_poisson.is &&
               q->server->workers == 1 && q->server->replicas == q->load->fan_out &&
               q->server->service.type == &distribution_exponential.is &&
               domain_stable(pace_of(open->rate_per_s, open->every_ns),
                             ((const struct exponential *)q->server->service.params)->mean_ns, &u,
                             unstable);
    if (!mm1) {
        snprintf(why, LAW_WHY_SIZE, "%s.", alike);
        return false;
    }
    double mean_ns = (double)((const struct exponential *)q->server->service.params)->mean_ns;
    double p99_ns = -log(order_beyond_of_longest(0.99, q->load->fan_out)) * mean_ns / u.spare;
    snprintf(why, LAW_WHY_SIZE, "%s: p99 is at most %.6g ms.", alike, p99_ns / 1e6);
    return false;
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    struct unqueued u;
    if (q->load->fan_out <= 1)
        return law_refuses(why, LAW_ELSEWHERE "requests in several parts.");
    if (q->load->resend.type != NULL)
        return law_refuses(why, "Parts that are sent again have no law here.");
    if (q->load->wait_for != 0 && q->server->workers != UNLIMITED)
        return law_refuses(why, "Some of the parts are enough, and where they queue that has no "
                                "law here.");
    if (q->server->workers != UNLIMITED)
        return refuses_queues(q, why);
    if (!unqueued_question(q, &u, why))
        return false;
    u.count = q->load->fan_out;
    u.first = q->load->wait_for;
    *out = (struct law_distribution){.tail = u.first != 0 ? tail_of_first : tail,
                                     .tail_from = unqueued_tail_from,
                                     .inflation = unqueued_inflation};
    unqueued_keep(out, u);
    out->mean_ns = unqueued_mean_ns(out);
    *start = (struct start_law){.state = STATE_ANY};
    if (u.first != 0) {
        snprintf(out->note, sizeof out->note, "%llu of the %llu parts are enough.",
                 (unsigned long long)u.first, (unsigned long long)u.count);
        return true;
    }
    double meets = -expm1((double)u.count * log(0.99));
    snprintf(out->note, sizeof out->note,
             "%.6g %% of the requests meet the slowest 1 %% of the services in one of their %llu "
             "parts.",
             meets * 100.0, (unsigned long long)u.count);
    return true;
}

const struct law_type law_fan_out = {
    .is = {.name = "fan-out",
           .says = "a request in N parts, nothing waits: the longest of N, or of the first k"},
    .formula = "P(V > x) = 1 - (1 - G(x))^N; the p-quantile is the p^(1/N)-quantile of one part; "
               "k of N: P(V > x) = P(Beta(N-k+1, k) <= G(x))",
    .symbols = "G the tail of the service time, x in ns, N the parts of a request, k those that "
               "are enough",
    .domain = "fan_out of 2 or more on unlimited workers, any load, from the send to the answer; "
              "no stalls, no timeout, no cut, no copies",
    .source = "the maximum of independent variables; J. Dean, L. Barroso, The Tail at Scale (2013)",
    .check = "N = 100, 5 ms or (3 %) 100 ms: 0.97^100 = 4.75525 % of the requests take 5 ms; "
             "exponential of mean 10 ms, N = 2: p99 = -10 ms ln(1 - sqrt(0.99)) = 52.9581 ms",
    .knows = KNOWS(FIRST_PARTS),
    .distribution = holds,
};
