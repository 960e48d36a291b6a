/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/laws/workers.h"

#include <math.h>

bool workers_of(struct pace pace, ns_t service_ns, uint64_t count, struct workers *out,
                char why[LAW_WHY_SIZE])
{
    if (count > WORKERS_MOST)
        return law_refuses(why, "There are more than 1,000,000 workers, beyond which the law is "
                                "not computed.");
    if (service_ns < NS_PER_US)
        return law_refuses(why,
                           "The mean service time is below 1 us, where rounding durations to whole "
                           "ns shows in the law.");
    u128 work = (u128)service_ns * pace.den, room = (u128)pace.num * count;
    *out = (struct workers){.count = (double)count,
                            .service_ns = (double)service_ns,
                            .per_ns = (double)pace.den / (double)pace.num,
                            .rho = (double)work / (double)room,
                            .spare = (double)((i128)room - (i128)work) / (double)room};
    return true;
}

bool workers_stable(const struct workers *w, char why[LAW_WHY_SIZE])
{
    if (w->spare > 0.0)
        return true;
    return law_refuses(why, "The load is at or beyond the server's capacity: response times grow "
                            "with the length of the run and have no stationary law.");
}

double workers_erlang_b(const struct workers *w)
{
    double offered = w->rho * w->count, b = 1.0;
    for (double k = 1.0; k <= w->count; k += 1.0)
        b = offered * b / (k + offered * b);
    return b;
}

double workers_erlang_c(const struct workers *w)
{
    double b = workers_erlang_b(w);
    return b / (w->spare + w->rho * b);
}

/* ---- how long a start is remembered ---- */

#define LONGEST_NS 3.2e18 /* a century */
#define CLOSE_ENOUGH 1e-12

/* Let z be the difference of two laws of the number present and s_i = sum_{j>i} z_j.  With weights
   d_i > 0 the norm sum d_i |s_i| falls at least as fast as exp(-alpha t), alpha the least of
       lambda + mu_{i+1} - lambda d_{i+1}/d_i - mu_i d_{i-1}/d_i,   mu_i = min(i, c) mu.
   d_i = 1 while i < c and then growing by the factor beta > 1 makes that the lesser of
   mu - (beta-1) lambda and (beta-1) (c mu/beta - lambda) (of mu too, below c).  Twice the norm
   bounds the total variation, and at the start, empty against stationary, the norm is below
   c + 1/(1 - beta rho).  A limit on the queue only raises alpha.  The best beta is looked for.
   E. A. van Doorn, A. I. Zeifman, Queueing Systems 49 (2005). */
static double forgetting_ns(const struct workers *w)
{
    double mu = 1.0 / w->service_ns, best_ns = INFINITY, room = log(1.0 / w->rho);
    for (int i = 1; i < 200; i++) {
        double beta = exp(room * i / 200.0), more = expm1(room * i / 200.0);
        double far = more * (w->count * mu / beta - w->per_ns);
        double alpha = fmin(mu, fmin(mu - more * w->per_ns, far));
        double norm = w->count - 1.0 / expm1(-room * (200.0 - i) / 200.0);
        if (alpha > 0.0)
            best_ns = fmin(best_ns, log(2.0 * norm / CLOSE_ENOUGH) / alpha);
    }
    return best_ns;
}

/* Two copies on the same arrivals and services keep their order, so they are one from the moment
   the lower one is full or the upper one empty.  That takes E at most in the mean from anywhere, so
   after 2 E at least half have met, after 80 E all but 2^-40. */
static double meeting_ns(const struct workers *w, double most)
{
    double mu = 1.0 / w->service_ns, up = 0.0, fill_ns = 0.0, down = 0.0, drain_ns = 0.0;
    for (double n = 0.0; n < most; n += 1.0) {
        up = (1.0 + fmin(n, w->count) * mu * up) / w->per_ns;
        fill_ns += up;
    }
    for (double n = most; n >= 1.0; n -= 1.0) {
        down = (1.0 + (n < most ? w->per_ns * down : 0.0)) / (fmin(n, w->count) * mu);
        drain_ns += down;
    }
    return 80.0 * fmin(fill_ns, drain_ns);
}

struct start_law workers_settle(const struct workers *w, uint64_t queue_limit)
{
    double settle_ns = INFINITY;
    if (w->spare > 0.0)
        settle_ns = forgetting_ns(w);
    if (queue_limit != UNLIMITED)
        settle_ns = fmin(settle_ns, meeting_ns(w, w->count + (double)queue_limit));
    if (!(settle_ns < LONGEST_NS))
        return (struct start_law){.state = STATE_NONE};
    return (struct start_law){.state = STATE_SETTLED, .settle_ns = (ns_t)settle_ns + 1};
}
