/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/ranks/rank.h"

static struct rank_at at(struct ratio p, uint64_t n)
{
    return rank_between((i128)p.num * ((i128)n - 1) + p.den, p.den, n);
}

const struct rank_type rank_type7 = {
    .is = {"type7", "Hyndman and Fan 7: linear at p(n - 1) + 1 (numpy)", NULL, 0, 0, NULL},
    .at = at,
};
