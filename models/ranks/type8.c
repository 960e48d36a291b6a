/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/ranks/rank.h"

static struct rank_at at(struct ratio p, uint64_t n)
{
    return rank_between((i128)p.num * ((i128)n * 3 + 1) + p.den, (i128)p.den * 3, n);
}

const struct rank_type rank_type8 = {
    .is = {"type8", "Hyndman and Fan 8: linear at p(n + 1/3) + 1/3", NULL, 0, 0, NULL},
    .at = at,
};
