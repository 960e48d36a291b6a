/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/ranks/rank.h"

static struct rank_at at(struct ratio p, uint64_t n)
{
    return rank_whole(((u128)p.num * n * 2 + p.den) / ((u128)p.den * 2), n);
}

const struct rank_type rank_hdr = {
    .is = {"hdr", "the floor(pn + 1/2)-th smallest (HdrHistogram C, Go, Python)", NULL, 0, 0, NULL},
    .at = at,
};
