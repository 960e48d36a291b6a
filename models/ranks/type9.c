/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/ranks/rank.h"

static struct rank_at at(struct ratio p, uint64_t n)
{
    return rank_between((i128)p.num * ((i128)n * 4 + 1) * 2 + (i128)p.den * 3, (i128)p.den * 8, n);
}

const struct rank_type rank_type9 = {
    .is = {"type9", "Hyndman and Fan 9: linear at p(n + 1/4) + 3/8", NULL, 0, 0, NULL},
    .at = at,
};
