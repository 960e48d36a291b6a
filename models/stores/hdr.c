/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "models/stores/cell_kernels.h"
#include "models/stores/store.h"

/* The cells of HdrHistogram_c: a value is kept to its leading bits, and each
   power of two above the first has half as many cells as the first.  A counter is a plain 64-bit
   word, so memory is flat in the number of samples. */

struct hdr_params {
    uint64_t digits;
    ns_t lowest_ns, highest_ns;
    bool clamp;
};

static const struct field fields[] = {
    {"digits", FIELD_COUNT, offsetof(struct hdr_params, digits), .min = 1, .max = 5, .absent = "3",
     .says = "significant decimal digits"},
    {"lowest", FIELD_DURATION, offsetof(struct hdr_params, lowest_ns), .min = 1, .absent = "1",
     .says = "the smallest value told from 0"},
    {"highest", FIELD_DURATION, offsetof(struct hdr_params, highest_ns), .min = 2,
     .absent = "\"1440min\"", .says = "the largest value kept; larger ones are counted apart"},
    {"clamp", FIELD_BOOL, offsetof(struct hdr_params, clamp), .absent = "true",
     .says = "cut a cell's value to the exact maximum, which the C library does not"},
};

struct layout {
    unsigned unit_bits; /* log2 of the width of the smallest cell */
    unsigned half_bits; /* log2 of half the sub-buckets */
    uint64_t mask;
    ns_t highest_ns;
};

static unsigned bit_length(uint64_t v)
{
    return v == 0 ? 0 : 64 - (unsigned)__builtin_clzll(v);
}

static struct layout layout_of(const struct hdr_params *p)
{
    uint64_t resolution = 2;
    for (uint64_t d = 0; d < p->digits; d++)
        resolution *= 10;
    unsigned count_bits = bit_length(resolution - 1); /* smallest power of two at or above */
    unsigned unit_bits = bit_length(p->lowest_ns) - 1;
    return (struct layout){.unit_bits = unit_bits,
                           .half_bits = count_bits - 1,
                           .mask = ((UINT64_C(1) << count_bits) - 1) << unit_bits,
                           .highest_ns = p->highest_ns};
}

static const char *refuses(const void *params)
{
    const struct hdr_params *p = params;
    struct layout layout = layout_of(p);
    if (layout.unit_bits + layout.half_bits > 61)
        return "so many digits above so large a lowest value need more than 64 bits";
    return p->highest_ns / 2 < p->lowest_ns ? "highest must be at least twice lowest" : NULL;
}

static inline unsigned shift_of(const struct layout *l, ns_t value_ns)
{
    return 64 - (unsigned)__builtin_clzll(value_ns | l->mask) - l->half_bits - 1;
}

/* Counter of a value in range: buckets one after the other, each but the first half as long. */
static inline size_t index_of(const struct layout *l, ns_t value_ns)
{
    unsigned shift = shift_of(l, value_ns);
    return ((size_t)(shift - l->unit_bits) << l->half_bits) + (size_t)(value_ns >> shift);
}

static struct stored cell_of(const struct layout *l, ns_t value_ns)
{
    if (value_ns > l->highest_ns)
        return (struct stored){l->highest_ns, l->highest_ns, true};
    unsigned shift = shift_of(l, value_ns);
    ns_t low_ns = value_ns >> shift << shift;
    return (struct stored){low_ns, low_ns + ((UINT64_C(1) << shift) - 1), false};
}

/* The smallest value of a counter: the inverse of index_of. */
static ns_t value_at(const struct layout *l, size_t index)
{
    size_t bucket = index >> l->half_bits;
    bucket = bucket > 0 ? bucket - 1 : 0;
    return (ns_t)(index - (bucket << l->half_bits)) << (bucket + l->unit_bits);
}

/* Values that come in columns are counted in half the room, which more often is in the first cache,
   until there are so many: each count fits, and emptying them costs nothing. */
#define FRESH_MOST (UINT64_C(1) << 24)

/* Counters as far as values have reached: those of a short run fill a small part of the table. */
struct hdr {
    struct layout layout;
    uint64_t *counts;
    uint32_t *fresh; /* not yet in counts */
    size_t count_length, fresh_length;
    ns_t least_ns; /* of the values in counts */
    uint64_t fresh_total;
    ns_t fresh_least_ns, fresh_greatest_ns;
    uint64_t beyond;
};

static void *open(const void *params)
{
    struct hdr *h = must_alloc(1, sizeof *h);
    h->layout = layout_of(params);
    h->least_ns = h->fresh_least_ns = h->layout.highest_ns;
    return h;
}

static void close(void *store)
{
    struct hdr *h = store;
    free(h->counts);
    free(h->fresh);
    free(h);
}

/* Counters up to the end of the bucket that `index` is in, emptied; few buckets, so few calls. */
static void *lengthen(const struct hdr *h, void *old, size_t *length, size_t index, size_t size)
{
    size_t all = index_of(&h->layout, h->layout.highest_ns) + 1, had = *length;
    size_t wanted = ((index >> h->layout.half_bits) + 1) << h->layout.half_bits;
    *length = wanted < all ? wanted : all;
    char *cells = must_grow(old, *length, size);
    memset(cells + had * size, 0, (*length - had) * size);
    return cells;
}

/* The counter of a value in range, which there is from now on. */
static uint64_t *counter_of(struct hdr *h, ns_t value_ns)
{
    size_t index = index_of(&h->layout, value_ns);
    h->least_ns = value_ns < h->least_ns ? value_ns : h->least_ns;
    if (index >= h->count_length)
        h->counts = lengthen(h, h->counts, &h->count_length, index, sizeof *h->counts);
    return &h->counts[index];
}

/* Brings what is fresh into the counts; the last counter first, so that none moves after it. */
static void settle(struct hdr *h)
{
    if (h->fresh_total == 0)
        return;
    uint64_t *last = counter_of(h, h->fresh_greatest_ns);
    uint64_t *count = counter_of(h, h->fresh_least_ns);
    for (uint32_t *fresh = h->fresh + (count - h->counts); count <= last; count++, fresh++) {
        *count += *fresh;
        *fresh = 0;
    }
    h->fresh_total = 0;
    h->fresh_least_ns = h->layout.highest_ns;
    h->fresh_greatest_ns = 0;
}

static void add_times(void *store, ns_t value_ns, uint64_t times)
{
    struct hdr *h = store;
    if (value_ns > h->layout.highest_ns)
        h->beyond += times;
    else
        *counter_of(h, value_ns) += times;
}

static void add_block(struct hdr *h, const ns_t *values_ns, size_t count, ns_t least_ns)
{
    _Alignas(LINE_BYTES) uint32_t cells[CELL_BLOCK];
    uint32_t *fresh = h->fresh;
    const struct layout *l = &h->layout;
    cell_kernels()->hdr(values_ns, count, l->unit_bits, l->half_bits, least_ns, cells);
#pragma GCC unroll 8
    for (size_t i = 0; i < count; i++)
        fresh[cells[i]]++;
}

/* One counter after the other is a chain where values repeat: a column of one value is one step. */
static void add(void *store, const ns_t *values_ns, size_t count, ns_t least_ns, ns_t greatest_ns)
{
    struct hdr *h = store;
    if (least_ns == greatest_ns) {
        add_times(h, least_ns, count);
        return;
    }
    if (greatest_ns > h->layout.highest_ns || greatest_ns > CELL_VALUE_MOST) {
        for (size_t i = 0; i < count; i++)
            add_times(h, values_ns[i], 1);
        return;
    }
    if (count > FRESH_MOST - h->fresh_total)
        settle(h);
    h->fresh_total += count;
    h->fresh_least_ns = least_ns < h->fresh_least_ns ? least_ns : h->fresh_least_ns;
    h->fresh_greatest_ns = greatest_ns > h->fresh_greatest_ns ? greatest_ns : h->fresh_greatest_ns;
    size_t last = index_of(&h->layout, greatest_ns);
    if (last >= h->fresh_length)
        h->fresh = lengthen(h, h->fresh, &h->fresh_length, last, sizeof *h->fresh);
    for (size_t done = 0; done < count; done += CELL_BLOCK)
        add_block(h, values_ns + done, count - done < CELL_BLOCK ? count - done : CELL_BLOCK,
                  least_ns);
}

/* Values above the highest have one number together, which nobody adds. */
static uint32_t number(const void *store, ns_t value_ns)
{
    const struct hdr *h = store;
    return value_ns > h->layout.highest_ns ? UINT32_MAX : (uint32_t)index_of(&h->layout, value_ns);
}

static bool are_apart(const void *store, const ns_t *values_ns, size_t count, ns_t least_ns,
                      ns_t greatest_ns, const uint32_t *numbers, uint32_t apart)
{
    const struct hdr *h = store;
    const struct layout *l = &h->layout;
    return greatest_ns <= l->highest_ns && greatest_ns <= CELL_VALUE_MOST &&
           cell_kernels()->hdr_apart(values_ns, count, l->unit_bits, l->half_bits, least_ns,
                                     numbers, apart);
}

static void add_numbered(void *store, const uint32_t *numbers, const uint64_t *times, size_t count)
{
    struct hdr *h = store;
    counter_of(h, value_at(&h->layout, numbers[count - 1]));
    counter_of(h, value_at(&h->layout, numbers[0]));
    for (size_t i = 0; i < count; i++)
        h->counts[numbers[i]] += times[i];
}

/* Cell by cell, so that a run costs at most one step a cell. */
static void add_run(void *store, ns_t first_ns, ns_t step_ns, uint64_t count)
{
    struct hdr *h = store;
    while (count > 0) {
        struct stored cell = cell_of(&h->layout, first_ns);
        uint64_t inside = cell.beyond ? (first_ns - cell.low_ns - 1) / step_ns + 1
                                      : (first_ns - cell.low_ns) / step_ns + 1;
        inside = inside < count ? inside : count;
        if (cell.beyond)
            h->beyond += inside;
        else
            *counter_of(h, first_ns) += inside;
        count -= inside;
        first_ns -= count > 0 ? inside * step_ns : 0;
    }
}

static void merge(void *into, void *from)
{
    struct hdr *to = into, *other = from;
    BUG_IF(to->layout.mask != other->layout.mask ||
           to->layout.highest_ns != other->layout.highest_ns);
    settle(other);
    if (other->count_length > to->count_length)
        to->counts = lengthen(to, to->counts, &to->count_length, other->count_length - 1,
                              sizeof *to->counts);
    to->least_ns = other->least_ns < to->least_ns ? other->least_ns : to->least_ns;
    for (size_t i = 0; i < other->count_length; i++)
        to->counts[i] += other->counts[i];
    to->beyond += other->beyond;
}

static struct stored select(void *store, uint64_t rank)
{
    struct hdr *h = store;
    uint64_t up_to = 0;
    settle(h);
    for (size_t i = index_of(&h->layout, h->least_ns); i < h->count_length; i++) {
        up_to += h->counts[i];
        if (up_to >= rank)
            return cell_of(&h->layout, value_at(&h->layout, i));
    }
    BUG_IF(up_to + h->beyond < rank);
    return (struct stored){h->layout.highest_ns, h->layout.highest_ns, true};
}

static struct stored cell(const void *params, ns_t value_ns)
{
    struct layout layout = layout_of(params);
    return cell_of(&layout, value_ns);
}

static bool clamps(const void *params)
{
    const struct hdr_params *p = params;
    return p->clamp;
}

static uint64_t memory(const void *params, uint64_t n)
{
    (void)n;
    struct layout layout = layout_of(params);
    return (index_of(&layout, layout.highest_ns) + 1) * sizeof(uint64_t);
}

const struct store_type store_hdr = {
    .is = {"hdr", "HdrHistogram: cells of constant relative width", fields, FIELD_COUNT_OF(fields),
           sizeof(struct hdr_params), refuses},
    .open = open,
    .close = close,
    .add = add,
    .add_run = add_run,
    .add_times = add_times,
    .number = number,
    .are_apart = are_apart,
    .add_numbered = add_numbered,
    .merge = merge,
    .select = select,
    .cell = cell,
    .clamps = clamps,
    .memory = memory,
};
