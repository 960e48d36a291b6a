/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/census.h"

#include <stdlib.h>
#include <string.h>

#include "models/base/error.h"

struct census *census_open(void)
{
    struct census *census = must_alloc(1, sizeof *census);
    census->low = CENSUS_CELLS;
    return census;
}

void census_close(struct census *census)
{
    if (census == NULL)
        return;
    free(census->counts);
    free(census->spilled.entries);
    free(census);
}

static uint64_t entry(uint32_t cell, uint64_t count)
{
    BUG_IF(count >> CENSUS_COUNT_BITS != 0);
    return (uint64_t)cell << CENSUS_COUNT_BITS | count;
}

/* A list of the two together; both are used up. */
static struct census_list merge(struct census_list a, struct census_list b)
{
    struct census_list all = {must_alloc(a.length + b.length, sizeof *all.entries), 0};
    for (size_t i = 0, j = 0; i < a.length || j < b.length;) {
        uint32_t of_a = i < a.length ? census_cell_of(a.entries[i]) : UINT32_MAX;
        uint32_t of_b = j < b.length ? census_cell_of(b.entries[j]) : UINT32_MAX;
        uint64_t count = 0;
        if (of_a <= of_b)
            count += census_count_of(a.entries[i++]);
        if (of_b <= of_a)
            count += census_count_of(b.entries[j++]);
        all.entries[all.length++] = entry(of_a < of_b ? of_a : of_b, count);
    }
    free(a.entries);
    free(b.entries);
    return all;
}

static int compare(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* What is moved from the table into a list, which has room for one more. */
struct moving {
    struct census_list list;
    uint64_t count, sum; /* of the numbers of cells */
};

/* The count of a cell, if there is one, without a branch. */
static inline void move(uint32_t *counts, uint32_t cell, struct moving *moving)
{
    uint32_t count = counts[cell];
    counts[cell] = 0;
    moving->list.entries[moving->list.length] = entry(cell, count);
    moving->list.length += count != 0;
    moving->count += count;
    moving->sum += (uint64_t)cell * count;
}

static struct moving move_listed(struct census *census)
{
    struct moving m = {{must_grow(NULL, census->listed + 1, sizeof(uint64_t)), 0}, 0, 0};
    qsort(census->list, census->listed, sizeof *census->list, compare);
    for (size_t i = 0; i < census->listed; i++)
        move(census->counts, census->list[i], &m);
    return m;
}

static struct moving move_all(struct census *census)
{
    size_t length = 0;
    for (size_t c = census->low; c < census->high; c++)
        length += census->counts[c] != 0;
    struct moving m = {{must_grow(NULL, length + 1, sizeof(uint64_t)), 0}, 0, 0};
    for (size_t c = census->low; c < census->high; c++)
        move(census->counts, (uint32_t)c, &m);
    return m;
}

/* Brings what is in the table into the list.  That it is all that was added, and in which cells on
   the average, is known beside the table. */
static void spill(struct census *census)
{
    if (census->fresh == 0)
        return;
    struct moving m = census->listed <= CENSUS_LISTED ? move_listed(census) : move_all(census);
    BUG_IF(census->fresh != m.count || census->sum != m.sum);
    census->fresh = census->sum = 0;
    census->listed = 0;
    census->low = CENSUS_CELLS;
    census->high = 0;
    census->spilled = census->spilled.length > 0 ? merge(census->spilled, m.list) : m.list;
}

void census_make_room(struct census *census, size_t more)
{
    if (census->fresh + more > UINT32_MAX)
        spill(census);
}

#define REACHED_STEP ((size_t)4 << CENSUS_BITS)

/* Cells from the first on, by steps of a few powers of two: those of a short run are few. */
static void lengthen(struct census *census, size_t wanted)
{
    size_t length = (wanted + REACHED_STEP - 1) / REACHED_STEP * REACHED_STEP;
    size_t had = census->reached;
    census->counts = must_grow(census->counts, length, sizeof *census->counts);
    memset(census->counts + had, 0, (length - had) * sizeof *census->counts);
    census->reached = length;
}

/* Room for so many more, and the cells between which they will be. */
static void reach(struct census *census, size_t more, ns_t least_ns, ns_t greatest_ns)
{
    BUG_IF(least_ns >= NS_LIMIT || greatest_ns >= NS_LIMIT);
    census_make_room(census, more);
    size_t low = census_cell(least_ns), high = census_cell(greatest_ns) + 1;
    census->fresh += more;
    census->low = low < census->low ? low : census->low;
    census->high = high > census->high ? high : census->high;
    if (census->high > census->reached)
        lengthen(census, census->high);
}

/* Notes the cells, unless they are too many. */
static void list_cells(struct census *census, const uint32_t *cells, size_t count)
{
    if (census->listed + count <= CENSUS_LISTED)
        memcpy(census->list + census->listed, cells, count * sizeof *cells);
    census->listed += census->listed <= CENSUS_LISTED ? count : 0;
}

void census_find(struct census_cells *cells, const struct piece *piece)
{
    cells->count = piece->count;
    cells->span = piece->span;
    if (piece->span.greatest_ns < LEADING_BELOW) {
        cells->sum = row_kernels()->leading(piece->values_ns, piece->count, CENSUS_BITS,
                                            piece->span.least_ns, cells->of);
        return;
    }
    cells->sum = 0;
    for (size_t i = 0; i < piece->count; i++)
        cells->sum += cells->of[i] = census_cell(piece->values_ns[i]);
}

void census_add(struct census *census, const struct census_cells *cells)
{
    reach(census, cells->count, cells->span.least_ns, cells->span.greatest_ns);
    list_cells(census, cells->of, cells->count);
    census->sum += cells->sum;
    uint32_t *counts = census->counts;
#pragma GCC unroll 8
    for (size_t i = 0; i < cells->count; i++)
        counts[cells->of[i]]++;
}

void census_add_times(struct census *census, ns_t value_ns, size_t times)
{
    if (times == 0)
        return;
    uint32_t cell = census_cell(value_ns);
    reach(census, times, value_ns, value_ns);
    list_cells(census, &cell, 1);
    census->sum += (uint64_t)cell * times;
    census->counts[cell] += (uint32_t)times;
}

const struct census_list *census_spill(struct census *census)
{
    spill(census);
    return &census->spilled;
}

struct census_list census_take(struct census *census)
{
    spill(census);
    struct census_list list = census->spilled;
    census->spilled = (struct census_list){NULL, 0};
    uint64_t up_to = 0;
    for (size_t i = 0; i < list.length; i++) {
        up_to += census_count_of(list.entries[i]);
        list.entries[i] = entry(census_cell_of(list.entries[i]), up_to);
    }
    return list;
}

/* The first entry whose cell is not below this one. */
static size_t find(const struct census_list *taken, uint32_t cell)
{
    size_t low = 0, high = taken->length;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (census_cell_of(taken->entries[middle]) < cell)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t census_below(const struct census_list *taken, uint32_t cell)
{
    size_t at = find(taken, cell);
    return at > 0 ? census_count_of(taken->entries[at - 1]) : 0;
}

uint64_t census_total(const struct census_list *taken)
{
    return census_below(taken, CENSUS_CELLS);
}

bool census_at_most(const struct census_list *taken, ns_t limit_ns, uint64_t *at_most)
{
    if (limit_ns >= NS_LIMIT) {
        *at_most = census_total(taken);
        return true;
    }
    uint32_t next = census_cell(limit_ns + 1); /* of the first value that is too large */
    size_t at = find(taken, next);
    *at_most = at > 0 ? census_count_of(taken->entries[at - 1]) : 0;
    bool holds_some = at < taken->length && census_cell_of(taken->entries[at]) == next;
    return !holds_some || census_low_ns(next) == limit_ns + 1;
}
