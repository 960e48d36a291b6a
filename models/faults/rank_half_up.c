/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

enum { HALF_UP, HALF_TO_EVEN };

static void asks(const struct step *step, struct asked *asked)
{
    asked->rank = rank_named(step->parameter == HALF_UP ? "hdr" : "type3");
}

static char *tells(uint64_t parameter)
{
    return must_copy(parameter == HALF_UP ? "halves up" : "halves to even");
}

const struct fault_type fault_rank_half_up = {
    .is = {"rank-half-up", "rounds the rank to the nearest, where it is to be rounded up", NULL, 0,
           0, NULL},
    .item = "S2-11, TOOLS 3",
    .does = {.asks = asks},
    .parameter_count = 2,
    .tells = tells,
};
