/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static const char *const rules[] = {"type7", "type2", "type4", "type5", "type6", "type8", "type9"};

static void asks(const struct step *step, struct asked *asked)
{
    asked->rank = rank_named(rules[step->parameter]);
}

static char *tells(uint64_t parameter)
{
    return must_format("by %s", rules[parameter]);
}

const struct fault_type fault_rank_interpolated = {
    .is = {"rank-interpolated",
           "interpolates between two samples, so that it tells times no request had", NULL, 0, 0,
           NULL},
    .item = "FR-35, TOOLS 3",
    .does = {.asks = asks},
    .parameter_count = FIELD_COUNT_OF(rules),
    .tells = tells,
};
