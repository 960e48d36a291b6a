/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void at(const struct step *step, struct ratio p, uint64_t n, struct rank_at *at)
{
    (void)step;
    (void)p;
    (void)n;
    at->rank++;
}

const struct fault_type fault_rank_high = {
    .is = {"rank-high", "takes the sample one rank too high", NULL, 0, 0, NULL},
    .item = "S2-11, FR-09",
    .does = {.at = at},
};
