/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Independent gaps of any distribution, exponential service, one worker: GI/M/1. */
#include <gsl/gsl_integration.h>
#include <gsl/gsl_sf_exp.h>
#include <math.h>

#include "models/base/maths.h"
#include "models/distributions/distribution.h"
#include "models/laws/domain.h"
#include "models/laws/root.h"
#include "models/loads/load.h"

/* Nearer to capacity rounding errors, which grow by 1/(1-rho), take too many digits. */
#define LEAST_SPARE 1e-5

enum { DECAY_PER_NS };

static double tail(const struct law_distribution *d, double x_ns)
{
    return x_ns <= 0.0 ? 1.0 : exp(-d->parameters[DECAY_PER_NS] * x_ns);
}

/* ---- 1 - E[e^{-s A}] for each kind of gap A: sums of positive terms, good for small s too ---- */

typedef double gap_complement(const void *params, double s);

static double constant_complement(const void *params, double s)
{
    return -expm1(-s * (double)((const struct constant *)params)->value_ns);
}

static double exponential_complement(const void *params, double s)
{
    double x = s * (double)((const struct exponential *)params)->mean_ns;
    return x / (1.0 + x);
}

static double two_point_complement(const void *params, double s)
{
    const struct two_point *t = params;
    double p = ratio_double(t->probability);
    return -(1.0 - p) * expm1(-s * (double)t->usual_ns) - p * expm1(-s * (double)t->rare_ns);
}

/* Of an even spread over [0, width]: 1 - (1 - e^{-v})/v with v = s width. */
static double spread_complement(double v)
{
    return v < 700.0 ? v / 2.0 * gsl_sf_exprel_2(-v) : 1.0 - 1.0 / v;
}

static double uniform_complement(const void *params, double s)
{
    const struct uniform *u = params;
    double low = s * (double)u->low_ns;
    return -expm1(-low) + exp(-low) * spread_complement(s * (double)(u->high_ns - u->low_ns));
}

static double erlang_complement(const void *params, double s)
{
    const struct erlang *e = params;
    double k = (double)e->stages;
    return -expm1(-k * log1p(s * (double)e->mean_ns / k));
}

static double hyperexponential_complement(const void *params, double s)
{
    const struct hyperexponential *h = params;
    const struct branch *branches = h->branches.items;
    double sum = 0.0;
    for (size_t i = 0; i < h->branches.count; i++) {
        double x = s * (double)branches[i].mean_ns;
        sum += ratio_double(branches[i].probability) * x / (1.0 + x);
    }
    return sum;
}

/* Trapezoids over the normal variable: for a function that is analytic and falls so fast, their
   error is below e^{-2 pi strip / step}, the strip of e^{-s e^{sigma z}} being pi / (2 sigma). */
static double lognormal_complement(const void *params, double s)
{
    const struct lognormal *l = params;
    double cv = ratio_double(l->cv), variance = log1p(cv * cv), sigma = sqrt(variance);
    double step = 0.2 / fmax(1.0, sigma), sum = 0.0;
    double last = ceil((12.0 + sigma) / step);
    for (double i = -last; i <= last; i += 1.0) {
        double z = i * step;
        double x = s * (double)l->mean_ns * exp(sigma * z - variance / 2.0);
        sum += exp(-z * z / 2.0) * -expm1(-x);
    }
    return sum * step * 0.39894228040143267794;
}

/* s times the integral of e^{-su} P(A > u): with u = minimum e^t beyond the minimum. */
static double pareto_complement(const void *params, double s)
{
    const struct pareto *p = params;
    double less = (double)(p->shape.num - p->shape.den) / (double)p->shape.den; /* shape - 1 */
    double m = s * (double)p->minimum_ns, sum = 0.0, width = 2.0 / (1.0 + less + m);
    gsl_integration_glfixed_table *rule = gsl_integration_glfixed_table_alloc(20);
    for (double t = 0.0; m * exp(t) + less * t < 50.0 + m; t += width) {
        for (size_t i = 0; i < 20; i++) {
            double at, weight;
            gsl_integration_glfixed_point(t, t + width, i, &at, &weight, rule);
            sum += weight * exp(-m * exp(at) - less * at);
        }
    }
    gsl_integration_glfixed_table_free(rule);
    return -expm1(-m) + m * sum;
}

/* Over v = (gap/scale)^shape, which is exponential, by trapezoids over log v: the integrand is
   analytic where |Im log v| < pi/2 min(1, shape), and falls at both ends. */
static double weibull_complement(const void *params, double s)
{
    const struct weibull *w = params;
    double shape = ratio_double(w->shape), scale = s * (double)w->scale_ns;
    double step = 0.2 * fmin(1.0, shape), sum = 0.0, last = ceil(42.0 / step);
    for (double i = -last; i * step < 5.0; i += 1.0) {
        double t = i * step;
        sum += exp(t - exp(t)) * -expm1(-scale * exp(t / shape));
    }
    return sum * step;
}

static const struct {
    const struct distribution_type *type;
    gap_complement *complement;
} kinds[] = {
    {&distribution_constant, constant_complement},
    {&distribution_exponential, exponential_complement},
    {&distribution_two_point, two_point_complement},
    {&distribution_uniform, uniform_complement},
    {&distribution_erlang, erlang_complement},
    {&distribution_hyperexponential, hyperexponential_complement},
    {&distribution_lognormal, lognormal_complement},
    {&distribution_pareto, pareto_complement},
    {&distribution_weibull, weibull_complement},
};

static gap_complement *complement_of(struct choice gap)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (gap.type == &kinds[i].type->is)
            return kinds[i].complement;
    return NULL;
}

/* ---- the root ---- */

struct balance {
    gap_complement *complement;
    const void *params;
    double mu_per_ns;
};

/* y - (1 - A*(mu y)), which is 0 at y = 1 - sigma: negative below, as the complement is concave
   with slope 1/rho > 1 at 0. */
static double balance(const void *context, double y)
{
    const struct balance *b = context;
    return y - b->complement(b->params, b->mu_per_ns * y);
}

static bool has_room(struct choice gap, ns_t mean_ns, char why[LAW_WHY_SIZE])
{
    if (mean_ns < NS_PER_US)
        return law_refuses(why,
                           "The mean service time is below 1 us, where rounding durations to whole "
                           "ns shows in the law.");
    double rho = (double)mean_ns / distribution(gap)->mean_ns(gap.params);
    if (!(rho < 1.0))
        return law_refuses(why,
                           "The load is at or beyond the server's capacity: response times grow "
                           "with the length of the run and have no stationary law.");
    if (1.0 - rho < LEAST_SPARE)
        return law_refuses(why, "The server is busy more than 99.999 % of the time, where the law "
                                "cannot be computed to enough digits.");
    return true;
}

/* Every arrival sees the same from an arrival at 0 on; but a window that begins or ends at an
   instant of its own cuts a gap that is longer than others, unless gaps have no spread.  Gaps
   without memory are Poisson arrivals, and start as those do. */
static struct start_law start_of(const struct law_question *q, struct choice gap, double busy)
{
    if (gap.type == &distribution_exponential.is)
        return (struct start_law){STATE_RESIDUALS, round_probability(busy), 0};
    if (gap.type == &distribution_constant.is || (q->run->duration_ns == 0 && q->warmup_ns == 0))
        return (struct start_law){STATE_EPOCH, round_probability(busy), 0};
    return (struct start_law){.state = STATE_NONE};
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    const struct open_load *load = q->load->kind.params;
    if (q->load->kind.type != &load_open.is || load->arrivals.type != &arrivals_gaps.is)
        return law_refuses(why, LAW_ELSEWHERE "an open load with independent gaps.");
    if (q->server->service.type != &distribution_exponential.is)
        return law_refuses(why, LAW_ELSEWHERE "exponential service.");
    struct choice gap = ((const struct gaps *)load->arrivals.params)->gap;
    gap_complement *complement = complement_of(gap);
    if (complement == NULL)
        return law_refuses(why, "The gaps are a list taken in turn, and the law is that of "
                                "independent gaps.");
    if (!domain_whole_time(q, why))
        return false;
    if (!domain_single_server(q, why))
        return false;
    ns_t mean_ns = ((const struct exponential *)q->server->service.params)->mean_ns;
    if (!has_room(gap, mean_ns, why))
        return false;
    struct balance b = {complement, gap.params, 1.0 / (double)mean_ns};
    double y = fmin(root_rising(balance, &b, 0.5), 1.0);
    *out = (struct law_distribution){.tail = tail, .mean_ns = (double)mean_ns / y};
    out->parameters[DECAY_PER_NS] = y / (double)mean_ns;
    *start = start_of(q, gap, 1.0 - y);
    return true;
}

const struct law_type law_gim1 = {
    .is = {.name = "gim1",
           .says = "GI/M/1: independent gaps of any distribution, exponential service, one worker"},
    .formula = "P(T > x) = exp(-mu (1 - sigma) x), sigma = A*(mu (1 - sigma))",
    .symbols = "1/mu the mean service time, A*(s) = E[e^{-s A}] the transform of a gap A, sigma "
               "the root in (0, 1): the chance that an arrival finds the worker busy",
    .domain =
        "open load with gaps (a list of them has no law), from due (behind a window too); one "
        "worker, unlimited queue, no stalls, no timeout; rho at most 0.99999, mean service "
        "at least 1 us; the run starts as one in which a request, not recorded, was due at 0",
    .source = "D. G. Kendall, Ann. Math. Stat. 24 (1953); L. Kleinrock, Queueing Systems, vol. I "
              "(1975)",
    .check = "1/mu = 1, Erlang gaps of 2 stages and mean 1.25: sigma = 0.739852949126",
    .distribution = holds,
};
