/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/ladder.h"

#include <stdlib.h>
#include <string.h>

/* Of a key the last bits are a cell, those before it a rest. */
#define CELL_BITS 21
#define CELLS_MOST ((size_t)1 << CELL_BITS)
#define CELL_MASK ((UINT64_C(1) << CELL_BITS) - 1)

/* Runs that are counted together: some for each cell, as each cell then costs more than a run. */
#define PENDING_LEAST ((size_t)1 << 14)
#define PENDING_MOST ((size_t)1 << 19)
#define PENDING_A_CELL 8

/* An index into the cells: for each power of two, and 2^STEP_BITS steps in it, where to look. */
#define STEP_BITS 10
#define STEP_COUNT ((64 << STEP_BITS) + 2)

#define DIGIT_BITS 11
#define DIGITS ((size_t)1 << DIGIT_BITS)

/* Cells are counted by themselves, in groups, and in groups of groups. */
#define GROUP_BITS 5
#define GROUP ((size_t)1 << GROUP_BITS)

struct stopped {
    uint64_t runs, samples; /* and how long they are together */
};

struct ladder {
    cell_function *cell;
    const void *params;
    struct correction_rule rule;

    size_t length;           /* cells, in order; units are counted from the lowest */
    uint64_t *ends;          /* the first unit above the cell; UINT64_MAX: none is */
    uint64_t *by_within;     /* keys of the cells, sorted: how far the end is into its level */
    struct stopped *stopped; /* runs whose last whole level ends in this cell */
    uint64_t *within; /* runs that go on, and have one more sample below the end than levels */
    uint32_t *passed, *passed_groups, *passed_far; /* zeros between flushes */
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
    free(l->within);
    free(l->passed);
    free(l->passed_groups);
    free(l->passed_far);
    free(l->pending);
    free(l->scratch);
    free(l);
}

/* Least significant digit first, by the bits from `from` to those of which `all` has some, in
   digits as short as that allows. */
static void sort_keys(uint64_t *keys, uint64_t *scratch, size_t count, unsigned from, uint64_t all)
{
    uint64_t *source = keys, *target = scratch;
    unsigned bits =
        all >> from == 0 ? 0 : 64 - from - (unsigned)__builtin_clzll(all >> from << from);
    unsigned passes = (bits + DIGIT_BITS - 1) / DIGIT_BITS;
    for (unsigned pass = 0, shift = from, digit; pass < passes; pass++, shift += digit) {
        uint32_t start[DIGITS + 1] = {0};
        digit = (from + bits - shift + passes - pass - 1) / (passes - pass);
        uint64_t mask = (UINT64_C(1) << digit) - 1;
        for (size_t i = 0; i < count; i++)
            start[((source[i] >> shift) & mask) + 1]++;
        for (size_t d = 0; d < mask; d++)
            start[d + 1] += start[d];
        for (size_t i = 0; i < count; i++)
            target[start[(source[i] >> shift) & mask]++] = source[i];
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

/* The cell of a unit that the ladder reaches: how many cells end at or before it.  Most steps hold
   one cell, or the end of one: the last comparison is without a branch. */
static inline size_t cell_of(const struct ladder *l, uint64_t unit)
{
    size_t step = step_of(l->rule.lowest + unit), low = l->steps[step];
    size_t left = l->steps[step + 1] - low;
    while (left > 1) {
        size_t half = left / 2;
        bool further = l->ends[low + half] <= unit;
        low = further ? low + half + 1 : low;
        left = further ? left - half - 1 : half;
    }
    return low + (left & (l->ends[low] <= unit));
}

/* Steps, which are of whole values, begin with the cell of their first unit.  A step has no unit
   before that of the next. */
static void index_cells(struct ladder *l)
{
    size_t step = 0;
    for (size_t i = 0; i < l->length; i++) {
        size_t last =
            l->ends[i] == UINT64_MAX ? STEP_COUNT - 1 : step_of(l->rule.lowest + l->ends[i] - 1);
        for (; step <= last && step < STEP_COUNT; step++)
            l->steps[step] = (uint32_t)i;
    }
    for (; step < STEP_COUNT; step++)
        l->steps[step] = (uint32_t)l->length;
}

static void *grown(void *old, size_t had, size_t wanted, size_t size)
{
    char *all = must_grow(old, wanted, size);
    memset(all + had * size, 0, (wanted - had) * size);
    return all;
}

static uint32_t *zeros(uint32_t *old, size_t count)
{
    free(old);
    return must_alloc(count, sizeof *old);
}

static void prepare(struct ladder *l, size_t had)
{
    size_t groups = (l->length >> GROUP_BITS) + 1, far = (groups >> GROUP_BITS) + 1;
    l->stopped = grown(l->stopped, had, l->length, sizeof *l->stopped);
    l->within = grown(l->within, had, l->length, sizeof *l->within);
    l->passed_far = zeros(l->passed_far, far);
    l->passed_groups = zeros(l->passed_groups, far << GROUP_BITS);
    l->passed = zeros(l->passed, far << 2 * GROUP_BITS);
    free(l->by_within);
    l->by_within = must_alloc(l->length, sizeof *l->by_within);
    uint64_t all = 0;
    for (size_t i = 0; i < l->length; i++)
        all |= l->by_within[i] = l->ends[i] % l->rule.interval << CELL_BITS | i;
    uint64_t *scratch = must_alloc(l->length, sizeof *scratch);
    sort_keys(l->by_within, scratch, l->length, CELL_BITS, all);
    free(scratch);
    index_cells(l);
    size_t wanted = PENDING_A_CELL * l->length;
    wanted = wanted < PENDING_MOST ? wanted : PENDING_MOST;
    wanted = wanted > PENDING_LEAST ? wanted : PENDING_LEAST;
    if (wanted <= l->pending_most)
        return;
    l->pending_most = wanted;
    l->pending = must_grow(l->pending, wanted + 1, sizeof *l->pending); /* a run of nothing */
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

/* The first so many of a group; all are looked at, which needs no branch. */
static inline uint32_t first_of_group(const uint32_t *group, uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < GROUP; i++)
        sum += group[i] & (0u - (i < count));
    return sum;
}

/* How many passed in this cell and those below it. */
static uint32_t passed_up_to(const struct ladder *l, size_t cell)
{
    size_t next = cell + 1, group = next >> GROUP_BITS, far = group >> GROUP_BITS;
    uint32_t sum = first_of_group(l->passed + (group << GROUP_BITS), next & (GROUP - 1)) +
                   first_of_group(l->passed_groups + (far << GROUP_BITS), group & (GROUP - 1));
    for (size_t i = 0; i < far; i++)
        sum += l->passed_far[i];
    return sum;
}

static void flush(struct ladder *l)
{
    size_t passed = 0, count = l->pending_count, groups = (l->length >> GROUP_BITS) + 1;
    if (count == 0)
        return;
    sort_keys(l->pending, l->scratch, count, CELL_BITS, (l->rule.interval - 1) << CELL_BITS);
    for (size_t i = 0; i < l->length; i++) {
        uint64_t end = l->by_within[i] & ~CELL_MASK;
        for (; passed < count && l->pending[passed] < end; passed++) {
            size_t cell = l->pending[passed] & CELL_MASK;
            l->passed[cell]++;
            l->passed_groups[cell >> GROUP_BITS]++;
            l->passed_far[cell >> 2 * GROUP_BITS]++;
        }
        size_t cell = l->by_within[i] & CELL_MASK;
        l->within[cell] += passed - passed_up_to(l, cell);
    }
    memset(l->passed, 0, l->length * sizeof *l->passed);
    memset(l->passed_groups, 0, groups * sizeof *l->passed_groups);
    memset(l->passed_far, 0, ((groups >> GROUP_BITS) + 1) * sizeof *l->passed_far);
    l->pending_count = 0;
}

void ladder_add(struct ladder *l, const uint64_t *times, const uint64_t *rests, size_t count)
{
    if (l->pending_count + count > l->pending_most)
        flush(l);
    uint64_t *pending = l->pending + l->pending_count;
    for (size_t i = 0; i < count; i++) {
        bool any = times[i] > 0;
        size_t cell = cell_of(l, times[i] * l->rule.interval - any);
        l->stopped[cell].runs += any;
        l->stopped[cell].samples += times[i];
        *pending = rests[i] << CELL_BITS | cell;
        pending += any;
    }
    l->pending_count = (size_t)(pending - l->pending);
}

void ladder_empty(struct ladder *l, void (*put)(void *self, ns_t value_ns, uint64_t times),
                  void *self)
{
    flush(l);
    uint64_t going_on = 0, stopped_sum = 0, below = 0, first = 0;
    for (size_t i = 0; i < l->length; i++)
        going_on += l->stopped[i].runs;
    for (size_t i = 0; i < l->length; i++) {
        going_on -= l->stopped[i].runs;
        stopped_sum += l->stopped[i].samples;
        uint64_t now = stopped_sum + l->ends[i] / l->rule.interval * going_on + l->within[i];
        if (now > below)
            put(self, value_of(l, first), now - below);
        below = now;
        first = l->ends[i];
        l->stopped[i] = (struct stopped){0, 0};
        l->within[i] = 0;
    }
}
