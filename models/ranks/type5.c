/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/ranks/rank.h"

static struct rank_at at(struct ratio p, uint64_t n)
{
    return rank_between((i128)p.num * n * 2 + p.den, (i128)p.den * 2, n);
}

const struct rank_type rank_type5 = {
    .is = {"type5", "Hyndman and Fan 5: linear at pn + 1/2", NULL, 0, 0, NULL},
    .at = at,
};
