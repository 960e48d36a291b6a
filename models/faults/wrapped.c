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

#define WIDTHS FIELD_COUNT_OF(widths)

static void wrap(struct population *s, struct width w)
{
    ns_t mask = (UINT64_C(1) << w.bits) - 1;
    for (size_t i = 0; i < s->count; i++)
        s->items[i].ns = (s->items[i].ns / w.unit_ns & mask) * w.unit_ns;
}

/* parameter = width, and WIDTHS more where it is before the correction. */
static void raw(const struct step *step, struct population *s)
{
    if (step->parameter >= WIDTHS)
        wrap(s, widths[step->parameter - WIDTHS]);
}

static void samples(const struct step *step, struct population *s)
{
    if (step->parameter < WIDTHS)
        wrap(s, widths[step->parameter]);
}

static char *tells(uint64_t parameter)
{
    struct width w = widths[parameter % WIDTHS];
    char text[32];
    duration_format(w.unit_ns, text);
    return must_format("%u bits of %s%s", w.bits, text,
                       parameter >= WIDTHS ? ", before the correction" : "");
}

const struct fault_type fault_wrapped = {
    .is = {"wrapped", "keeps times in too few bits, so that they wrap", NULL, 0, 0, NULL},
    .item = "FR-39, FR-23",
    .does = {.raw = raw, .samples = samples},
    .parameter_count = 2 * WIDTHS,
    .tells = tells,
};
