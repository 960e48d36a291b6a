/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "models/distributions/distribution.h"

static const struct field fields[] = {
    {"scale", FIELD_DURATION, offsetof(struct weibull, scale_ns), .required = true, .min = 1,
     .says = "P(longer than x) = exp(-(x/scale)^shape)"},
    {"shape", FIELD_RATIO, offsetof(struct weibull, shape), .required = true, .max = 1000,
     .above_min = true,
     .says = "from 0.1 on; below 1 a tail heavier than the exponential's, above 1 a lighter one"},
};

static const char *refuses(const void *params)
{
    const struct weibull *w = params;
    return (u128)w->shape.num * 10 < w->shape.den
               ? "a shape below 0.1 has a mean of millions of times its scale"
               : NULL;
}

static double power_of(const struct weibull *w)
{
    return (double)w->shape.den / (double)w->shape.num;
}

/* scale * x^(1/shape) for x >= 0. */
static double value_ns(const struct weibull *w, double x)
{
    if (!(x > 0.0))
        return 0.0;
    double log_x = x <= 1.0 ? portable_log(x) : -portable_log(1.0 / x);
    return (double)w->scale_ns * portable_exp(power_of(w) * log_x);
}

static void draw(const void *params, struct stream stream, uint64_t first, ns_t *out_ns,
                 size_t count)
{
    for (size_t i = 0; i < count; i++)
        out_ns[i] =
            round_ns(value_ns(params, -portable_log(unit_of(stream_word(stream, first + i)))));
}

/* Gamma(1 + x) for 0 <= x <= 10: by Gamma(1 + x) = x Gamma(x) down to the fraction of x, and there
   by the series of 1/Gamma (Abramowitz and Stegun 6.1.34), cut below 2^-56. */
static double gamma_above_one(double x)
{
    static const double series[] = {
        1.0,
        5.7721566490153286061e-01,
        -6.5587807152025388108e-01,
        -4.2002635034095235529e-02,
        1.6653861138229148950e-01,
        -4.2197734555544336748e-02,
        -9.6219715278769735621e-03,
        7.2189432466630995424e-03,
        -1.1651675918590651121e-03,
        -2.1524167411495097282e-04,
        1.2805028238811618615e-04,
        -2.0134854780788238656e-05,
        -1.2504934821426706573e-06,
        1.1330272319816958824e-06,
        -2.0563384169776071035e-07,
        6.1160951044814158179e-09,
        5.0020076444692229301e-09,
        -1.1812745704870201446e-09,
        1.0434267116911005105e-10,
        7.7822634399050712540e-12,
        -3.6968056186422057082e-12,
        5.1003702874544759790e-13,
        -2.0583260535665067832e-14,
        -5.3481225394230179824e-15,
        1.2267786282382607902e-15,
        -1.1812593016974587695e-16,
    };
    double product = 1.0, sum = 0.0;
    for (; x >= 1.0; x -= 1.0)
        product *= x;
    for (size_t i = sizeof series / sizeof series[0]; i-- > 0;)
        sum = sum * x + series[i];
    return product / sum;
}

static double mean_ns(const void *params)
{
    const struct weibull *w = params;
    return (double)w->scale_ns * gamma_above_one(power_of(w));
}

static double tail(const void *params, double x_ns)
{
    const struct weibull *w = params;
    return x_ns <= 0.0 ? 1.0 : exp(-pow(x_ns / (double)w->scale_ns, ratio_double(w->shape)));
}

/* A gamma draw of shape a >= 1 and scale 1, from words 1, 2, ... of a stream of its own: Marsaglia
   and Tsang, ACM Transactions on Mathematical Software 26 (2000).  At most one try in twenty
   fails. */
static double gamma_draw(double a, struct stream own)
{
    double d = a - 1.0 / 3, c = 1.0 / sqrt(9.0 * d);
    for (uint64_t word = 1;; word += 2) {
        double z = portable_normal(unit_of(stream_word(own, word)));
        double root = 1.0 + c * z, v = root * root * root;
        if (v <= 0.0)
            continue;
        double log_v = v <= 1.0 ? portable_log(v) : -portable_log(1.0 / v);
        double log_u = portable_log(unit_of(stream_word(own, word + 1)));
        if (log_u <= 0.5 * z * z + d - d * v + d * log_v)
            return d * v;
    }
}

/* A random instant falls into a duration with probability proportional to its length, uniformly;
   weighted by length, (duration/scale)^shape is a gamma draw of shape 1 + 1/shape. */
static ns_t residual(const void *params, struct stream stream, uint64_t index)
{
    const struct weibull *w = params;
    struct stream own = stream_at(stream, index);
    double whole_ns = value_ns(w, gamma_draw(1.0 + power_of(w), own));
    return round_ns(whole_ns * unit_of(stream_word(own, 0)));
}

const struct distribution_type distribution_weibull = {
    .is = {"weibull", "exponential in a power of the duration", fields, FIELD_COUNT_OF(fields),
           sizeof(struct weibull), refuses},
    .random = true,
    .draw = draw,
    .mean_ns = mean_ns,
    .tail = tail,
    .residual = residual,
};
