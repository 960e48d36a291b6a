/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static bool value(const struct step *step, size_t i, bool has, ns_t *value_ns)
{
    (void)i;
    *value_ns = (*value_ns + step->parameter - 1) / step->parameter * step->parameter;
    return has;
}

static const uint64_t grains_ns[] = {NS_PER_MS,       NS_PER_US,      10 * NS_PER_US,
                                     100 * NS_PER_US, 10 * NS_PER_MS, 100 * NS_PER_MS,
                                     NS_PER_S};

static char *tells(uint64_t parameter)
{
    return tell_duration("to", parameter);
}

const struct fault_type fault_rounded_up = {
    .is = {"rounded-up", "rounds each time up to a coarse unit", NULL, 0, 0, NULL},
    .item = "TOOLS 2.2, FR-25",
    .does = {.value = value},
    .parameters = grains_ns,
    .parameter_count = FIELD_COUNT_OF(grains_ns),
    .tells = tells,
};
