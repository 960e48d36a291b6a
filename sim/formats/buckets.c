/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>

#include "sim/formats/imported.h"
#include "sim/formats/text.h"

void buckets_push(struct buckets *b, i128 bound_milli, uint64_t count)
{
    if (b->count == b->capacity) {
        b->capacity = b->capacity ? 2 * b->capacity : 32;
        b->bounds_milli = must_grow(b->bounds_milli, b->capacity, sizeof *b->bounds_milli);
        b->counts = must_grow(b->counts, b->capacity, sizeof *b->counts);
    }
    b->bounds_milli[b->count] = bound_milli;
    b->counts[b->count++] = count;
}

void buckets_free(struct buckets *b)
{
    free(b->bounds_milli);
    free(b->counts);
    *b = (struct buckets){0};
}

static bool is_open(const struct buckets *b, size_t i)
{
    return b->open && i + 1 == b->count;
}

static char *judge_bounds(const struct buckets *b)
{
    char before[64], after[64];
    for (size_t i = 1; i < b->count; i++) {
        if (is_open(b, i) || b->bounds_milli[i] > b->bounds_milli[i - 1])
            continue;
        return must_format("the upper bounds do not ascend: %s stands behind %s",
                           milli_format(b->bounds_milli[i], after),
                           milli_format(b->bounds_milli[i - 1], before));
    }
    return NULL;
}

/* Of each bucket from what all below it have together. */
static char *part_counts(struct buckets *b)
{
    uint64_t below = 0, sum = 0;
    for (size_t i = 0; i < b->count; i++) {
        uint64_t count = b->counts[i];
        if (b->cumulative && count < below)
            return must_format("cumulative counts do not fall: bucket %zu has %" PRIu64
                               ", the one below it %" PRIu64,
                               i + 1, count, below);
        if (b->cumulative) {
            b->counts[i] = count - below;
            below = count;
        }
        if (b->counts[i] > INT64_MAX - sum)
            return must_copy("the counts add up to 2^63 or more");
        sum += b->counts[i];
    }
    if (b->has_total && sum != b->total)
        return must_format("the buckets hold %" PRIu64 ", but the count is %" PRIu64, sum,
                           b->total);
    b->total = sum;
    return NULL;
}

static struct bin bin_of(const struct buckets *b, size_t i)
{
    bool open = is_open(b, i);
    return (struct bin){.low_milli = i > 0 ? b->bounds_milli[i - 1] : 0,
                        .high_milli = open ? 0 : b->bounds_milli[i],
                        .low_in = i == 0, /* a time may be 0 */
                        .open = open,
                        .count = b->counts[i]};
}

static bool inside(const struct bin *bin, i128 milli)
{
    return (milli > bin->low_milli || (milli == bin->low_milli && bin->low_in)) &&
           (bin->open || milli <= bin->high_milli);
}

/* What is said of the extremes and the sum must be possible. */
static char *judge_told(const struct buckets *b, const struct imported *m)
{
    char shown[64];
    if (b->min.known && !inside(&m->bins[0], b->min.milli))
        return must_format("the smallest value, %s, does not lie in the first bucket with counts",
                           milli_format(b->min.milli, shown));
    if (b->max.known && !inside(&m->bins[m->bin_count - 1], b->max.milli))
        return must_format("the largest value, %s, does not lie in the last bucket with counts",
                           milli_format(b->max.milli, shown));
    if (b->min.known && b->max.known && b->min.milli > b->max.milli)
        return must_copy("the smallest value is above the largest");
    if (!b->sum.known)
        return NULL;
    i128 least = 0, most = 0;
    bool bounded = true;
    for (size_t i = 0; i < m->bin_count; i++) {
        const struct bin *bin = &m->bins[i];
        least += bin->low_milli * (i128)bin->count;
        bounded &= !bin->open || b->max.known;
        most += (bin->open ? b->max.milli : bin->high_milli) * (i128)bin->count;
    }
    if (b->sum.milli < least || (bounded && b->sum.milli > most))
        return must_copy("the sum is none that values in these buckets can have");
    return NULL;
}

char *buckets_close(struct buckets *b, struct imported *out)
{
    char *why = judge_bounds(b);
    if (why == NULL)
        why = part_counts(b);
    if (why != NULL)
        return why;
    out->bounds_milli = must_alloc(b->count, sizeof *out->bounds_milli);
    for (size_t i = 0; i < b->count; i++) {
        if (!is_open(b, i))
            out->bounds_milli[out->bound_count++] = b->bounds_milli[i];
        imported_push(out, bin_of(b, i));
    }
    why = out->count > 0 ? judge_told(b, out) : NULL;
    out->min = b->min;
    out->max = b->max;
    out->sum = b->sum;
    return why;
}
