/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void at(const struct step *step, struct ratio p, uint64_t n, struct rank_at *at)
{
    (void)step;
    (void)p;
    (void)n;
    at->rank -= at->rank > 1;
}

const struct fault_type fault_rank_low = {
    .is = {"rank-low", "takes the sample one rank too low", NULL, 0, 0, NULL},
    .item = "FR-13, S2-11",
    .does = {.at = at},
};
