/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "models/stores/radix.h"
#include "models/stores/store.h"

/* Sorted (value, count) pairs, a buffer of values not yet sorted in, and the long runs that
   corrections add, kept as runs: a run of a million samples costs one entry. */

#define BUFFER_LEAST 65536
#define BUFFER_MOST ((size_t)1 << 31)
#define BUFFER_A_PAIR 4
#define RUN_LEAST 25 /* shorter runs are added one by one */

struct pair {
    ns_t value_ns;
    uint64_t up_to; /* samples of this and all smaller values */
};

/* rest + j step, for so many j from level on, each so many times; rest < step. */
struct run {
    ns_t step_ns, rest_ns;
    uint64_t level, count, times;
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

/* Both strictly upwards, and so is what comes out; which of them goes on is not a branch, as it is
   as good as random. */
static size_t merge_sorted(const struct pair *a, size_t a_count, const struct pair *b,
                           size_t b_count, struct pair *out)
{
    size_t i = 0, j = 0, count = 0;
    uint64_t a_up_to = 0, b_up_to = 0;
    while (i < a_count && j < b_count) {
        ns_t x_ns = a[i].value_ns, y_ns = b[j].value_ns;
        bool from_a = x_ns <= y_ns, from_b = y_ns <= x_ns;
        a_up_to = from_a ? a[i].up_to : a_up_to;
        b_up_to = from_b ? b[j].up_to : b_up_to;
        out[count++] = (struct pair){from_a ? x_ns : y_ns, a_up_to + b_up_to};
        i += from_a;
        j += from_b;
    }
    for (; i < a_count; i++)
        out[count++] = (struct pair){a[i].value_ns, a[i].up_to + b_up_to};
    for (; j < b_count; j++)
        out[count++] = (struct pair){b[j].value_ns, b[j].up_to + a_up_to};
    return count;
}

/* Merges sorted pairs, which are the callee's from now on, into the store's. */
static void merge_pairs(struct exact *e, struct pair *more, size_t more_count)
{
    if (e->pair_count == 0) {
        free(e->pairs);
        e->pairs = more;
        e->pair_count = more_count;
        return;
    }
    struct pair *merged = must_alloc(e->pair_count + more_count, sizeof *merged);
    size_t count = merge_sorted(e->pairs, e->pair_count, more, more_count, merged);
    free(more);
    free(e->pairs);
    e->pairs = must_grow(merged, count, sizeof *merged);
    e->pair_count = count;
}

static void flush(struct exact *e)
{
    if (e->buffered == 0)
        return;
    ns_t *scratch = must_alloc(e->buffered, sizeof *scratch);
    radix_sort(e->buffer, scratch, e->buffered);
    free(scratch);
    struct pair *pairs = must_alloc(e->buffered, sizeof *pairs);
    size_t count = 0, last = e->buffered - 1;
    for (size_t i = 0; i < last; i++) {
        pairs[count] = (struct pair){e->buffer[i], i + 1};
        count += e->buffer[i] != e->buffer[i + 1];
    }
    pairs[count++] = (struct pair){e->buffer[last], last + 1};
    e->buffered = 0;
    merge_pairs(e, must_grow(pairs, count, sizeof *pairs), count);
}

/* The buffer grows with the pairs, so that all of merging costs little more than one sorting; where
   few values repeat, it stays small. */
static void make_room(struct exact *e)
{
    if (e->buffered < e->buffer_size)
        return;
    flush(e);
    size_t wanted = BUFFER_A_PAIR * e->pair_count;
    wanted = wanted > BUFFER_LEAST ? wanted : BUFFER_LEAST;
    wanted = wanted < BUFFER_MOST ? wanted : BUFFER_MOST;
    if (wanted > e->buffer_size) {
        e->buffer = must_grow(e->buffer, wanted, sizeof *e->buffer);
        e->buffer_size = wanted;
    }
}

static void append(struct exact *e, const ns_t *values_ns, size_t count)
{
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

static void add(void *store, const ns_t *values_ns, size_t count, ns_t least_ns, ns_t greatest_ns)
{
    (void)least_ns;
    (void)greatest_ns;
    append(store, values_ns, count);
}

static void keep_run(struct exact *e, struct run run)
{
    struct run *last = e->run_count > 0 ? &e->runs[e->run_count - 1] : NULL;
    if (last != NULL && last->step_ns == run.step_ns && last->rest_ns == run.rest_ns &&
        last->level == run.level && last->count == run.count) {
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
        ns_t least_ns = first_ns - (count - 1) * step_ns;
        keep_run(store, (struct run){step_ns, least_ns % step_ns, least_ns / step_ns, count, 1});
        return;
    }
    ns_t values_ns[RUN_LEAST];
    for (size_t i = 0; i < count; i++)
        values_ns[i] = first_ns - i * step_ns;
    append(store, values_ns, (size_t)count);
}

static void merge(void *into, void *from)
{
    struct exact *to = into, *other = from;
    flush(to);
    flush(other);
    if (other->pair_count > 0) {
        merge_pairs(to, other->pairs, other->pair_count);
        other->pairs = NULL;
        other->pair_count = 0;
    }
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

/* Of all runs.  Most are of one step, so x is divided once. */
static uint64_t run_at_most(const struct exact *e, ns_t x_ns)
{
    uint64_t total = 0, level = 0;
    ns_t step_ns = 0, rest_ns = 0;
    for (size_t i = 0; i < e->run_count; i++) {
        const struct run *run = &e->runs[i];
        if (run->step_ns != step_ns) {
            step_ns = run->step_ns;
            level = x_ns / step_ns;
            rest_ns = x_ns % step_ns;
        }
        uint64_t end = level + (run->rest_ns <= rest_ns);
        uint64_t below = end > run->level ? end - run->level : 0;
        total += (below < run->count ? below : run->count) * run->times;
    }
    return total;
}

static uint64_t at_most(const struct exact *e, ns_t x_ns)
{
    size_t above = pairs_above(e, x_ns);
    return (above > 0 ? e->pairs[above - 1].up_to : 0) + run_at_most(e, x_ns);
}

/* The rank-th smallest is the least x with at least rank values at or below it. */
static struct stored select(void *store, uint64_t rank)
{
    struct exact *e = store;
    flush(e);
    ns_t low = 0, high = e->pair_count > 0 ? e->pairs[e->pair_count - 1].value_ns : 0;
    for (size_t i = 0; i < e->run_count; i++) {
        const struct run *run = &e->runs[i];
        ns_t greatest_ns = (run->level + run->count - 1) * run->step_ns + run->rest_ns;
        high = greatest_ns > high ? greatest_ns : high;
    }
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
