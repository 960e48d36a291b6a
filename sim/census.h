/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_CENSUS_H
#define DUETIME_CENSUS_H

/* How many values of a replication fall where: a count for each exponent and leading ten bits of
   the mantissa that a value has as a double.  It shares nothing with any store, and is there to
   count again what a store says: exactly, up to every value that is the last of its cell.  Those of
   HdrHistogram to three digits are the last of cells here. */

#include <stdbool.h>
#include <stddef.h>

#include "sim/columns.h"

#define CENSUS_BITS 10
#define CENSUS_CELLS LEADING_CELLS(CENSUS_BITS)

/* Entries in the order of cells, each its cell and the count of that cell: cell << 48 | count.  Of
   a list that is taken the counts are of that cell and all below it. */
struct census_list {
    uint64_t *entries; /* owned */
    size_t length;
};
#define CENSUS_COUNT_BITS 48

static inline uint32_t census_cell_of(uint64_t entry)
{
    return (uint32_t)(entry >> CENSUS_COUNT_BITS);
}

static inline uint64_t census_count_of(uint64_t entry)
{
    return entry & ((UINT64_C(1) << CENSUS_COUNT_BITS) - 1);
}

#define CENSUS_LISTED 256

struct census {
    uint32_t *counts; /* owned, one a cell, as far as values have reached */
    size_t reached;
    uint64_t fresh;   /* values in counts: they fit in 32 bits */
    uint64_t sum;     /* of the numbers of their cells */
    size_t low, high; /* the cells that counts has something in: low .. high - 1 */
    size_t listed; /* and while they are few, each of them; more than CENSUS_LISTED: they are not */
    uint32_t list[CENSUS_LISTED];
    struct census_list spilled;
};

struct census *census_open(void);
void census_close(struct census *census); /* may be NULL */

/* Makes sure that so many more, at most 2^31, will not spill. */
void census_make_room(struct census *census, size_t more);

/* The cells of some values, and the sum of their numbers. */
struct census_cells {
    _Alignas(LINE_BYTES) uint32_t of[BATCH_ROWS];
    size_t count;
    uint32_t sum;
    struct span span; /* of the values */
};

/* Of values below 2^62. */
void census_find(struct census_cells *cells, const struct piece *piece);

/* Adds values whose cells were found; or one value so many times, at most 2^31. */
void census_add(struct census *census, const struct census_cells *cells);
void census_add_times(struct census *census, ns_t value_ns, size_t times);

/* What of a cell has not been spilled: changes when a value of it is added. */
static inline uint32_t census_fresh(const struct census *census, uint32_t cell)
{
    return cell < census->reached ? census->counts[cell] : 0;
}

/* Everything added since the last time, in the order of cells, each with its own count. */
const struct census_list *census_spill(struct census *census);

/* The same summed up, and empties the census.  The list is the caller's. */
struct census_list census_take(struct census *census);

static inline uint32_t census_cell(ns_t value_ns) /* value_ns <= 2^62 */
{
    return leading_cell(value_ns, CENSUS_BITS);
}

static inline ns_t census_low_ns(uint32_t cell)
{
    return leading_low_ns(cell, CENSUS_BITS);
}

/* How many values are in cells below this one. */
uint64_t census_below(const struct census_list *taken, uint32_t cell);
uint64_t census_total(const struct census_list *taken);

/* True, and *at_most is the number of values <= limit, where the list knows it exactly. */
bool census_at_most(const struct census_list *taken, ns_t limit_ns, uint64_t *at_most);

#endif
