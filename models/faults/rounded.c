/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

/* parameter = 2 * the unit, and 1 more where halves go to the even one. */
static bool value(const struct step *step, size_t i, bool has, ns_t *value_ns)
{
    (void)i;
    ns_t grain_ns = step->parameter / 2, whole = *value_ns / grain_ns;
    ns_t twice = *value_ns % grain_ns * 2;
    bool up =
        twice > grain_ns || (twice == grain_ns && (step->parameter % 2 == 0 || whole % 2 == 1));
    *value_ns = (whole + up) * grain_ns;
    return has;
}

static const uint64_t grains_ns[] = {
    2 * NS_PER_MS,       2 * NS_PER_MS + 1, 2 * NS_PER_US,   20 * NS_PER_US, 200 * NS_PER_US,
    200 * NS_PER_US + 1, 20 * NS_PER_MS,    200 * NS_PER_MS, 2 * NS_PER_S,
};

static char *tells(uint64_t parameter)
{
    return tell_duration("to", parameter / 2);
}

const struct fault_type fault_rounded = {
    .is = {"rounded", "rounds each time to a coarse unit", NULL, 0, 0, NULL},
    .item = "TOOLS 2.15, FR-25",
    .does = {.value = value},
    .parameters = grains_ns,
    .parameter_count = FIELD_COUNT_OF(grains_ns),
    .tells = tells,
};
