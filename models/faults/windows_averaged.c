/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "models/faults/averages.h"

/* parameter = aggregate + AGGREGATES * cut. */
static size_t *groups(const struct step *step, const struct population *sorted)
{
    return cut_groups(step, step->parameter / AGGREGATES, sorted);
}

static char *tells(uint64_t parameter)
{
    char *cut = cut_words(parameter / AGGREGATES);
    char *words = must_format("%s, %s", cut, aggregate_words(parameter));
    free(cut);
    return words;
}

const struct fault_type fault_windows_averaged = {
    .is = {"windows-averaged", "makes one percentile of those of windows", NULL, 0, 0, NULL},
    .item = "S0-51, FR-15",
    .does = {.groups = groups},
    .parameter_count = CUTS_WINDOWS * AGGREGATES,
    .tells = tells,
};
