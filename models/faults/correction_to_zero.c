/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void rule(const struct step *step, struct correction_rule *rule)
{
    if (rule->interval > 0)
        rule->lowest = step->parameter;
}

static const uint64_t lowest[] = {1, 0};

static char *tells(uint64_t parameter)
{
    return must_copy(parameter == 1 ? "while above 0" : "while at least 0");
}

const struct fault_type fault_correction_to_zero = {
    .is = {"correction-to-zero", "adds samples below the interval, down to 0", NULL, 0, 0, NULL},
    .item = "TOOLS 4, FR-11",
    .does = {.rule = rule},
    .parameters = lowest,
    .parameter_count = FIELD_COUNT_OF(lowest),
    .tells = tells,
};
