/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "models/faults/averages.h"

/* What came in a window is in the sum once for it and once for every later one. */
static void samples(const struct step *step, struct population *s)
{
    struct population all = {0};
    size_t *groups = cut_groups(step, step->parameter, s);
    size_t windows = cut_is_of_all(step->parameter) ? cut_total(step, step->parameter) : 0;
    for (size_t i = 0; i < s->count && !cut_is_of_all(step->parameter); i++)
        windows = groups[i] >= windows ? groups[i] + 1 : windows;
    for (size_t i = 0; i < s->count && !all.too_many; i++)
        for (size_t w = groups[i]; w < windows && !all.too_many; w++)
            samples_add(&all, s->items[i]);
    free(groups);
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
