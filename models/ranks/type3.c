/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/ranks/rank.h"

static struct rank_at at(struct ratio p, uint64_t n)
{
    u128 twice = (u128)p.num * n * 2; /* 2 pn, in units of 1/den */
    u128 two = (u128)p.den * 2;
    u128 rank = (twice + p.den) / two; /* floor(pn + 1/2) */
    if ((twice + p.den) % two == 0 && rank % 2 == 1)
        rank--;
    return rank_whole(rank, n);
}

const struct rank_type rank_type3 = {
    .is = {"type3", "Hyndman and Fan 3: the rank nearest to pn, ties to even", NULL, 0, 0, NULL},
    .at = at,
};
