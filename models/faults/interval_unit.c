/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

/* 2 * the factor, and 1 more where it is that much smaller. */
static const uint64_t factors[] = {2001, 2000, 2000001};

static void asks(const struct step *step, struct asked *asked)
{
    uint64_t factor = step->parameter / 2;
    if (asked->correction.type == NULL)
        return;
    if (step->parameter % 2 == 0)
        asked->interval_ns =
            asked->interval_ns < NS_LIMIT / factor ? asked->interval_ns * factor : 0;
    else
        asked->interval_ns /= factor;
}

static char *tells(uint64_t parameter)
{
    return must_format("%zu times too %s", (size_t)(parameter / 2),
                       parameter % 2 == 0 ? "large" : "small");
}

const struct fault_type fault_interval_unit = {
    .is = {"interval-unit", "takes the expected interval in the wrong unit", NULL, 0, 0, NULL},
    .item = "FR-11, TOOLS 2.11",
    .does = {.asks = asks},
    .parameters = factors,
    .parameter_count = FIELD_COUNT_OF(factors),
    .tells = tells,
};
