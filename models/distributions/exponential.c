/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "models/distributions/distribution.h"

static const struct field fields[] = {
    {"mean", FIELD_DURATION, offsetof(struct exponential, mean_ns), .required = true, .min = 1,
     .says = "the mean duration"},
};

static void draw(const void *params, struct stream stream, uint64_t first, ns_t *out_ns,
                 size_t count)
{
    const struct exponential *e = params;
    exponential_draws(stream, first, (double)e->mean_ns, out_ns, count);
}

static double mean_ns(const void *params)
{
    const struct exponential *e = params;
    return (double)e->mean_ns;
}

static double tail(const void *params, double x_ns)
{
    return x_ns <= 0.0 ? 1.0 : exp(-x_ns / mean_ns(params));
}

/* Without memory, what is left is distributed as the whole. */
static ns_t residual(const void *params, struct stream stream, uint64_t index)
{
    ns_t out_ns;
    draw(params, stream, index, &out_ns, 1);
    return out_ns;
}

const struct distribution_type distribution_exponential = {
    .is = {"exponential", "exponential with the given mean", fields, FIELD_COUNT_OF(fields),
           sizeof(struct exponential), NULL},
    .random = true,
    .draw = draw,
    .mean_ns = mean_ns,
    .tail = tail,
    .residual = residual,
};
