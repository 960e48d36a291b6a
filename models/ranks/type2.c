/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/ranks/rank.h"

static struct rank_at at(struct ratio p, uint64_t n)
{
    u128 pn = (u128)p.num * n;
    uint64_t below = (uint64_t)(pn / p.den);
    if (pn % p.den != 0)
        return rank_whole((u128)below + 1, n);
    if (below == 0 || below == n)
        return rank_whole(below, n);
    return (struct rank_at){below, 1, 2};
}

const struct rank_type rank_type2 = {
    .is = {"type2", "Hyndman and Fan 2: as 1, the mean of two at a jump", NULL, 0, 0, NULL},
    .at = at,
};
