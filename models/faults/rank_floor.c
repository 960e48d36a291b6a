/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void at(const struct step *step, struct ratio p, uint64_t n, struct rank_at *at)
{
    (void)step;
    *at = rank_whole((u128)p.num * n / p.den, n);
}

const struct fault_type fault_rank_floor = {
    .is = {"rank-floor", "rounds the rank down", NULL, 0, 0, NULL},
    .item = "FR-13",
    .does = {.at = at},
};
