/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/laws/mg1_service.h"

#include <gsl/gsl_sf_gamma.h>
#include <math.h>

#define SQRT_HALF 0.70710678118654752440

static double normal_beyond(double z)
{
    return 0.5 * erfc(z * SQRT_HALF);
}

static void set_kinks(struct mg1_service *s, double a, double b)
{
    double low = fmin(a, b), high = fmax(a, b);
    s->kink_count = 0;
    if (low > 0.0 && low < high)
        s->kinks_ns[s->kink_count++] = low;
    s->kinks_ns[s->kink_count++] = high;
}

static void init_two_point(struct mg1_service *s, const struct two_point *t)
{
    double a = (double)t->usual_ns, b = (double)t->rare_ns, p = ratio_double(t->probability);
    set_kinks(s, p < 1.0 ? a : b, p > 0.0 ? b : a);
    s->square_ns2 = (1.0 - p) * a * a + p * b * b;
    s->longest_ns = s->kinks_ns[s->kink_count - 1];
    s->atoms = true;
}

static void init_uniform(struct mg1_service *s, const struct uniform *u)
{
    double low = (double)u->low_ns, high = (double)u->high_ns;
    set_kinks(s, low, high);
    s->square_ns2 = (low * low + low * high + high * high) / 3.0;
    s->longest_ns = high;
    s->atoms = low == high;
}

static void init_lognormal(struct mg1_service *s, const struct lognormal *l)
{
    double cv = ratio_double(l->cv), variance = log1p(cv * cv);
    s->sigma = sqrt(variance);
    s->median_ns = (double)l->mean_ns / sqrt(1.0 + cv * cv);
    s->square_ns2 = (double)l->mean_ns * (double)l->mean_ns * (1.0 + cv * cv);
    s->longest_ns = s->median_ns * exp(37.5 * s->sigma);
    s->flat_ns = s->median_ns * exp(-8.7 * s->sigma);
    s->smooth_ratio = fmin(1.5, 2.0 * s->sigma);
}

static void init_pareto(struct mg1_service *s, const struct pareto *p)
{
    double shape = ratio_double(p->shape), minimum = (double)p->minimum_ns;
    s->kinks_ns[0] = s->flat_ns = minimum;
    s->kink_count = 1;
    s->square_ns2 = shape > 2.0 ? minimum * minimum * shape / (shape - 2.0) : INFINITY;
    s->longest_ns = minimum * pow(10.0, 300.0 / shape);
    s->smooth_ratio = fmin(1.5, 8.0 / shape);
}

/* Steeper at 0 or at its scale, the table grows too long. */
#define SHAPE_LEAST 0.3
#define SHAPE_MOST 10.0

static bool init_weibull(struct mg1_service *s, const struct weibull *w)
{
    s->shape = ratio_double(w->shape);
    s->scale_ns = (double)w->scale_ns;
    s->square_ns2 = s->scale_ns * s->scale_ns * gsl_sf_gamma(1.0 + 2.0 / s->shape);
    s->longest_ns = s->scale_ns * pow(690.0, 1.0 / s->shape);
    s->flat_ns = s->scale_ns * pow(1e-17, 1.0 / s->shape);
    return s->shape >= SHAPE_LEAST && s->shape <= SHAPE_MOST;
}

bool mg1_service_init(struct mg1_service *s, struct choice service)
{
    *s = (struct mg1_service){.choice = service, .longest_ns = INFINITY, .smooth_ratio = INFINITY};
    s->mean_ns = distribution(service)->mean_ns(service.params);
    if (service.type == &distribution_two_point.is)
        init_two_point(s, service.params);
    else if (service.type == &distribution_uniform.is)
        init_uniform(s, service.params);
    else if (service.type == &distribution_lognormal.is)
        init_lognormal(s, service.params);
    else if (service.type == &distribution_pareto.is)
        init_pareto(s, service.params);
    else if (service.type == &distribution_weibull.is)
        return init_weibull(s, service.params);
    else
        return false;
    return true;
}

double mg1_service_tail(const struct mg1_service *s, double u_ns)
{
    if (u_ns < s->flat_ns)
        return 1.0;
    if (s->sigma > 0.0)
        return normal_beyond(log(u_ns / s->median_ns) / s->sigma);
    return distribution(s->choice)->tail(s->choice.params, u_ns);
}

static double two_point_excess(const struct two_point *t, double u)
{
    double p = ratio_double(t->probability);
    return (1.0 - p) * fmax((double)t->usual_ns - u, 0.0) + p * fmax((double)t->rare_ns - u, 0.0);
}

static double uniform_excess(const struct uniform *t, double u)
{
    double low = (double)t->low_ns, high = (double)t->high_ns;
    if (u <= low)
        return (low + high) / 2.0 - u;
    return u < high ? (high - u) * (high - u) / (2.0 * (high - low)) : 0.0;
}

/* E[S 1{S > u}] - u P(S > u) */
static double lognormal_excess(const struct mg1_service *s, double u)
{
    if (u <= 0.0)
        return s->mean_ns;
    double z = log(u / s->median_ns) / s->sigma;
    return fmax(s->mean_ns * normal_beyond(z - s->sigma) - u * normal_beyond(z), 0.0);
}

/* What is left of a Weibull is gamma distributed of shape 1/shape in its power. */
static double weibull_excess(const struct mg1_service *s, double u)
{
    if (u <= 0.0)
        return s->mean_ns;
    double y = pow(u / s->scale_ns, s->shape);
    return y < 690.0 ? s->mean_ns * gsl_sf_gamma_inc_Q(1.0 / s->shape, y) : 0.0;
}

double mg1_service_excess(const struct mg1_service *s, double u_ns)
{
    const void *params = s->choice.params;
    if (s->choice.type == &distribution_two_point.is)
        return two_point_excess(params, u_ns);
    if (s->choice.type == &distribution_uniform.is)
        return uniform_excess(params, u_ns);
    if (s->choice.type == &distribution_lognormal.is)
        return lognormal_excess(s, u_ns);
    if (s->shape > 0.0)
        return weibull_excess(s, u_ns);
    const struct pareto *p = params;
    double shape = ratio_double(p->shape);
    double less = (double)(p->shape.num - p->shape.den) / (double)p->shape.den; /* shape - 1 */
    double minimum = (double)p->minimum_ns;
    if (u_ns <= minimum)
        return minimum * (shape / less) - u_ns;
    return minimum / less * pow(minimum / u_ns, less);
}

/* Twice and a half as far, as the power is singular at 0, and not so far that the tail falls by
   more than e^-6. */
static double weibull_smooth_until(const struct mg1_service *s, double from_ns)
{
    if (from_ns < s->flat_ns)
        return s->flat_ns;
    double y = pow(from_ns / s->scale_ns, s->shape) + 6.0;
    return fmin(2.5 * from_ns, s->scale_ns * pow(y, 1.0 / s->shape));
}

double mg1_service_smooth_until(const struct mg1_service *s, double from_ns)
{
    if (s->shape > 0.0)
        return weibull_smooth_until(s, from_ns);
    double until = INFINITY;
    for (int i = s->kink_count; i-- > 0;)
        if (s->kinks_ns[i] > from_ns)
            until = s->kinks_ns[i];
    if (isinf(s->smooth_ratio))
        return until;
    return fmin(until, from_ns < s->flat_ns ? s->flat_ns : from_ns * (1.0 + s->smooth_ratio));
}
