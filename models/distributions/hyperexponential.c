/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "models/distributions/distribution.h"

static const struct field branch_fields[] = {
    {"probability", FIELD_RATIO, offsetof(struct branch, probability), .required = true, .max = 1,
     .says = "of this branch; those of all branches sum to 1"},
    {"mean", FIELD_DURATION, offsetof(struct branch, mean_ns), .required = true, .min = 1,
     .says = "the mean duration in this branch"},
};

static const struct item branch_item = {branch_fields, FIELD_COUNT_OF(branch_fields),
                                        sizeof(struct branch)};

static const struct field fields[] = {
    {"branches", FIELD_LIST, offsetof(struct hyperexponential, branches), .required = true,
     .item = &branch_item, .says = "one of these exponential durations"},
};

static const struct branch *branches_of(const struct hyperexponential *h)
{
    return h->branches.items;
}

/* Adds a ratio exactly; false where the sum's denominator does not fit. */
static bool add(struct ratio *sum, struct ratio more)
{
    u128 factor = more.den / gcd_u64(sum->den, more.den), den = factor * sum->den;
    if (den > UINT64_MAX)
        return false;
    u128 num = factor * sum->num + den / more.den * more.num;
    if (num > den)
        return false;
    *sum = (struct ratio){(uint64_t)num, (uint64_t)den};
    return true;
}

static const char *refuses(const void *params)
{
    const struct hyperexponential *h = params;
    struct ratio sum = {0, 1};
    if (h->branches.count == 0)
        return "the list of branches is empty";
    bool fits = true;
    for (size_t i = 0; i < h->branches.count && fits; i++)
        fits = add(&sum, branches_of(h)[i].probability);
    return fits && sum.num == sum.den ? NULL
                                      : "the probabilities of the branches do not sum to exactly 1";
}

/* The branch at `share` in [0, 1) of a total of weights. */
static const struct branch *branch_at(const struct hyperexponential *h, double share,
                                      double (*weight)(const struct branch *), double total)
{
    double sum = 0.0, sought = share * total;
    const struct branch *last = branches_of(h);
    for (size_t i = 0; i < h->branches.count; i++) {
        const struct branch *b = &branches_of(h)[i];
        if (b->probability.num == 0)
            continue;
        sum += weight(b);
        last = b;
        if (sought < sum)
            break;
    }
    return last;
}

static double probability(const struct branch *b)
{
    return ratio_double(b->probability);
}

static double work_ns(const struct branch *b)
{
    return ratio_double(b->probability) * (double)b->mean_ns;
}

static double mean_ns(const void *params)
{
    const struct hyperexponential *h = params;
    double sum = 0.0;
    for (size_t i = 0; i < h->branches.count; i++)
        sum += work_ns(&branches_of(h)[i]);
    return sum;
}

/* Word 0 chooses the branch, word 1 is the exponential draw. */
static ns_t draw_one(const struct hyperexponential *h, struct stream own,
                     double (*weight)(const struct branch *), double total)
{
    double share = (double)(stream_word(own, 0) >> 11) * 0x1p-53;
    const struct branch *b = branch_at(h, share, weight, total);
    return round_ns((double)b->mean_ns * -portable_log(unit_of(stream_word(own, 1))));
}

static void draw(const void *params, struct stream stream, uint64_t first, ns_t *out_ns,
                 size_t count)
{
    for (size_t i = 0; i < count; i++)
        out_ns[i] = draw_one(params, stream_at(stream, first + i), probability, 1.0);
}

static double tail(const void *params, double x_ns)
{
    const struct hyperexponential *h = params;
    double sum = 0.0;
    if (x_ns <= 0.0)
        return 1.0;
    for (size_t i = 0; i < h->branches.count; i++) {
        const struct branch *b = &branches_of(h)[i];
        sum += ratio_double(b->probability) * exp(-x_ns / (double)b->mean_ns);
    }
    return sum;
}

/* A random instant falls into a branch by its share of the work; within it nothing is remembered.
 */
static ns_t residual(const void *params, struct stream stream, uint64_t index)
{
    return draw_one(params, stream_at(stream, index), work_ns, mean_ns(params));
}

const struct distribution_type distribution_hyperexponential = {
    .is = {"hyperexponential", "one of several exponential durations", fields,
           FIELD_COUNT_OF(fields), sizeof(struct hyperexponential), refuses},
    .random = true,
    .draw = draw,
    .mean_ns = mean_ns,
    .tail = tail,
    .residual = residual,
};
