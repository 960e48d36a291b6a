/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "models/stores/cell_kernels.h"
#include "models/stores/store.h"

/* Buckets of one width: bucket k holds [k width, (k + 1) width).  What a value of the first bucket
   is told to be may be off by all of it, which is the mistake that this store is for. */

struct linear_params {
    ns_t width_ns, highest_ns;
    bool clamp;
};

static const struct field fields[] = {
    {"width", FIELD_DURATION, offsetof(struct linear_params, width_ns), .required = true, .min = 1,
     .says = "of every bucket; a value is told as the last whole ns of its bucket"},
    {"highest", FIELD_DURATION, offsetof(struct linear_params, highest_ns), .required = true,
     .min = 1, .says = "the largest value kept; larger ones are counted apart"},
    {"clamp", FIELD_BOOL, offsetof(struct linear_params, clamp), .absent = "true",
     .says = "cut a bucket's value to the exact maximum"},
};

#define BUCKETS_MOST UINT64_C(100000000)
#define BUCKETS_FIRST 64

static uint64_t bucket_count(const struct linear_params *p)
{
    return p->highest_ns / p->width_ns + 1;
}

static const char *refuses(const void *params)
{
    return bucket_count(params) > BUCKETS_MOST
               ? "more than 100 million buckets; make them wider, or highest lower"
               : NULL;
}

struct linear {
    ns_t width_ns, highest_ns;
    size_t all;       /* buckets that there may be */
    uint64_t *counts; /* of the buckets below `length`; the others are empty */
    size_t length;
    uint64_t beyond;
};

static void *open(const void *params)
{
    const struct linear_params *p = params;
    struct linear *l = must_alloc(1, sizeof *l);
    *l = (struct linear){
        .width_ns = p->width_ns, .highest_ns = p->highest_ns, .all = (size_t)bucket_count(p)};
    return l;
}

static void close(void *store)
{
    struct linear *l = store;
    free(l->counts);
    free(l);
}

/* Room for that bucket, or all there are: doubled, so that growing costs no more than filling. */
static void reach(struct linear *l, size_t bucket)
{
    size_t all = l->all;
    bucket = bucket < all ? bucket : all - 1;
    if (bucket < l->length)
        return;
    size_t wanted = l->length > 0 ? 2 * l->length : BUCKETS_FIRST;
    wanted = wanted > bucket ? wanted : bucket + 1;
    wanted = wanted < all ? wanted : all;
    l->counts = must_grow(l->counts, wanted, sizeof *l->counts);
    for (; l->length < wanted; l->length++)
        l->counts[l->length] = 0;
}

static void add_times(void *store, ns_t value_ns, uint64_t times)
{
    struct linear *l = store;
    if (value_ns > l->highest_ns) {
        l->beyond += times;
        return;
    }
    size_t bucket = (size_t)(value_ns / l->width_ns);
    reach(l, bucket);
    l->counts[bucket] += times;
}

static void add_block(struct linear *l, const ns_t *values_ns, size_t count)
{
    uint32_t buckets[CELL_BLOCK];
    uint64_t *counts = l->counts;
    cell_kernels()->linear(values_ns, count, l->width_ns, buckets);
#pragma GCC unroll 8
    for (size_t i = 0; i < count; i++)
        counts[buckets[i]]++;
}

static void add(void *store, const ns_t *values_ns, size_t count, ns_t least_ns, ns_t greatest_ns)
{
    struct linear *l = store;
    if (least_ns == greatest_ns) {
        add_times(l, least_ns, count);
        return;
    }
    if (greatest_ns > l->highest_ns || greatest_ns > CELL_VALUE_MOST) {
        for (size_t i = 0; i < count; i++)
            add_times(l, values_ns[i], 1);
        return;
    }
    reach(l, (size_t)(greatest_ns / l->width_ns));
    for (size_t done = 0; done < count; done += CELL_BLOCK)
        add_block(l, values_ns + done, count - done < CELL_BLOCK ? count - done : CELL_BLOCK);
}

/* Bucket by bucket, so that a run costs at most one step a bucket. */
static void add_run(void *store, ns_t first_ns, ns_t step_ns, uint64_t count)
{
    struct linear *l = store;
    while (count > 0) {
        bool beyond = first_ns > l->highest_ns;
        ns_t low_ns = beyond ? l->highest_ns + 1 : first_ns - first_ns % l->width_ns;
        uint64_t inside = (first_ns - low_ns) / step_ns + 1;
        inside = inside < count ? inside : count;
        add_times(l, first_ns, inside);
        count -= inside;
        first_ns -= count > 0 ? inside * step_ns : 0;
    }
}

static void merge(void *into, void *from)
{
    struct linear *to = into, *other = from;
    BUG_IF(to->width_ns != other->width_ns || to->highest_ns != other->highest_ns);
    if (other->length > 0)
        reach(to, other->length - 1);
    for (size_t i = 0; i < other->length; i++)
        to->counts[i] += other->counts[i];
    to->beyond += other->beyond;
}

static struct stored cell_of(ns_t width_ns, ns_t highest_ns, ns_t value_ns)
{
    if (value_ns > highest_ns)
        return (struct stored){highest_ns, highest_ns, true};
    ns_t low_ns = value_ns - value_ns % width_ns;
    return (struct stored){low_ns, low_ns + (width_ns - 1), false};
}

static struct stored select(void *store, uint64_t rank)
{
    struct linear *l = store;
    uint64_t up_to = 0;
    for (size_t i = 0; i < l->length; i++) {
        up_to += l->counts[i];
        if (up_to >= rank)
            return cell_of(l->width_ns, l->highest_ns, i * l->width_ns);
    }
    BUG_IF(up_to + l->beyond < rank);
    return (struct stored){l->highest_ns, l->highest_ns, true};
}

static struct stored cell(const void *params, ns_t value_ns)
{
    const struct linear_params *p = params;
    return cell_of(p->width_ns, p->highest_ns, value_ns);
}

static bool clamps(const void *params)
{
    const struct linear_params *p = params;
    return p->clamp;
}

/* All buckets, as one value may need them. */
static uint64_t memory(const void *params, uint64_t n)
{
    return n == 0 ? 0 : bucket_count(params) * sizeof(uint64_t);
}

const struct store_type store_linear = {
    .is = {"linear", "buckets of one width", fields, FIELD_COUNT_OF(fields),
           sizeof(struct linear_params), refuses},
    .open = open,
    .close = close,
    .add = add,
    .add_run = add_run,
    .add_times = add_times,
    .merge = merge,
    .select = select,
    .cell = cell,
    .clamps = clamps,
    .memory = memory,
};
