/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/ranks/rank.h"

static struct rank_at at(struct ratio p, uint64_t n)
{
    return rank_between((i128)p.num * n, p.den, n);
}

const struct rank_type rank_type4 = {
    .is = {"type4", "Hyndman and Fan 4: linear at pn", NULL, 0, 0, NULL},
    .at = at,
};
