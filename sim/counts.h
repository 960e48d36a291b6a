/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_COUNTS_H
#define DUETIME_COUNTS_H

/* How often each value was seen in each of many groups: a table of what there is, however few or
   many of either, since a histogram with room for every cell would be too large for a thousand
   clients. */

#include "models/base/error.h"
#include "models/base/time.h"

struct count_entry {
    ns_t value_ns;
    uint64_t count; /* 0: a free place */
    uint32_t group;
};

/* first, first - step, ...: so many values, each of them so often.  A million samples of a
   correction cost one. */
struct count_run {
    ns_t first_ns, step_ns;
    uint64_t values, times;
    uint32_t group;
};

/* Shorter runs are better added value by value. */
#define COUNT_RUN_LEAST 64

/* All zero is an empty table. */
struct counts {
    struct count_entry *entries; /* owned */
    size_t used, capacity;
    struct count_run *runs; /* owned */
    size_t run_count, run_capacity;
};

void counts_free(struct counts *counts);

/* group < 2^32 - 1. */
void counts_add(struct counts *counts, uint32_t group, ns_t value_ns, uint64_t count);
void counts_add_run(struct counts *counts, struct count_run run);

/* How many entries and runs it holds. */
size_t counts_size(const struct counts *counts);

/* False, and not all of it merged, where more than `most` entries and runs would be there. */
bool counts_merge(struct counts *into, const struct counts *from, size_t most);

/* The entries by group, then by value; by_group false: by value alone, those of all groups
   together.  An owned array of *length. */
struct count_entry *counts_sorted(const struct counts *counts, bool by_group, size_t *length);

/* Brings the runs into the order of their groups, the same ones together. */
void counts_join(struct counts *counts);

/* Sorted entries and runs: of one group, or of all. */
struct counted {
    const struct count_entry *entries;
    size_t length;
    const struct count_run *runs;
    size_t run_count;
};

/* The rank-th smallest value; 1 <= rank <= the number of values. */
ns_t counts_select(struct counted sorted, uint64_t rank);

#endif
