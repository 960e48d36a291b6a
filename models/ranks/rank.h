/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_RANK_H
#define DUETIME_RANK_H

/* Which order statistic a percentile is.  Integer arithmetic on the exact decimal p: no rule here
   ever sees a double. */

#include "models/variant.h"

/* x[rank] + num/den * (x[rank+1] - x[rank]), 1 <= rank <= n, 0 <= num < den; num = 0 at rank n. */
struct rank_at {
    uint64_t rank;
    uint64_t num, den;
};

struct rank_type {
    struct variant is;
    struct rank_at (*at)(struct ratio p, uint64_t n); /* p in [0, 1], n >= 1 */
};

static inline const struct rank_type *rank_rule(struct choice c)
{
    return (const struct rank_type *)(const void *)c.type;
}

/* Helpers of the rules. */
struct rank_at rank_whole(u128 rank, uint64_t n); /* clamped to 1..n */
struct rank_at rank_between(i128 num, i128 den,
                            uint64_t n); /* position num/den, clamped to [1, n] */

/* x[rank] moved towards x[rank+1], rounded half to even to thousandths of a ns. */
struct quantity rank_interpolate(struct rank_at at, ns_t lower_ns, ns_t upper_ns);

extern const struct rank_type rank_nearest;

#endif
