/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "models/stores/store.h"

/* Sorted (value, count) pairs, a buffer of values not yet sorted in, and the long runs that
   corrections add, kept as runs: a run of a million samples costs one entry. */

#define BUFFER_LEAST 65536
#define RUN_LEAST 64 /* shorter runs are added one by one */

struct pair {
    ns_t value_ns;
    uint64_t count;
    uint64_t up_to; /* samples in this and all smaller pairs */
};

struct run {
    ns_t first_ns, step_ns; /* first, first - step, ... */
    uint64_t count, times;
};

struct exact {
    struct pair *pairs;
    size_t pair_count;
    ns_t *buffer;
    size_t buffered, buffer_size;
    struct run *runs;
    size_t run_count, run_capacity;
};

static void *open(const void *params)
{
    (void)params;
    return must_alloc(1, sizeof(struct exact));
}

static void close(void *store)
{
    struct exact *e = store;
    free(e->pairs);
    free(e->buffer);
    free(e->runs);
    free(e);
}

/* Least significant byte first, skipping the bytes in which all values agree. */
static void radix_sort(ns_t *values, ns_t *scratch, size_t count)
{
    ns_t differs = 0;
    for (size_t i = 1; i < count; i++)
        differs |= values[i] ^ values[0];
    ns_t *from = values, *to = scratch;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (((differs >> shift) & 0xff) == 0)
            continue;
        size_t start[257] = {0};
        for (size_t i = 0; i < count; i++)
            start[((from[i] >> shift) & 0xff) + 1]++;
        for (size_t b = 0; b < 256; b++)
            start[b + 1] += start[b];
        for (size_t i = 0; i < count; i++)
            to[start[(from[i] >> shift) & 0xff]++] = from[i];
        ns_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != values)
        memcpy(values, from, count * sizeof *values);
}

static void push_pair(struct pair *pairs, size_t *count, ns_t value_ns, uint64_t times)
{
    if (*count > 0 && pairs[*count - 1].value_ns == value_ns) {
        pairs[*count - 1].count += times;
        return;
    }
    pairs[(*count)++] = (struct pair){.value_ns = value_ns, .count = times};
}

/* Merges sorted pairs into the store's. */
static void merge_pairs(struct exact *e, const struct pair *more, size_t more_count)
{
    if (more_count == 0)
        return;
    struct pair *merged = must_alloc(e->pair_count + more_count, sizeof *merged);
    size_t count = 0, i = 0, j = 0;
    while (i < e->pair_count || j < more_count) {
        bool mine =
            j == more_count || (i < e->pair_count && e->pairs[i].value_ns <= more[j].value_ns);
        const struct pair *p = mine ? &e->pairs[i++] : &more[j++];
        push_pair(merged, &count, p->value_ns, p->count);
    }
    free(e->pairs);
    e->pairs = must_grow(merged, count, sizeof *merged);
    e->pair_count = count;
    uint64_t up_to = 0;
    for (size_t k = 0; k < count; k++)
        e->pairs[k].up_to = up_to += e->pairs[k].count;
}

static void flush(struct exact *e)
{
    if (e->buffered == 0)
        return;
    ns_t *scratch = must_alloc(e->buffered, sizeof *scratch);
    radix_sort(e->buffer, scratch, e->buffered);
    free(scratch);
    struct pair *pairs = must_alloc(e->buffered, sizeof *pairs);
    size_t count = 0;
    for (size_t i = 0; i < e->buffered; i++)
        push_pair(pairs, &count, e->buffer[i], 1);
    merge_pairs(e, pairs, count);
    free(pairs);
    e->buffered = 0;
}

/* The buffer grows with the pairs, so that all merging costs n log n. */
static void make_room(struct exact *e)
{
    if (e->buffered < e->buffer_size)
        return;
    flush(e);
    size_t wanted = e->pair_count > BUFFER_LEAST ? e->pair_count : BUFFER_LEAST;
    if (wanted > e->buffer_size) {
        e->buffer = must_grow(e->buffer, wanted, sizeof *e->buffer);
        e->buffer_size = wanted;
    }
}

static void add(void *store, const ns_t *values_ns, size_t count)
{
    struct exact *e = store;
    while (count > 0) {
        make_room(e);
        size_t room = e->buffer_size - e->buffered;
        size_t take = count < room ? count : room;
        memcpy(e->buffer + e->buffered, values_ns, take * sizeof *values_ns);
        e->buffered += take;
        values_ns += take;
        count -= take;
    }
}

static void keep_run(struct exact *e, struct run run)
{
    struct run *last = e->run_count > 0 ? &e->runs[e->run_count - 1] : NULL;
    if (last != NULL && last->first_ns == run.first_ns && last->step_ns == run.step_ns &&
        last->count == run.count) {
        last->times += run.times;
        return;
    }
    if (e->run_count == e->run_capacity) {
        e->run_capacity = e->run_capacity ? 2 * e->run_capacity : 16;
        e->runs = must_grow(e->runs, e->run_capacity, sizeof *e->runs);
    }
    e->runs[e->run_count++] = run;
}

static void add_run(void *store, ns_t first_ns, ns_t step_ns, uint64_t count)
{
    if (count >= RUN_LEAST) {
        keep_run(store, (struct run){first_ns, step_ns, count, 1});
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        ns_t value_ns = first_ns - i * step_ns;
        add(store, &value_ns, 1);
    }
}

static void merge(void *into, void *from)
{
    struct exact *to = into, *other = from;
    flush(to);
    flush(other);
    merge_pairs(to, other->pairs, other->pair_count);
    for (size_t i = 0; i < other->run_count; i++)
        keep_run(to, other->runs[i]);
}

/* Index of the first pair above the value, or pair_count. */
static size_t pairs_above(const struct exact *e, ns_t value_ns)
{
    size_t low = 0, high = e->pair_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (e->pairs[middle].value_ns <= value_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t at_most(const struct exact *e, ns_t x_ns)
{
    size_t above = pairs_above(e, x_ns);
    uint64_t total = above > 0 ? e->pairs[above - 1].up_to : 0;
    for (size_t i = 0; i < e->run_count; i++) {
        const struct run *run = &e->runs[i];
        uint64_t over = 0; /* elements of the run above x */
        if (run->first_ns > x_ns)
            over = (run->first_ns - x_ns + run->step_ns - 1) / run->step_ns;
        total += (run->count - (over < run->count ? over : run->count)) * run->times;
    }
    return total;
}

/* The rank-th smallest is the least x with at least rank values at or below it. */
static struct stored select(void *store, uint64_t rank)
{
    struct exact *e = store;
    flush(e);
    ns_t low = 0, high = e->pair_count > 0 ? e->pairs[e->pair_count - 1].value_ns : 0;
    for (size_t i = 0; i < e->run_count; i++)
        high = e->runs[i].first_ns > high ? e->runs[i].first_ns : high;
    while (low < high) {
        ns_t middle = low + (high - low) / 2;
        if (at_most(e, middle) >= rank)
            high = middle;
        else
            low = middle + 1;
    }
    return (struct stored){low, low, false};
}

static struct stored cell(const void *params, ns_t value_ns)
{
    (void)params;
    return (struct stored){value_ns, value_ns, false};
}

static bool clamps(const void *params)
{
    (void)params;
    return true;
}

/* Worst case, all values different: pairs, a buffer as large, and both again while merging. */
static uint64_t memory(const void *params, uint64_t n)
{
    (void)params;
    return n * (2 * sizeof(struct pair) + 2 * sizeof(ns_t));
}

const struct store_type store_exact = {
    .is = {"exact", "every sample, to the ns", NULL, 0, 0, NULL},
    .open = open,
    .close = close,
    .add = add,
    .add_run = add_run,
    .merge = merge,
    .select = select,
    .cell = cell,
    .clamps = clamps,
    .memory = memory,
};
