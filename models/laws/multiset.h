/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_MULTISET_H
#define DUETIME_MULTISET_H

/* Exact multisets of latencies, as arithmetic progressions: between two stalls latency is one, with
   backlog or without, so the cost never depends on how many requests lie between. */

#include "models/base/time.h"
#include "models/corrections/correction.h"

/* Values ceil((first + k * step) / den) for k = 0 .. count-1, each `times` over; den is the
   multiset's, so schedules whose interval is no whole number of ns stay exact. */
struct progression {
    i128 first;
    i128 step;
    uint64_t count;
    uint64_t times;
};

struct multiset {
    struct progression *items; /* owned */
    size_t count, capacity;
    uint64_t den; /* > 0 */
};

void multiset_init(struct multiset *set, uint64_t den);
void multiset_free(struct multiset *set);
void multiset_add(struct multiset *set, struct progression p); /* folds into the last if equal */
void multiset_repeat(struct multiset *set, uint64_t times);    /* every value so many times over */
void multiset_seal(struct multiset *set); /* sorts, folds equal progressions into times */

/* Queries; rule.interval 0 asks of the raw values, else of the corrected ones. */
u128 multiset_total(const struct multiset *set, struct correction_rule rule);
u128 multiset_at_most(const struct multiset *set, struct correction_rule rule, ns_t x_ns);
u128 multiset_sum(const struct multiset *set, struct correction_rule rule);
ns_t multiset_select(const struct multiset *set, struct correction_rule rule, u128 rank); /* 1.. */
ns_t multiset_min(const struct multiset *set, struct correction_rule rule);
ns_t multiset_max(const struct multiset *set);

#endif
