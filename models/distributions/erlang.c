/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "models/distributions/distribution.h"

static const struct field fields[] = {
    {"mean", FIELD_DURATION, offsetof(struct erlang, mean_ns), .required = true, .min = 1,
     .says = "the mean of all stages together"},
    {"stages", FIELD_COUNT, offsetof(struct erlang, stages), .required = true, .min = 1,
     .max = ERLANG_STAGES_MOST, .says = "exponential stages, one after the other"},
};

/* The sum of `stages` exponential draws of the words 0, 1, ... of a stream of its own. */
static ns_t sum_of_stages(const struct erlang *e, struct stream own, uint64_t stages)
{
    double sum = 0.0;
    for (uint64_t i = 0; i < stages; i++)
        sum -= portable_log(unit_of(stream_word(own, i)));
    return round_ns(sum * (double)e->mean_ns / (double)e->stages);
}

static void draw(const void *params, struct stream stream, uint64_t first, ns_t *out_ns,
                 size_t count)
{
    const struct erlang *e = params;
    for (size_t i = 0; i < count; i++)
        out_ns[i] = sum_of_stages(e, stream_at(stream, first + i), e->stages);
}

static double mean_ns(const void *params)
{
    const struct erlang *e = params;
    return (double)e->mean_ns;
}

/* The sum over j < stages of y^j e^-y / j!, outward from its largest term. */
static double tail(const void *params, double x_ns)
{
    const struct erlang *e = params;
    if (x_ns <= 0.0)
        return 1.0;
    double k = (double)e->stages, y = x_ns * k / (double)e->mean_ns;
    double largest = fmin(k - 1.0, floor(y));
    double first = exp(largest * log(y) - y - lgamma(largest + 1.0)), sum = first, term = first;
    for (double j = largest; j > 0.0 && term > 1e-18 * sum; j -= 1.0)
        sum += term *= j / y;
    term = first;
    for (double j = largest + 1.0; j < k && term > 1e-18 * sum; j += 1.0)
        sum += term *= y / j;
    return fmin(sum, 1.0);
}

/* At a random instant each stage is as likely to be the one under way as any other. */
static ns_t residual(const void *params, struct stream stream, uint64_t index)
{
    const struct erlang *e = params;
    struct stream own = stream_at(stream, index);
    return sum_of_stages(e, own, 1 + below(stream_word(own, e->stages), e->stages));
}

const struct distribution_type distribution_erlang = {
    .is = {"erlang", "the sum of equal exponential stages", fields, FIELD_COUNT_OF(fields),
           sizeof(struct erlang), NULL},
    .random = true,
    .draw = draw,
    .mean_ns = mean_ns,
    .tail = tail,
    .residual = residual,
};
