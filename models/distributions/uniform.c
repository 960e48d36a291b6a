/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "models/distributions/distribution.h"

static const struct field fields[] = {
    {"low", FIELD_DURATION, offsetof(struct uniform, low_ns), .required = true,
     .says = "the shortest duration"},
    {"high", FIELD_DURATION, offsetof(struct uniform, high_ns), .required = true,
     .says = "the longest duration"},
};

static const char *refuses(const void *params)
{
    const struct uniform *u = params;
    return u->low_ns > u->high_ns ? "low is above high" : NULL;
}

static void draw(const void *params, struct stream stream, uint64_t first, ns_t *out_ns,
                 size_t count)
{
    const struct uniform *u = params;
    double width = (double)(u->high_ns - u->low_ns);
    for (size_t i = 0; i < count; i++)
        out_ns[i] = u->low_ns + round_ns(width * unit_of(stream_word(stream, first + i)));
}

static double mean_ns(const void *params)
{
    const struct uniform *u = params;
    return ((double)u->low_ns + (double)u->high_ns) / 2.0;
}

static double tail(const void *params, double x_ns)
{
    const struct uniform *u = params;
    if (x_ns < (double)u->low_ns)
        return 1.0;
    if (x_ns >= (double)u->high_ns)
        return 0.0;
    return ((double)u->high_ns - x_ns) / (double)(u->high_ns - u->low_ns);
}

/* Density tail/mean: flat up to low, then falling in a straight line to high. */
static ns_t residual(const void *params, struct stream stream, uint64_t index)
{
    const struct uniform *u = params;
    struct stream own = stream_at(stream, index);
    double v = unit_of(stream_word(own, 1));
    if (happens(stream_word(own, 0), (double)u->low_ns / mean_ns(params)))
        return round_ns((double)u->low_ns * v);
    return u->low_ns + round_ns((double)(u->high_ns - u->low_ns) * (1.0 - sqrt(v)));
}

const struct distribution_type distribution_uniform = {
    .is = {"uniform", "evenly spread between two durations", fields, FIELD_COUNT_OF(fields),
           sizeof(struct uniform), refuses},
    .random = true,
    .draw = draw,
    .mean_ns = mean_ns,
    .tail = tail,
    .residual = residual,
};
