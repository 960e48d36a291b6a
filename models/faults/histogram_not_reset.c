/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/averages.h"

/* What came in a window is in the sum once for it and once for every later one. */
static void samples(const struct step *step, struct population *s)
{
    struct population all = {0};
    size_t windows = cut_total(step, step->parameter);
    for (size_t i = 0; i < s->count; i++) {
        size_t window = cut_group(step, step->parameter, s->items[i].request);
        for (size_t w = window; w < windows; w++)
            samples_add(&all, s->items[i]);
    }
    samples_take(s, &all);
}

const struct fault_type fault_histogram_not_reset = {
    .is = {"histogram-not-reset", "does not empty its histogram between windows, and adds each up",
           NULL, 0, 0, NULL},
    .item = "TOOLS 5, S4-60",
    .does = {.samples = samples},
    .parameter_count = CUTS_KNOWN,
    .tells = cut_words,
};
