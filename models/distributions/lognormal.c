/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "models/distributions/distribution.h"

static const struct field fields[] = {
    {"mean", FIELD_DURATION, offsetof(struct lognormal, mean_ns), .required = true, .min = 1,
     .says = "the mean duration"},
    {"cv", FIELD_RATIO, offsetof(struct lognormal, cv), .required = true, .above_min = true,
     .says = "standard deviation over mean"},
};

/* ln(1 + cv^2), the variance of the logarithm. */
static double log_variance(const struct lognormal *l)
{
    double cv = ratio_double(l->cv), c = cv * cv;
    if (c < 1e-4)
        return c * (1.0 - c * (1.0 / 2 - c * (1.0 / 3 - c / 4)));
    return -portable_log(1.0 / (1.0 + c));
}

/* mean * exp(sigma z + shift): shift -sigma^2/2 is the distribution itself, +sigma^2/2 the same
   with every duration weighted by its length. */
static double value_ns(const struct lognormal *l, uint64_t word, double shift)
{
    double sigma = sqrt(log_variance(l));
    return (double)l->mean_ns * portable_exp(sigma * portable_normal(unit_of(word)) + shift);
}

static void draw(const void *params, struct stream stream, uint64_t first, ns_t *out_ns,
                 size_t count)
{
    const struct lognormal *l = params;
    double shift = -0.5 * log_variance(l);
    for (size_t i = 0; i < count; i++)
        out_ns[i] = round_ns(value_ns(l, stream_word(stream, first + i), shift));
}

static double mean_ns(const void *params)
{
    const struct lognormal *l = params;
    return (double)l->mean_ns;
}

static double tail(const void *params, double x_ns)
{
    const struct lognormal *l = params;
    if (x_ns <= 0.0)
        return 1.0;
    double variance = log_variance(l);
    double z = (log(x_ns / (double)l->mean_ns) + 0.5 * variance) / sqrt(variance);
    return 0.5 * erfc(z * 0.70710678118654752440);
}

/* A random instant falls into a duration with probability proportional to its length, uniformly. */
static ns_t residual(const void *params, struct stream stream, uint64_t index)
{
    const struct lognormal *l = params;
    struct stream own = stream_at(stream, index);
    double whole_ns = value_ns(l, stream_word(own, 0), 0.5 * log_variance(l));
    return round_ns(whole_ns * unit_of(stream_word(own, 1)));
}

const struct distribution_type distribution_lognormal = {
    .is = {"lognormal", "a duration whose logarithm is normal", fields, FIELD_COUNT_OF(fields),
           sizeof(struct lognormal), NULL},
    .random = true,
    .draw = draw,
    .mean_ns = mean_ns,
    .tail = tail,
    .residual = residual,
};
