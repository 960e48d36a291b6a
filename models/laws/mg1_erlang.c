/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Erlang service is k exponential stages at rate nu = k / mean, so what is in the system is a
   number of stages, n with probability pi(n), and with D(m) = P(n > m)
       P(T > x) = P(Poisson(nu x) < k) + sum_{m>=0} P(Poisson(nu x) = m + k) D(m).
   Every term is positive, here and in the balance
       nu pi(n+1) = lambda (pi(n) + ... + pi(n-k+1)),
   so the tail keeps its digits however small it is.  D comes from a table; beyond the table's end
   it falls by the factor z. */
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sf_log.h>
#include <math.h>
#include <stdlib.h>

#include "models/laws/mg1.h"
#include "models/laws/root.h"

enum { STAGES, PER_NS, GROWTH };

/* P(Poisson(y) = j) for j >= 1, by Stirling's formula with its exact factor, so that no large
   logarithms cancel (C. Loader, 2000). */
static double poisson(double j, double y)
{
    if (y < 1e-15 * j)
        return 0.0; /* to 15 digits of a sum that is 1 here */
    double far = -j * gsl_sf_log_1plusx_mx((y - j) / j);
    return far > 740.0 ? 0.0
                       : exp(-far) / (sqrt(2.0 * 3.14159265358979323846 * j) * gsl_sf_gammastar(j));
}

/* The sum over the table, outward from about its largest term. */
static double table_sum(const struct law_distribution *d, double k, double y, double z)
{
    double last = (double)d->table_count - 1.0;
    double start = fmin(fmax(floor(y / z) - k, 0.0), last);
    double first = poisson(start + k, y), sum = 0.0, p = first;
    for (double m = start; m >= 0.0; m -= 1.0) {
        double term = p * d->table[(size_t)m];
        sum += term;
        if (term < 1e-18 * sum && m + k < y / z)
            break;
        p *= (m + k) / y;
    }
    p = first * y / (start + k + 1.0);
    for (double m = start + 1.0; m <= last; m += 1.0) {
        double term = p * d->table[(size_t)m];
        sum += term;
        if (term < 1e-18 * sum && m + k > y / z)
            break;
        p *= y / (m + k + 1.0);
    }
    return sum;
}

static double tail(const struct law_distribution *d, double x_ns)
{
    if (x_ns <= 0.0)
        return 1.0;
    double k = d->parameters[STAGES], y = d->parameters[PER_NS] * x_ns;
    double growth = d->parameters[GROWTH], z = 1.0 + growth;
    double last = (double)d->table_count - 1.0;
    double sum = table_sum(d, k, y, z);
    double log_factor = (last + k) * log1p(growth) - y * growth / z;
    sum +=
        d->table[d->table_count - 1] * exp(log_factor) * gsl_sf_gamma_inc_P(last + k + 1.0, y / z);
    return fmin(sum + gsl_sf_gamma_inc_Q(k, y), 1.0);
}

struct stages {
    double rho, k;
};

/* (rho/k) (z + z^2 + ... + z^k) - 1 at z = 1 + growth: 0 where the balance falls by z a stage. */
static double excess(const void *context, double growth)
{
    const struct stages *s = context;
    return s->rho / s->k * (1.0 + growth) * expm1(s->k * log1p(growth)) / growth - 1.0;
}

/* The last k values, summed without a subtraction: those of a finished block of k from its end, and
   those since then. */
struct window {
    double *block; /* k of them: suffix sums ahead of the position, values behind it */
    size_t k, at;
    double since;
};

static double window_add(struct window *w, double value)
{
    w->block[w->at++] = value;
    w->since += value;
    if (w->at == w->k) {
        for (size_t i = w->k - 1; i-- > 0;)
            w->block[i] += w->block[i + 1];
        w->at = 0;
        w->since = 0.0;
        return w->block[0];
    }
    return w->since + w->block[w->at];
}

/* P(n stages), n = 0 .., until k in a row fall by the factor z^k over k stages, or they vanish.
   Returns how many; *error is how far off the last fall is. */
static size_t probabilities(struct stages s, double growth, double *pi, size_t most, double *error)
{
    size_t k = (size_t)s.k, settled = 0, n = 0;
    double fall = exp(s.k * log1p(growth)), off = 1.0;
    struct window last = {.block = must_alloc(k, sizeof(double)), .k = k};
    pi[0] = 1.0 - s.rho;
    for (size_t i = 0; i < k; i++)
        last.block[i] = 0.0;
    while (n + 1 < most && settled < k && pi[n] > 1e-200) {
        pi[n + 1] = s.rho / s.k * window_add(&last, pi[n]);
        n++;
        if (n > k)
            off = fabs(pi[n] / pi[n - k] * fall - 1.0);
        settled = off < 4e-13 ? settled + 1 : 0;
    }
    *error = pi[n] > 1e-200 ? fmax(off, 4e-13) : 4e-13;
    free(last.block);
    return n + 1;
}

bool mg1_erlang(const struct erlang *service, struct mg1_traffic traffic,
                struct law_distribution *out, char why[LAW_WHY_SIZE])
{
    struct stages s = {traffic.rho, (double)service->stages};
    double growth = root_rising(excess, &s, traffic.spare / s.k), error;
    size_t most = 200 * (size_t)service->stages + 2000;
    double *pi = must_alloc(most, sizeof *pi);
    size_t count = probabilities(s, growth, pi, most, &error);
    double beyond = pi[count - 1] / growth;
    for (size_t m = count; m-- > 0;) {
        double here = pi[m];
        pi[m] = beyond; /* D(m) */
        beyond += here;
    }
    error += fabs(beyond - 1.0);
    if (error > 1e-9) {
        free(pi);
        return law_refuses(why, "The estimated error of the law exceeds a relative 1e-9 here.");
    }
    out->tail = tail;
    out->table = pi;
    out->table_count = count;
    out->parameters[STAGES] = s.k;
    out->parameters[PER_NS] = s.k / (double)service->mean_ns;
    out->parameters[GROWTH] = growth;
    out->parameters[MG1_ERROR] = error;
    return true;
}
