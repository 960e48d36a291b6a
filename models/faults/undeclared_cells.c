/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

/* parameter = digits + 5 * edge. */
enum { HIGHEST, LOWEST, MIDDLE };

static void samples(const struct step *step, struct population *s)
{
    uint64_t resolution = 2;
    for (uint64_t d = 0; d <= step->parameter % 5; d++)
        resolution *= 10;
    unsigned bits = 64 - (unsigned)__builtin_clzll(resolution - 1);
    for (size_t i = 0; i < s->count; i++) {
        ns_t ns = s->items[i].ns;
        unsigned length = ns == 0 ? 0 : 64 - (unsigned)__builtin_clzll(ns);
        ns_t width_ns = length > bits ? UINT64_C(1) << (length - bits) : 1;
        ns_t low_ns = ns / width_ns * width_ns;
        uint64_t edge = step->parameter / 5;
        s->items[i].ns = low_ns + (edge == HIGHEST  ? width_ns - 1
                                   : edge == MIDDLE ? width_ns / 2
                                                    : 0);
    }
}

static char *tells(uint64_t parameter)
{
    static const char *const edges[] = {"highest", "lowest", "middle"};
    return must_format("%zu digits, the %s value of each", (size_t)(parameter % 5 + 1),
                       edges[parameter / 5]);
}

static const uint64_t digits[] = {2, 0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};

const struct fault_type fault_undeclared_cells = {
    .is = {"undeclared-cells", "keeps times in cells of an HdrHistogram and does not say so", NULL,
           0, 0, NULL},
    .item = "FR-25, S4-58",
    .does = {.samples = samples},
    .parameters = digits,
    .parameter_count = FIELD_COUNT_OF(digits),
    .tells = tells,
};
