/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/distributions/distribution.h"

static const struct field fields[] = {
    {"value", FIELD_DURATION, offsetof(struct constant, value_ns), .required = true,
     .says = "the duration, every time"},
};

static void draw(const void *params, struct stream stream, uint64_t first, ns_t *out_ns,
                 size_t count)
{
    (void)stream;
    (void)first;
    const struct constant *c = params;
    for (size_t i = 0; i < count; i++)
        out_ns[i] = c->value_ns;
}

static double mean_ns(const void *params)
{
    const struct constant *c = params;
    return (double)c->value_ns;
}

static double tail(const void *params, double x_ns)
{
    return x_ns < mean_ns(params) ? 1.0 : 0.0;
}

static ns_t residual(const void *params, struct stream stream, uint64_t index)
{
    return round_ns(mean_ns(params) * unit_of(stream_word(stream, index)));
}

const struct distribution_type distribution_constant = {
    .is = {"constant", "the same duration every time", fields, FIELD_COUNT_OF(fields),
           sizeof(struct constant), NULL},
    .random = false,
    .draw = draw,
    .mean_ns = mean_ns,
    .tail = tail,
    .residual = residual,
};
