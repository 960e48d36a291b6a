/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "models/distributions/distribution.h"

static const struct field fields[] = {
    {"minimum", FIELD_DURATION, offsetof(struct pareto, minimum_ns), .required = true, .min = 1,
     .says = "the shortest duration"},
    {"shape", FIELD_RATIO, offsetof(struct pareto, shape), .required = true, .min = 1,
     .above_min = true,
     .says = "P(longer than x) = (minimum/x)^shape; at 2 or less the mean wait has no bound"},
};

/* shape - 1 without loss: the shape may be just above 1. */
static double excess_of(const struct pareto *p)
{
    return (double)(p->shape.num - p->shape.den) / (double)p->shape.den;
}

static void draw(const void *params, struct stream stream, uint64_t first, ns_t *out_ns,
                 size_t count)
{
    const struct pareto *p = params;
    double power = -1.0 / ratio_double(p->shape), minimum_ns = (double)p->minimum_ns;
    for (size_t i = 0; i < count; i++)
        out_ns[i] =
            round_ns(minimum_ns * portable_power(unit_of(stream_word(stream, first + i)), power));
}

static double mean_ns(const void *params)
{
    const struct pareto *p = params;
    return (double)p->minimum_ns * ratio_double(p->shape) / excess_of(p);
}

static double tail(const void *params, double x_ns)
{
    const struct pareto *p = params;
    double minimum_ns = (double)p->minimum_ns;
    return x_ns <= minimum_ns ? 1.0 : pow(minimum_ns / x_ns, ratio_double(p->shape));
}

/* A random instant falls into a duration with probability proportional to its length, uniformly;
   weighted by length the shape is less by one. */
static ns_t residual(const void *params, struct stream stream, uint64_t index)
{
    const struct pareto *p = params;
    struct stream own = stream_at(stream, index);
    double power = -1.0 / excess_of(p);
    double whole_ns = (double)p->minimum_ns * portable_power(unit_of(stream_word(own, 0)), power);
    return round_ns(whole_ns * unit_of(stream_word(own, 1)));
}

const struct distribution_type distribution_pareto = {
    .is = {"pareto", "never below a minimum, with a tail that falls as a power", fields,
           FIELD_COUNT_OF(fields), sizeof(struct pareto), NULL},
    .random = true,
    .draw = draw,
    .mean_ns = mean_ns,
    .tail = tail,
    .residual = residual,
};
