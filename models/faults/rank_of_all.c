/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void at(const struct step *step, struct ratio p, uint64_t n, struct rank_at *at)
{
    if (step->requests->count > n)
        *at = rank_rule(step->asked->rank)->at(p, step->requests->count);
}

const struct fault_type fault_rank_of_all = {
    .is = {"rank-of-all", "takes ranks among all requests, those left out too", NULL, 0, 0, NULL},
    .item = "FR-29, TOOLS 2.1",
    .does = {.at = at},
};
