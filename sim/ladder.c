/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/ladder.h"

#include <stdlib.h>
#include <string.h>

/* Of a key the last bits are a cell, those before it a rest. */
#define CELL_BITS 21
#define CELLS_MOST ((size_t)1 << CELL_BITS)
#define CELL_MASK ((UINT64_C(1) << CELL_BITS) - 1)

#define PENDING_LEAST ((size_t)1 << 14)
#define PENDING_MOST ((size_t)1 << 19)

/* An index into the cells: for each power of two, and 2^STEP_BITS steps in it, where to look. */
#define STEP_BITS 10
#define STEP_COUNT ((64 << STEP_BITS) + 2)

#define DIGIT_BITS 11
#define DIGITS ((size_t)1 << DIGIT_BITS)

struct ladder {
    cell_function *cell;
    const void *params;
    struct correction_rule rule;

    size_t length;         /* cells, in order; units are counted from the lowest */
    uint64_t *ends;        /* the first unit above the cell; UINT64_MAX: none is */
    uint64_t *by_within;   /* keys of the cells, sorted: how far the end is into its level */
    uint64_t *stopped;     /* runs whose last whole level ends in this cell */
    uint64_t *stopped_sum; /* and how long they are together */
    uint64_t *within;      /* runs that go on, and have one more sample below the end than levels */
    uint32_t *tree;        /* of length + 1, zeros between flushes */
    uint32_t steps[STEP_COUNT];

    uint64_t *pending, *scratch; /* keys of runs: rest and cell */
    size_t pending_count, pending_most;
};

struct ladder *ladder_open(cell_function *cell, const void *params, struct correction_rule rule)
{
    struct ladder *l = must_alloc(1, sizeof *l);
    *l = (struct ladder){.cell = cell, .params = params, .rule = rule};
    return l;
}

void ladder_close(struct ladder *l)
{
    if (l == NULL)
        return;
    free(l->ends);
    free(l->by_within);
    free(l->stopped);
    free(l->stopped_sum);
    free(l->within);
    free(l->tree);
    free(l->pending);
    free(l->scratch);
    free(l);
}

/* Least significant digit first, by the bits from `from` to those of which `all` has some. */
static void sort_keys(uint64_t *keys, uint64_t *scratch, size_t count, unsigned from, uint64_t all)
{
    uint64_t *source = keys, *target = scratch;
    for (unsigned shift = from; shift < 64 && all >> shift != 0; shift += DIGIT_BITS) {
        uint32_t start[DIGITS + 1] = {0};
        for (size_t i = 0; i < count; i++)
            start[((source[i] >> shift) & (DIGITS - 1)) + 1]++;
        for (size_t d = 0; d < DIGITS; d++)
            start[d + 1] += start[d];
        for (size_t i = 0; i < count; i++)
            target[start[(source[i] >> shift) & (DIGITS - 1)]++] = source[i];
        uint64_t *swap = source;
        source = target;
        target = swap;
    }
    if (source != keys)
        memcpy(keys, source, count * sizeof *keys);
}

/* Never falls as the unit grows. */
static size_t step_of(uint64_t unit)
{
    unsigned bits = unit == 0 ? 0 : 64 - (unsigned)__builtin_clzll(unit);
    unsigned shift = bits > STEP_BITS + 1 ? bits - STEP_BITS - 1 : 0;
    return ((size_t)shift << STEP_BITS) + (size_t)(unit >> shift);
}

/* The cell of a unit that the ladder reaches: how many cells end at or before it. */
static size_t cell_of(const struct ladder *l, uint64_t unit)
{
    size_t step = step_of(unit), low = l->steps[step], left = l->steps[step + 1] - low;
    while (left > 0) {
        size_t half = left / 2;
        bool further = l->ends[low + half] <= unit;
        low = further ? low + half + 1 : low;
        left = further ? left - half - 1 : half;
    }
    return low;
}

/* Steps begin with the cell of their first unit.  A step has no unit before that of the next. */
static void index_cells(struct ladder *l)
{
    size_t step = 0;
    for (size_t i = 0; i < l->length; i++) {
        size_t last = l->ends[i] == UINT64_MAX ? STEP_COUNT - 1 : step_of(l->ends[i] - 1);
        for (; step <= last && step < STEP_COUNT; step++)
            l->steps[step] = (uint32_t)i;
    }
    for (; step < STEP_COUNT; step++)
        l->steps[step] = (uint32_t)l->length;
}

static uint64_t *grown(uint64_t *old, size_t had, size_t wanted)
{
    uint64_t *all = must_grow(old, wanted, sizeof *all);
    memset(all + had, 0, (wanted - had) * sizeof *all);
    return all;
}

static void prepare(struct ladder *l, size_t had)
{
    l->stopped = grown(l->stopped, had, l->length);
    l->stopped_sum = grown(l->stopped_sum, had, l->length);
    l->within = grown(l->within, had, l->length);
    free(l->tree);
    l->tree = must_alloc(l->length + 1, sizeof *l->tree);
    free(l->by_within);
    l->by_within = must_alloc(l->length, sizeof *l->by_within);
    uint64_t all = 0;
    for (size_t i = 0; i < l->length; i++)
        all |= l->by_within[i] = l->ends[i] % l->rule.interval << CELL_BITS | i;
    uint64_t *scratch = must_alloc(l->length, sizeof *scratch);
    sort_keys(l->by_within, scratch, l->length, CELL_BITS, all);
    free(scratch);
    index_cells(l);
    size_t wanted = 2 * l->length < PENDING_MOST ? 2 * l->length : PENDING_MOST;
    wanted = wanted > PENDING_LEAST ? wanted : PENDING_LEAST;
    if (wanted <= l->pending_most)
        return;
    l->pending_most = wanted;
    l->pending = must_grow(l->pending, wanted, sizeof *l->pending);
    l->scratch = must_grow(l->scratch, wanted, sizeof *l->scratch);
}

static uint64_t reach(const struct ladder *l)
{
    return l->length > 0 ? l->ends[l->length - 1] : 0;
}

/* In ns, of a unit counted from the lowest. */
static ns_t value_of(const struct ladder *l, uint64_t unit)
{
    return (l->rule.lowest + unit) * l->rule.unit_ns;
}

/* The first unit above a value's cell.  The last cell may be cut off by the end of the range. */
static uint64_t next_unit(const struct ladder *l, ns_t value_ns)
{
    struct stored cell = l->cell(l->params, value_ns);
    if (cell.beyond)
        return UINT64_MAX;
    struct stored last = l->cell(l->params, cell.high_ns);
    ns_t high_ns = last.beyond ? last.low_ns : cell.high_ns;
    return high_ns / l->rule.unit_ns + 1 - l->rule.lowest;
}

/* Cells that no sample can fall into, as units are whole, are left out. */
bool ladder_reaches(struct ladder *l, ns_t most_ns, size_t cells_most)
{
    uint64_t last = most_ns / l->rule.unit_ns;
    last = last > l->rule.lowest ? last - l->rule.lowest : 0;
    if (last < reach(l))
        return true;
    cells_most = cells_most < CELLS_MOST ? cells_most : CELLS_MOST;
    if (cells_most <= l->length)
        return false;
    size_t had = l->length, length = had, room = 2 * had + 1024;
    uint64_t *ends = must_alloc(room, sizeof *ends), next = reach(l);
    for (; next <= 2 * last && length < cells_most; length++) {
        next = next_unit(l, value_of(l, next));
        if (length == room) {
            room *= 2;
            ends = must_grow(ends, room, sizeof *ends);
        }
        ends[length] = next;
    }
    if (next > last) {
        if (had > 0)
            memcpy(ends, l->ends, had * sizeof *ends);
        free(l->ends);
        l->ends = ends;
        l->length = length;
        prepare(l, had);
        return true;
    }
    free(ends);
    return false;
}

static void tree_add(uint32_t *tree, size_t length, size_t cell)
{
    for (size_t i = cell + 1; i <= length; i += i & -i)
        tree[i]++;
}

/* How many are in this cell and those below it. */
static uint32_t tree_up_to(const uint32_t *tree, size_t cell)
{
    uint32_t sum = 0;
    for (size_t i = cell + 1; i > 0; i &= i - 1)
        sum += tree[i];
    return sum;
}

static void flush(struct ladder *l)
{
    if (l->pending_count == 0)
        return;
    size_t passed = 0, count = l->pending_count;
    sort_keys(l->pending, l->scratch, count, CELL_BITS, l->rule.interval << CELL_BITS);
    for (size_t i = 0; i < l->length; i++) {
        uint64_t end = l->by_within[i] & ~CELL_MASK;
        for (; passed < count && l->pending[passed] < end; passed++)
            tree_add(l->tree, l->length, l->pending[passed] & CELL_MASK);
        size_t cell = l->by_within[i] & CELL_MASK;
        l->within[cell] += passed - tree_up_to(l->tree, cell);
    }
    memset(l->tree, 0, (l->length + 1) * sizeof *l->tree);
    l->pending_count = 0;
}

void ladder_add(struct ladder *l, uint64_t times, uint64_t rest)
{
    size_t cell = cell_of(l, times * l->rule.interval - 1);
    l->stopped[cell]++;
    l->stopped_sum[cell] += times;
    l->pending[l->pending_count++] = rest << CELL_BITS | cell;
    if (l->pending_count == l->pending_most)
        flush(l);
}

void ladder_empty(struct ladder *l, void (*put)(void *self, ns_t value_ns, uint64_t times),
                  void *self)
{
    flush(l);
    uint64_t going_on = 0, stopped_sum = 0, below = 0, first = 0;
    for (size_t i = 0; i < l->length; i++)
        going_on += l->stopped[i];
    for (size_t i = 0; i < l->length; i++) {
        going_on -= l->stopped[i];
        stopped_sum += l->stopped_sum[i];
        uint64_t now = stopped_sum + l->ends[i] / l->rule.interval * going_on + l->within[i];
        if (now > below)
            put(self, value_of(l, first), now - below);
        below = now;
        first = l->ends[i];
        l->stopped[i] = l->stopped_sum[i] = l->within[i] = 0;
    }
}
