/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Poisson arrivals, constant service, one worker: M/D/1. */
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sf_log.h>
#include <math.h>

#include "models/base/maths.h"
#include "models/distributions/distribution.h"
#include "models/laws/domain.h"
#include "models/laws/inflation.h"
#include "models/loads/load.h"

/* With k = floor(t/S) + 1, u = k S - t in (0, S] and C(m) = P(at most m in the system),
       P(W <= t) = sum_{j<k} C(k-j) Poisson(j; lambda u).
   The same in tails, D(m) = 1 - C(m), has only positive terms too, so the tail keeps its digits
   however small it is.  D comes from a table; beyond the table's end it falls by the factor z. */
enum { SERVICE_NS, PER_NS, LOG_Z, RHO, SPARE };

static double beyond_count(const struct law_distribution *d, double m)
{
    double last = (double)d->table_count - 1.0;
    if (m <= last)
        return d->table[(size_t)m];
    return d->table[d->table_count - 1] * exp(-(m - last) * d->parameters[LOG_Z]);
}

static double wait_tail(const struct law_distribution *d, double t_ns)
{
    double service_ns = d->parameters[SERVICE_NS];
    double k = floor(t_ns / service_ns) + 1.0;
    double mean = d->parameters[PER_NS] * (k * service_ns - t_ns);
    double poisson = exp(-mean), sum = 0.0, peak = mean * exp(d->parameters[LOG_Z]);
    for (double j = 0.0; j < k; j += 1.0) {
        double term = beyond_count(d, k - j) * poisson;
        sum += term;
        if (j > peak && term < 1e-18 * sum)
            return sum;
        poisson *= mean / (j + 1.0);
    }
    return mean > 0.0 ? sum + gsl_sf_gamma_inc_P(k, mean) : sum;
}

static double tail(const struct law_distribution *d, double x_ns)
{
    double t_ns = x_ns - d->parameters[SERVICE_NS];
    return t_ns < 0.0 ? 1.0 : wait_tail(d, t_ns);
}

/* P(T >= x): a request that finds nobody takes the service time exactly. */
static double tail_from(const struct law_distribution *d, double x_ns)
{
    return x_ns <= d->parameters[SERVICE_NS] ? 1.0 : tail(d, x_ns);
}

/* y = z - 1 > 0, the root of ln(1+y) = rho y, written ln(1+y) - y + (1-rho) y so that nothing
   cancels near rho = 1.  Concave, and negative to the right of the root: Newton from there. */
static double growth_root(struct utilisation u)
{
    double y = 2.0 * u.spare / (u.rho * u.rho);
    while (gsl_sf_log_1plusx_mx(y) + u.spare * y > 0.0)
        y *= 2.0;
    for (int step = 0; step < 200; step++) {
        double f = gsl_sf_log_1plusx_mx(y) + u.spare * y;
        double next = y - f / (u.spare - y / (1.0 + y));
        if (!(next < y))
            break;
        y = next;
    }
    return y;
}

enum { TABLE_MOST = 1024 };

/* P(n in the system), n = 0 .., until the ratio of two is z to the last digits or they vanish:
       pi_j (1 - b_1) = pi_0 b_j + sum_{0<i<j} pi_i b_{j+1-i}, b_j = P(Poisson(rho) >= j).
   Returns how many. */
static size_t state_probabilities(struct utilisation u, double z, double pi[TABLE_MOST])
{
    double b[TABLE_MOST + 1];
    b[0] = 1.0;
    for (int j = 1; j <= TABLE_MOST; j++)
        b[j] = gsl_sf_gamma_inc_P(j, u.rho);
    pi[0] = u.spare;
    for (size_t j = 1; j < TABLE_MOST; j++) {
        double sum = pi[0] * b[j];
        for (size_t i = 1; i < j; i++)
            sum += pi[i] * b[j + 1 - i];
        pi[j] = sum * exp(u.rho);
        bool settled = fabs(pi[j] * z / pi[j - 1] - 1.0) < 1e-15 * (double)j;
        if (pi[j] < 1e-290 || (j > 4 && settled))
            return j + 1;
    }
    return TABLE_MOST;
}

/* D(m) for m = 0 .. count-1, summed from the far end. */
static void fill_table(struct law_distribution *d, struct utilisation u, double growth)
{
    double pi[TABLE_MOST];
    size_t count = state_probabilities(u, 1.0 + growth, pi);
    d->table = must_alloc(count, sizeof *d->table);
    d->table_count = count;
    double beyond = pi[count - 1] / growth;
    for (size_t m = count; m-- > 0;) {
        d->table[m] = beyond;
        beyond += pi[m];
    }
}

/* With a constant service waits vary less than with an exponential one: in heavy traffic by half.
 */
static double inflation_bound(const struct law_distribution *d, double p, double q)
{
    return inflation_mm1(d->parameters[RHO], d->parameters[SPARE], p, q);
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    struct pace pace;
    if (!domain_poisson_pace(q, &pace, why))
        return false;
    if (q->server->service.type != &distribution_constant.is)
        return law_refuses(why, LAW_ELSEWHERE "constant service.");
    if (!domain_whole_time(q, why))
        return false;
    if (!domain_single_worker(q, why))
        return false;
    struct utilisation u;
    ns_t service_ns = ((const struct constant *)q->server->service.params)->value_ns;
    if (!domain_stable(pace, service_ns, &u, why))
        return false;
    double wait_ns = (double)service_ns * u.rho / (2.0 * u.spare), growth = growth_root(u);
    *out = (struct law_distribution){.tail = tail,
                                     .tail_from = tail_from,
                                     .inflation_bound = inflation_bound,
                                     .mean_ns = (double)service_ns + wait_ns};
    out->parameters[SERVICE_NS] = (double)service_ns;
    out->parameters[PER_NS] = u.per_ns;
    out->parameters[RHO] = u.rho;
    out->parameters[SPARE] = u.spare;
    out->parameters[LOG_Z] = u.rho * growth;
    fill_table(out, u, growth);
    *start = (struct start_law){STATE_RESIDUALS, round_probability(u.rho), 0};
    return true;
}

const struct law_type law_md1 = {
    .is = {.name = "md1", .says = "M/D/1: Poisson arrivals, constant service, one worker"},
    .formula = "P(T > S + t) = sum_{j<k} D(k-j) Poisson(j; lambda u) + P(Poisson(lambda u) >= k), "
               "k = floor(t/S) + 1, u = k S - t; P(T = S) = 1 - rho",
    .symbols = "S the service time, lambda the rate of arrivals, rho = lambda S, D(m) the "
               "probability of more than m requests in the system",
    .domain = "open load, poisson, from due (behind a window too); one worker, unlimited queue, no "
              "stalls, no timeout; rho < 1, service at least 1 us; relative error of the tail "
              "below 2e-12",
    .source = "G. J. Franx, A simple solution for the M/D/c waiting time distribution, Operations "
              "Research Letters 29 (2001), in tails",
    .check = "S = 1, rho = 0.8: p50 = 2.27593987338, p99 = 11.3558867920",
    .distribution = holds,
};
