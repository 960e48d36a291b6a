/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static const uint64_t units_ns[] = {1, NS_PER_US, NS_PER_MS, NS_PER_S};

/* As they are stored, those that a correction adds, too. */
static void samples(const struct step *step, struct population *s)
{
    for (size_t i = 0; i < s->count; i++) {
        double unit_ns = (double)step->parameter;
        volatile float kept = (float)((double)s->items[i].ns / unit_ns);
        if (s->items[i].ns < NS_LIMIT)
            s->items[i].ns = (ns_t)((double)kept * unit_ns + 0.5);
    }
}

static char *tells(uint64_t parameter)
{
    return tell_duration("of", parameter);
}

const struct fault_type fault_single_precision = {
    .is = {"single-precision", "keeps times as 32-bit floats", NULL, 0, 0, NULL},
    .item = "FR-09, TOOLS 2.20",
    .does = {.samples = samples},
    .slack_ns = 1,
    .parameters = units_ns,
    .parameter_count = FIELD_COUNT_OF(units_ns),
    .tells = tells,
};
