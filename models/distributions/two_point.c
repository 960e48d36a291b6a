/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/distributions/distribution.h"

static const struct field fields[] = {
    {"usual", FIELD_DURATION, offsetof(struct two_point, usual_ns), .required = true,
     .says = "the usual duration"},
    {"rare", FIELD_DURATION, offsetof(struct two_point, rare_ns), .required = true,
     .says = "the rare duration"},
    {"probability", FIELD_RATIO, offsetof(struct two_point, probability), .required = true,
     .max = 1, .says = "of the rare one"},
};

static void draw(const void *params, struct stream stream, uint64_t first, ns_t *out_ns,
                 size_t count)
{
    const struct two_point *t = params;
    double p = ratio_double(t->probability);
    for (size_t i = 0; i < count; i++)
        out_ns[i] = happens(stream_word(stream, first + i), p) ? t->rare_ns : t->usual_ns;
}

static double mean_ns(const void *params)
{
    const struct two_point *t = params;
    double p = ratio_double(t->probability);
    return (1.0 - p) * (double)t->usual_ns + p * (double)t->rare_ns;
}

static double tail(const void *params, double x_ns)
{
    const struct two_point *t = params;
    double p = ratio_double(t->probability);
    return (x_ns < (double)t->usual_ns ? 1.0 - p : 0.0) + (x_ns < (double)t->rare_ns ? p : 0.0);
}

/* A random instant falls into a service with probability proportional to its length, uniformly. */
static ns_t residual(const void *params, struct stream stream, uint64_t index)
{
    const struct two_point *t = params;
    struct stream own = stream_at(stream, index);
    double rare_share = ratio_double(t->probability) * (double)t->rare_ns / mean_ns(params);
    ns_t whole_ns = happens(stream_word(own, 0), rare_share) ? t->rare_ns : t->usual_ns;
    return round_ns((double)whole_ns * unit_of(stream_word(own, 1)));
}

const struct distribution_type distribution_two_point = {
    .is = {"two-point", "one of two durations", fields, FIELD_COUNT_OF(fields),
           sizeof(struct two_point), NULL},
    .random = true,
    .draw = draw,
    .mean_ns = mean_ns,
    .tail = tail,
    .residual = residual,
};
