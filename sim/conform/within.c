/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a recorder may say of a figure whose exact value is known. */

#include "sim/conform/judge.h"

#define DOUBLE_BITS 53
/* A clock or histogram in whole us is as good as one in ns where it says so many digits. */
#define GRAIN_BITS 9 /* 512 ns, the cells of a histogram from 1 us on */

void judge_open(struct bench *bench, const struct trial *trial, const struct declared *declared)
{
    *bench = (struct bench){.trial = trial, .declared = declared, .asked = trial->asked};
    if (declared->rank != NULL)
        bench->asked.rank = (struct choice){.type = declared->rank};
    report_true(&trial->requests, &bench->asked, &bench->truth);
    samples_true(&trial->requests, &bench->asked, &bench->sorted);
    for (size_t i = 0; i < trial->requests.count; i++)
        if (trial->requests.finished[i] > bench->last_ns)
            bench->last_ns = trial->requests.finished[i];
}

void judge_close(struct bench *bench)
{
    report_free(&bench->truth);
    samples_free(&bench->sorted);
}

size_t figures_in(const struct report *report)
{
    return FIGURE_FIRST_PERCENTILE + report->percentile_count;
}

struct said figure_of(const struct report *report, size_t index)
{
    switch (index) {
    case FIGURE_COUNT: return (struct said){report->has_count, (i128)report->count * 1000};
    case FIGURE_MIN: return report->min;
    case FIGURE_MAX: return report->max;
    case FIGURE_MEAN: return report->mean;
    case FIGURE_SUM: return report->sum;
    default: return report->percentiles[index - FIGURE_FIRST_PERCENTILE];
    }
}

static i128 distance(i128 a, i128 b)
{
    return a > b ? a - b : b - a;
}

static i128 size_of(i128 milli)
{
    return milli < 0 ? -milli : milli;
}

/* Thousandths that a difference of two instants, kept as doubles in any unit, may be off: two units
   in the last place of the instants and of itself, and the thousandth that is printed. */
static i128 slack_milli(const struct bench *bench, i128 truth_milli)
{
    return 1 + ((size_of(truth_milli) + (i128)bench->last_ns * 1000) >> (DOUBLE_BITS - 2));
}

static bool is_interpolated(const struct bench *bench, i128 truth_milli)
{
    return bench->declared->interpolates || truth_milli % 1000 != 0;
}

/* Lowest and highest value of the cell of an HdrHistogram, both whole. */
struct range {
    u128 low, high;
};

static struct range cell_of(uint64_t value, unsigned digits, unsigned grain_bits)
{
    uint64_t resolution = 2;
    for (unsigned d = 0; d < digits; d++)
        resolution *= 10;
    unsigned kept_bits = 64 - (unsigned)__builtin_clzll(resolution - 1);
    unsigned length = value == 0 ? 0 : 64 - (unsigned)__builtin_clzll(value);
    unsigned shift = length > kept_bits ? length - kept_bits : 0;
    shift = shift > grain_bits ? shift : grain_bits;
    u128 low = (u128)(value >> shift) << shift;
    return (struct range){low, low + (((u128)1 << shift) - 1)};
}

static bool in_cells(const struct bench *bench, i128 truth, i128 said)
{
    unsigned digits = bench->declared->digits;
    i128 share = 1;
    for (unsigned d = 0; d < digits; d++)
        share *= 10;
    if (truth < 0 || is_interpolated(bench, truth))
        return distance(truth, said) <= size_of(truth) / share + 1000 * 1000;
    uint64_t truth_ns = (uint64_t)(truth / 1000);
    struct range ns = cell_of(truth_ns, digits, GRAIN_BITS);
    struct range us = cell_of(truth_ns / NS_PER_US, digits, 0);
    return (said >= (i128)ns.low * 1000 && said <= (i128)ns.high * 1000) ||
           (said >= (i128)us.low * 1000000 && said <= (i128)us.high * 1000000 + 999000);
}

/* Where a value stands among the upper bounds; the number of bounds: above them all. */
static size_t bucket_of(const struct declared *d, i128 milli)
{
    size_t k = 0;
    while (k < d->bounds.count && (i128)d->bounds.ns[k] * 1000 < milli)
        k++;
    return k;
}

static bool in_bucket(const struct declared *d, size_t bucket, bool whole, i128 said)
{
    if (bucket >= d->bounds.count)
        return false; /* above the last bound there is no value to tell */
    i128 upper = (i128)d->bounds.ns[bucket] * 1000;
    i128 lower = bucket > 0 ? (i128)d->bounds.ns[bucket - 1] * 1000 : 0;
    return whole ? said >= lower && said <= upper : said == upper;
}

static bool in_buckets(const struct bench *bench, bool whole, i128 truth, i128 said)
{
    const struct declared *d = bench->declared;
    size_t bucket = bucket_of(d, truth);
    bool on_bound = bucket < d->bounds.count && (i128)d->bounds.ns[bucket] * 1000 == truth;
    whole = whole || d->interpolates;
    /* Whether a bound belongs to the bucket below or above it is the recorder's affair. */
    return in_bucket(d, bucket, whole, said) || (on_bound && in_bucket(d, bucket + 1, whole, said));
}

static bool is_near(struct ratio relative, i128 truth, i128 said)
{
    return distance(truth, said) * (i128)relative.den <= size_of(truth) * (i128)relative.num;
}

static bool value_may_be(const struct bench *bench, size_t index, i128 truth, i128 said)
{
    if (distance(truth, said) <= slack_milli(bench, truth))
        return true; /* nobody is wrong for being exact */
    switch (bench->declared->precision) {
    case PRECISION_EXACT: return false;
    case PRECISION_RELATIVE: return is_near(bench->declared->relative, truth, said);
    case PRECISION_DIGITS: return in_cells(bench, truth, said);
    case PRECISION_BOUNDS:
        return in_buckets(bench, index == FIGURE_MIN || index == FIGURE_MAX, truth, said);
    }
    BUG("a precision outside its enum");
}

/* A sum over n samples in doubles is off by n units in the last place at most; a mean may be told
   in whole ns. */
static i128 sum_slack(const struct bench *bench, size_t index, i128 truth)
{
    i128 n = (i128)bench->truth.count + 2;
    i128 rounding = size_of(truth) / ((i128)1 << DOUBLE_BITS) * n + n;
    return slack_milli(bench, truth) + rounding + (index == FIGURE_MEAN ? 999 : 0);
}

static bool total_may_be(const struct bench *bench, size_t index, i128 truth, i128 said)
{
    i128 n = index == FIGURE_SUM ? (i128)bench->truth.count : 1, share = 1;
    if (distance(truth, said) <= sum_slack(bench, index, truth))
        return true;
    switch (bench->declared->precision) {
    case PRECISION_EXACT: return false;
    case PRECISION_RELATIVE: return is_near(bench->declared->relative, truth, said);
    case PRECISION_DIGITS:
        for (unsigned d = 0; d < bench->declared->digits; d++)
            share *= 10;
        return distance(truth, said) <= size_of(truth) / share + n * 1000 * 1000;
    case PRECISION_BOUNDS: return true; /* is_right() looks at the samples */
    }
    BUG("a precision outside its enum");
}

bool may_say(const struct bench *bench, size_t index, struct said truth, struct said said)
{
    bool beyond = bench->declared->precision == PRECISION_BOUNDS && truth.known &&
                  bucket_of(bench->declared, truth.milli) == bench->declared->bounds.count;
    if (!said.known)
        return !truth.known || (beyond && index >= FIGURE_FIRST_PERCENTILE);
    if (!truth.known)
        return false;
    if (index == FIGURE_COUNT)
        return truth.milli == said.milli;
    if (index == FIGURE_MEAN || index == FIGURE_SUM)
        return total_may_be(bench, index, truth.milli, said.milli);
    return value_may_be(bench, index, truth.milli, said.milli);
}

/* Of a mean from buckets only what the bounds leave open is known. */
static bool is_right_total(const struct bench *bench, size_t index, i128 said)
{
    const struct declared *d = bench->declared;
    i128 low = 0, high = 0, n = (i128)bench->sorted.count;
    bool open = false;
    for (size_t i = 0; i < bench->sorted.count; i++) {
        i128 milli = (i128)bench->sorted.items[i].ns * 1000;
        size_t bucket = bucket_of(d, milli);
        low += bucket > 0 ? (i128)d->bounds.ns[bucket - 1] * 1000 : 0;
        open |= bucket == d->bounds.count;
        high += open ? 0 : (i128)d->bounds.ns[bucket] * 1000;
    }
    i128 scaled = index == FIGURE_MEAN ? said * n : said;
    i128 slack = sum_slack(bench, index, scaled) * (index == FIGURE_MEAN ? n : 1);
    return scaled + slack >= low && (open || scaled <= high + slack);
}

bool is_right(const struct bench *bench, size_t index, struct said said)
{
    struct said truth = figure_of(&bench->truth, index);
    if (!may_say(bench, index, truth, said))
        return false;
    bool total = index == FIGURE_MEAN || index == FIGURE_SUM;
    if (!total || !said.known || bench->declared->precision != PRECISION_BOUNDS)
        return true;
    return is_right_total(bench, index, said.milli);
}
