/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

struct width {
    ns_t unit_ns;
    unsigned bits;
};

static const struct width widths[] = {
    {1, 32},         {NS_PER_US, 32}, {1, 31},         {NS_PER_US, 31},
    {NS_PER_US, 24}, {NS_PER_US, 16}, {NS_PER_MS, 16},
};

static void samples(const struct step *step, struct population *s)
{
    struct width w = widths[step->parameter];
    ns_t mask = (UINT64_C(1) << w.bits) - 1;
    for (size_t i = 0; i < s->count; i++)
        s->items[i].ns = (s->items[i].ns / w.unit_ns & mask) * w.unit_ns;
}

static char *tells(uint64_t parameter)
{
    struct width w = widths[parameter];
    char text[32];
    duration_format(w.unit_ns, text);
    return must_format("%u bits of %s", w.bits, text);
}

const struct fault_type fault_wrapped = {
    .is = {"wrapped", "keeps times in too few bits, so that they wrap", NULL, 0, 0, NULL},
    .item = "FR-39, FR-23",
    .does = {.samples = samples},
    .parameter_count = FIELD_COUNT_OF(widths),
    .tells = tells,
};
