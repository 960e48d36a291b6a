/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/replay.h"

#include <stdlib.h>

#define LEADING_BITS 13 /* a value's cell is that of its leading bits */
#define HALF ((size_t)1 << (LEADING_BITS - 1))
#define CELLS ((62 - LEADING_BITS) * HALF + 2 * HALF)
#define BLOCK 512 /* cells: CELLS is a multiple of it */

/* A range that has been looked into. */
struct fine {
    struct replay_range range;
    uint64_t *counts; /* owned, one a place */
};

struct replayed {
    uint64_t *cells; /* owned; NULL: it counts inside ranges */
    uint32_t *first; /* owned, a cell: 1 more than the first range in it, 0: none is; NULL: it
                        counts into cells */
    uint64_t
        *blocks; /* owned, one a block of cells; NULL: not summed up since something was added */
    uint64_t total;
    ns_t min_ns, max_ns;
    struct fine *fine; /* owned, sorted by range while it counts inside them */
    size_t fine_count;
    struct replay_range *wanted; /* owned */
    size_t wanted_count;
};

static unsigned shift_of(ns_t value_ns)
{
    unsigned bits = 64 - (unsigned)__builtin_clzll(value_ns | 1);
    return bits > LEADING_BITS ? bits - LEADING_BITS : 0;
}

static size_t cell_at(ns_t value_ns)
{
    unsigned shift = shift_of(value_ns);
    return shift * HALF + (size_t)(value_ns >> shift);
}

/* The least value of a cell and log2 of its width. */
static struct replay_range range_of(size_t cell)
{
    unsigned shift = cell < 2 * HALF ? 0 : (unsigned)(cell / HALF) - 1;
    return (struct replay_range){(ns_t)(cell - shift * HALF) << shift, shift, 1};
}

static ns_t end_of(struct replay_range range)
{
    return range.low_ns + ((ns_t)range.places << range.shift);
}

static void *open(const void *params)
{
    const struct replay_params *p = params;
    struct replayed *r = must_alloc(1, sizeof *r);
    r->min_ns = UINT64_MAX;
    if (p->range_count == 0) {
        r->cells = must_alloc(CELLS, sizeof *r->cells);
        return r;
    }
    r->first = must_alloc(CELLS, sizeof *r->first);
    r->fine = must_alloc(p->range_count, sizeof *r->fine);
    r->fine_count = p->range_count;
    for (size_t i = r->fine_count; i-- > 0;) {
        struct replay_range range = p->ranges[i];
        r->fine[i] = (struct fine){range, must_alloc(range.places, sizeof(uint64_t))};
        r->first[cell_at(range.low_ns)] = (uint32_t)i + 1;
    }
    return r;
}

static void close(void *store)
{
    struct replayed *r = store;
    for (size_t i = 0; i < r->fine_count; i++)
        free(r->fine[i].counts);
    free(r->fine);
    free(r->cells);
    free(r->blocks);
    free(r->first);
    free(r->wanted);
    free(r);
}

/* Into the place of a range in that cell, if one has it. */
static void add_inside(struct replayed *r, size_t cell, ns_t value_ns, uint64_t times)
{
    for (size_t i = r->first[cell] - 1; i < r->fine_count; i++) {
        struct fine *fine = &r->fine[i];
        if (value_ns < fine->range.low_ns)
            return;
        if (value_ns < end_of(fine->range)) {
            fine->counts[(value_ns - fine->range.low_ns) >> fine->range.shift] += times;
            return;
        }
    }
}

static void note(struct replayed *r, ns_t least_ns, ns_t greatest_ns, uint64_t times)
{
    free(r->blocks);
    r->blocks = NULL;
    r->total += times;
    r->min_ns = least_ns < r->min_ns ? least_ns : r->min_ns;
    r->max_ns = greatest_ns > r->max_ns ? greatest_ns : r->max_ns;
}

static void add(void *store, const ns_t *values_ns, size_t count, ns_t least_ns, ns_t greatest_ns)
{
    struct replayed *r = store;
    if (r->cells == NULL) {
        for (size_t i = 0; i < count; i++) {
            size_t cell = cell_at(values_ns[i]);
            if (r->first[cell] != 0)
                add_inside(r, cell, values_ns[i], 1);
        }
        return;
    }
    for (size_t i = 0; i < count; i++)
        r->cells[cell_at(values_ns[i])]++;
    note(r, least_ns, greatest_ns, count);
}

static void add_times(void *store, ns_t value_ns, uint64_t times)
{
    struct replayed *r = store;
    size_t cell = cell_at(value_ns);
    if (times == 0)
        return;
    if (r->cells == NULL) {
        if (r->first[cell] != 0)
            add_inside(r, cell, value_ns, times);
        return;
    }
    r->cells[cell] += times;
    note(r, value_ns, value_ns, times);
}

/* Of first, first - step, ... those inside the range. */
static void add_run_inside(struct fine *fine, ns_t first_ns, ns_t step_ns, uint64_t count)
{
    ns_t end_ns = end_of(fine->range);
    uint64_t over = first_ns < end_ns ? 0 : (first_ns - end_ns) / step_ns + 1;
    if (over >= count || first_ns - over * step_ns < fine->range.low_ns)
        return;
    ns_t value_ns = first_ns - over * step_ns;
    uint64_t inside = (value_ns - fine->range.low_ns) / step_ns + 1;
    inside = inside < count - over ? inside : count - over;
    ns_t offset_ns = value_ns - fine->range.low_ns;
    while (inside > 0) { /* a place a step: a run may have more samples than could be looped over */
        uint64_t place = offset_ns >> fine->range.shift;
        uint64_t here = (offset_ns - (place << fine->range.shift)) / step_ns + 1;
        here = here < inside ? here : inside;
        fine->counts[place] += here;
        inside -= here;
        offset_ns -= here * step_ns;
    }
}

static void add_run(void *store, ns_t first_ns, ns_t step_ns, uint64_t count)
{
    struct replayed *r = store;
    for (size_t i = 0; r->cells == NULL && i < r->fine_count; i++)
        add_run_inside(&r->fine[i], first_ns, step_ns, count);
    if (r->cells == NULL || count == 0)
        return;
    note(r, first_ns - (count - 1) * step_ns, first_ns, count);
    while (count > 0) {
        size_t cell = cell_at(first_ns);
        uint64_t inside = (first_ns - range_of(cell).low_ns) / step_ns + 1;
        inside = inside < count ? inside : count;
        r->cells[cell] += inside;
        count -= inside;
        first_ns -= count > 0 ? inside * step_ns : 0;
    }
}

static void merge(void *into, void *from)
{
    struct replayed *to = into, *other = from;
    BUG_IF((to->cells == NULL) != (other->cells == NULL));
    for (size_t i = 0; to->cells == NULL && i < to->fine_count; i++)
        for (size_t k = 0; k < to->fine[i].range.places; k++)
            to->fine[i].counts[k] += other->fine[i].counts[k];
    for (size_t i = 0; to->cells != NULL && i < CELLS; i++)
        to->cells[i] += other->cells[i];
    if (other->total > 0)
        note(to, other->min_ns, other->max_ns, other->total);
}

static const struct fine *find_fine(const struct replayed *r, struct replay_range range)
{
    for (size_t i = 0; i < r->fine_count; i++)
        if (r->fine[i].range.low_ns == range.low_ns && end_of(r->fine[i].range) == end_of(range))
            return &r->fine[i];
    return NULL;
}

/* One place, to be split. */
static void want(struct replayed *r, struct replay_range range)
{
    unsigned width = range.shift, places = width < 16 ? width : 16;
    for (size_t i = 0; i < r->wanted_count; i++)
        if (r->wanted[i].low_ns == range.low_ns)
            return;
    r->wanted = must_grow(r->wanted, r->wanted_count + 1, sizeof *r->wanted);
    r->wanted[r->wanted_count++] =
        (struct replay_range){range.low_ns, width - places, (size_t)1 << places};
}

/* The place in which the rank falls, and what is left of the rank there. */
static size_t place_of(const uint64_t *counts, size_t length, uint64_t *rank)
{
    for (size_t i = 0; i < length; i++) {
        if (counts[i] >= *rank)
            return i;
        *rank -= counts[i];
    }
    BUG("a rank beyond the samples");
}

/* Likewise, among all cells: by blocks first. */
static size_t cell_of_rank(struct replayed *r, uint64_t *rank)
{
    if (r->blocks == NULL) {
        r->blocks = must_alloc(CELLS / BLOCK, sizeof *r->blocks);
        for (size_t i = 0; i < CELLS; i++)
            r->blocks[i / BLOCK] += r->cells[i];
    }
    size_t block = place_of(r->blocks, CELLS / BLOCK, rank);
    return block * BLOCK + place_of(r->cells + block * BLOCK, BLOCK, rank);
}

static struct stored select(void *store, uint64_t rank)
{
    struct replayed *r = store;
    if (rank == r->total)
        return (struct stored){r->max_ns, r->max_ns, false};
    if (rank == 1)
        return (struct stored){r->min_ns, r->min_ns, false};
    struct replay_range at = range_of(cell_of_rank(r, &rank));
    while (at.shift > 0) {
        const struct fine *fine = find_fine(r, at);
        if (fine == NULL) {
            want(r, at);
            break;
        }
        size_t place = place_of(fine->counts, fine->range.places, &rank);
        at = (struct replay_range){fine->range.low_ns + ((ns_t)place << fine->range.shift),
                                   fine->range.shift, 1};
    }
    return (struct stored){at.low_ns, end_of(at) - 1, false};
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

static uint64_t memory(const void *params, uint64_t n)
{
    (void)params;
    (void)n;
    return CELLS * sizeof(uint64_t);
}

static int compare(const void *a, const void *b)
{
    const struct replay_range *x = a, *y = b;
    return (x->low_ns > y->low_ns) - (x->low_ns < y->low_ns);
}

struct replay_range *replay_wanted(void *store, size_t most, size_t *count)
{
    struct replayed *r = store;
    struct replay_range *wanted = r->wanted;
    size_t places = 0, taken = 0;
    while (taken < r->wanted_count && (taken == 0 || places + wanted[taken].places <= most))
        places += wanted[taken++].places;
    if (taken > 0)
        qsort(wanted, taken, sizeof *wanted, compare);
    r->wanted = NULL;
    r->wanted_count = 0;
    *count = taken;
    return wanted;
}

void replay_refine(void *store, void *ranges)
{
    struct replayed *r = store, *from = ranges;
    r->fine = must_grow(r->fine, r->fine_count + from->fine_count, sizeof *r->fine);
    for (size_t i = 0; i < from->fine_count; i++)
        r->fine[r->fine_count++] = from->fine[i];
    from->fine_count = 0;
}

const struct store_type store_replayed = {
    .is = {"exact", "every sample, to the ns", NULL, 0, sizeof(struct replay_params), NULL},
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
