/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/ranks/rank.h"

static struct rank_at at(struct ratio p, uint64_t n)
{
    return rank_whole(((u128)p.num * n + p.den - 1) / p.den, n);
}

const struct rank_type rank_type1 = {
    .is = {"type1", "Hyndman and Fan 1: the ceil(pn)-th smallest", NULL, 0, 0, NULL},
    .at = at,
};
