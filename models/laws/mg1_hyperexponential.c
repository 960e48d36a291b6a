/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hyperexponential service with branches p_i, mu_i: the response is a mixture of as many
   exponentials,
       P(T > x) = sum_j v_j e^{-r_j x},   lambda sum_i p_i / (mu_i - r_j) = 1,
       v_j = (1-rho) (1 + r_j/lambda) / (lambda sum_i p_i mu_i / (mu_i - r_j)^2 - 1),
   with every v_j > 0: the residues of Pollaczek and Khinchine's transform.  One root lies below the
   lowest mu and one between each two neighbours; each is kept as a distance from the nearer of
   them, so that nothing cancels where it lies close. */
#include <math.h>
#include <stdlib.h>

#include "models/laws/mg1.h"
#include "models/laws/root.h"

enum { BRANCHES_MOST = 500 };

struct phase {
    double rate, probability;
};

struct secular {
    const struct phase *phases;
    size_t count;
    double per_ns, spare;
    size_t origin;    /* roots are measured from this phase's rate, */
    double direction; /* upward (1) or downward (-1) */
};

static double tail(const struct law_distribution *d, double x_ns)
{
    if (x_ns <= 0.0)
        return 1.0;
    double sum = 0.0;
    for (size_t i = 0; i + 1 < d->table_count; i += 2)
        sum += d->table[i + 1] * exp(-d->table[i] * x_ns);
    return fmin(sum, 1.0);
}

/* mu_i - r for r at `distance` from the origin. */
static double gap(const struct secular *s, size_t i, double distance)
{
    return (s->phases[i].rate - s->phases[s->origin].rate) - s->direction * distance;
}

/* lambda sum p_i/(mu_i - r) - 1, which rises with r between two rates. */
static double value(const struct secular *s, double distance)
{
    double sum = 0.0;
    for (size_t i = 0; i < s->count; i++)
        sum += s->phases[i].probability / gap(s, i, distance);
    return s->per_ns * sum - 1.0;
}

static double rising(const void *context, double distance)
{
    const struct secular *s = context;
    return s->direction * value(s, distance);
}

/* The same for the lowest root, measured from 0: less its value there, so that 1 - rho stays whole.
 */
static double rising_from_zero(const void *context, double r)
{
    const struct secular *s = context;
    double sum = 0.0;
    for (size_t i = 0; i < s->count; i++) {
        double rate = s->phases[i].rate;
        if (r >= rate)
            return 1.0;
        sum += s->phases[i].probability / rate * (r / (rate - r));
    }
    return s->per_ns * sum - s->spare;
}

/* v of the root at mu_origin + direction * distance = r. */
static double weight(const struct secular *s, double r, double distance)
{
    double sum = 0.0;
    for (size_t i = 0; i < s->count; i++) {
        double to = gap(s, i, distance);
        sum += s->phases[i].probability * (s->phases[i].rate / to) / to;
    }
    return s->spare * (1.0 + r / s->per_ns) / (s->per_ns * sum - 1.0);
}

/* Root j and its weight: between rates j-1 and j, or below rate 0. */
static void solve(struct secular *s, size_t j, double *root, double *mass)
{
    double high = s->phases[j].rate, low = j > 0 ? s->phases[j - 1].rate : 0.0;
    double width = high - low, distance;
    s->origin = j;
    s->direction = -1.0;
    bool upper = value(s, width / 2.0) < 0.0;
    if (j == 0 && !upper) {
        double r = root_rising(rising_from_zero, s, width / 4.0);
        *root = r;
        *mass = weight(s, r, high - r);
        return;
    }
    s->origin = upper ? j : j - 1;
    s->direction = upper ? -1.0 : 1.0;
    /* Downward from a rate the value falls, upward it rises: both rise in `direction`. */
    distance = root_rising(rising, s, width / 4.0);
    *root = s->phases[s->origin].rate + s->direction * distance;
    *mass = weight(s, *root, distance);
}

static int by_rate(const void *a, const void *b)
{
    double x = ((const struct phase *)a)->rate, y = ((const struct phase *)b)->rate;
    return (x > y) - (x < y);
}

/* The branches that are ever taken, in order of their rate, equal ones as one. */
static size_t phases_of(const struct hyperexponential *service, struct phase *phases)
{
    const struct branch *branches = service->branches.items;
    size_t count = 0, distinct = 0;
    for (size_t i = 0; i < service->branches.count; i++)
        if (branches[i].probability.num != 0)
            phases[count++] = (struct phase){1.0 / (double)branches[i].mean_ns,
                                             ratio_double(branches[i].probability)};
    qsort(phases, count, sizeof *phases, by_rate);
    for (size_t i = 1; i < count; i++) {
        if (phases[i].rate == phases[distinct].rate)
            phases[distinct].probability += phases[i].probability;
        else
            phases[++distinct] = phases[i];
    }
    return distinct + 1;
}

bool mg1_hyperexponential(const struct hyperexponential *service, struct mg1_traffic traffic,
                          struct law_distribution *out, char why[LAW_WHY_SIZE])
{
    if (service->branches.count > BRANCHES_MOST)
        return law_refuses(why, "The law is that of at most 500 branches.");
    struct phase *phases = must_alloc(service->branches.count, sizeof *phases);
    struct secular s = {.phases = phases, .per_ns = traffic.per_ns, .spare = traffic.spare};
    s.count = phases_of(service, phases);
    double *table = must_alloc(2 * s.count, sizeof *table), total = 0.0, mean = 0.0;
    for (size_t j = 0; j < s.count; j++) {
        solve(&s, j, &table[2 * j], &table[2 * j + 1]);
        total += table[2 * j + 1];
        mean += table[2 * j + 1] / table[2 * j];
    }
    free(phases);
    /* The weights of a distribution sum to 1, and its mean is known another way. */
    double error = fabs(total - 1.0) + fabs(mean / out->mean_ns - 1.0);
    if (!(error < 1e-9)) {
        free(table);
        return law_refuses(why, "The estimated error of the law exceeds a relative 1e-9 here.");
    }
    out->tail = tail;
    out->table = table;
    out->table_count = 2 * s.count;
    out->parameters[MG1_ERROR] = error;
    return true;
}
