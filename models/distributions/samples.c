/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/distributions/distribution.h"

static const struct field fields[] = {
    {"values", FIELD_DURATIONS, offsetof(struct samples, values), .required = true,
     .says = "the durations, taken in turn and from the start again"},
};

static const char *refuses(const void *params)
{
    const struct samples *s = params;
    return s->values.count == 0 ? "the list of samples is empty" : NULL;
}

static void draw(const void *params, struct stream stream, uint64_t first, ns_t *out_ns,
                 size_t count)
{
    (void)stream;
    const struct samples *s = params;
    for (size_t i = 0; i < count; i++)
        out_ns[i] = s->values.ns[(first + i) % s->values.count];
}

static double mean_ns(const void *params)
{
    const struct samples *s = params;
    double sum = 0.0;
    for (size_t i = 0; i < s->values.count; i++)
        sum += (double)s->values.ns[i];
    return sum / (double)s->values.count;
}

const struct distribution_type distribution_samples = {
    .is = {"samples", "a list of durations, taken in turn", fields, FIELD_COUNT_OF(fields),
           sizeof(struct samples), refuses},
    .random = false,
    .draw = draw,
    .mean_ns = mean_ns,
};
