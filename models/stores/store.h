/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_STORE_H
#define DUETIME_STORE_H

/* Where a recorder keeps its samples.  Count, sum, min, max and shares are exact in every store
   because the recorder keeps them beside it; a store answers for order statistics only. */

#include "models/variant.h"

/* The rank-th smallest sample as a store can tell it: somewhere in [low, high]. */
struct stored {
    ns_t low_ns, high_ns;
    bool beyond; /* above the store's range: at least low_ns */
};

struct store_type {
    struct variant is;
    void *(*open)(const void *params); /* owned; never NULL */
    void (*close)(void *store);

    /* At least one value; the least and the greatest of them are given. */
    void (*add)(void *store, const ns_t *values_ns, size_t count, ns_t least_ns, ns_t greatest_ns);

    /* Adds first, first - step, ... count values of them. */
    void (*add_run)(void *store, ns_t first_ns, ns_t step_ns, uint64_t count);

    /* Adds a value so many times; NULL: such a store keeps long runs as they are. */
    void (*add_times)(void *store, ns_t value_ns, uint64_t times);

    /* A store may number its cells: whichever values of a cell are added, it is the same.  NULL,
       all three of them: it does not.  The number of a value's cell; whether those of at most
       CELL_BLOCK values are all as far, modulo 2^32, from other numbers (false: or it cannot say);
       and adds values of cells, in the order of their numbers, each so many times. */
    uint32_t (*number)(const void *store, ns_t value_ns);
    bool (*are_apart)(const void *store, const ns_t *values_ns, size_t count, ns_t least_ns,
                      ns_t greatest_ns, const uint32_t *numbers, uint32_t apart);
    void (*add_numbered)(void *store, const uint32_t *numbers, const uint64_t *times, size_t count);

    /* Adds what `from` holds; both were opened with the same params. */
    void (*merge)(void *into, void *from);

    /* 1 <= rank <= number of values added. */
    struct stored (*select)(void *store, uint64_t rank);

    /* The cell a value falls into: what select answers for it. */
    struct stored (*cell)(const void *params, ns_t value_ns);

    /* True where a cell's value is cut to the exact maximum and minimum before it is printed. */
    bool (*clamps)(const void *params);

    /* Bytes that n samples may need, for the warning before a large run. */
    uint64_t (*memory)(const void *params, uint64_t n);
};

static inline const struct store_type *store_kind(struct choice c)
{
    return (const struct store_type *)(const void *)c.type;
}

extern const struct store_type store_exact;

#endif
