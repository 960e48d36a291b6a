/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void samples(const struct step *step, struct population *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].ns >= step->parameter)
            s->items[kept++] = s->items[i];
    s->count = kept;
}

static char *tells(uint64_t parameter)
{
    return tell_duration("below", parameter);
}

static const uint64_t limits_ns[] = {NS_PER_MS, 10 * NS_PER_US, 100 * NS_PER_US,
                                     NS_PER_US, 10 * NS_PER_MS, 100 * NS_PER_MS};

const struct fault_type fault_low_dropped = {
    .is = {"low-dropped", "drops values below its lowest", NULL, 0, 0, NULL},
    .item = "FR-25, TOOLS 2.16",
    .does = {.samples = samples},
    .parameters = limits_ns,
    .parameter_count = FIELD_COUNT_OF(limits_ns),
    .tells = tells,
};
