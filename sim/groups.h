/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_GROUPS_H
#define DUETIME_GROUPS_H

/* A recorder's samples apart by window of due instants, by client or by replica: each group has a
   histogram of its own, with the cells of the recorder's store. */

#include "models/base/batch.h"
#include "models/corrections/correction.h"
#include "models/plan.h"
#include "models/stores/store.h"
#include "sim/counts.h"

#define GROUP_WINDOWS_MOST 4096
#define GROUP_CLIENTS_MOST 100000
#define GROUP_CELLS_MOST ((size_t)1 << 26) /* of all groups, and runs: some 3 GB */

/* Exact, whatever the store's cells. */
struct group_tally {
    uint64_t samples;     /* infinite ones apart */
    uint64_t infinite;    /* failures that count as infinite */
    ns_t censored_min_ns; /* the least that is only known from below; UINT64_MAX: none is */
    ns_t min_ns, max_ns;
};

struct groups {
    const struct recorder_plan *plan;
    struct correction_rule rule; /* of the runs */
    size_t settle_at;            /* so many runs are too many to keep */
    struct group_tally *tallies; /* by group; those without samples among them */
    size_t tally_count, tally_capacity;
    struct counts counts; /* by group and cell: a value that falls into it */
    bool too_many;        /* some request belongs to a group beyond the most there may be */
    bool too_large;       /* more than GROUP_CELLS_MOST cells and runs: none is kept any more */
};

void groups_open(struct groups *groups, const struct recorder_plan *plan,
                 struct correction_rule rule);
void groups_close(struct groups *groups);

/* How many groups a recorder may have. */
size_t groups_most(enum per per);

/* The group of a row; SIZE_MAX, and too_many, where it is beyond the most. */
size_t groups_of(struct groups *groups, const struct batch *batch, size_t row);

void groups_add(struct groups *groups, size_t group, ns_t value_ns, bool certain);
void groups_add_infinite(struct groups *groups, size_t group);

/* All that the rule adds below a value, certain all of it. */
void groups_add_run(struct groups *groups, size_t group, ns_t value_ns);

void groups_merge(struct groups *into, const struct groups *from);

/* The cell that a counted value stands for. */
struct stored groups_cell(const struct groups *groups, ns_t counted_ns);

/* Why the groups are not whole; NULL: they are. */
const char *groups_fault(const struct groups *groups);

/* "1s to 2s", "client 3", "replica 0"; owned by the caller. */
char *groups_label(const struct recorder_plan *plan, size_t group);

#endif
