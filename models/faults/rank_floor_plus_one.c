/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void asks(const struct step *step, struct asked *asked)
{
    (void)step;
    asked->rank = rank_named("floor-plus-one");
}

const struct fault_type fault_rank_floor_plus_one = {
    .is = {"rank-floor-plus-one",
           "takes floor(p n) as an index from 0, one too high where p n is whole", NULL, 0, 0,
           NULL},
    .item = "S1-11, TOOLS 3",
    .does = {.asks = asks},
};
