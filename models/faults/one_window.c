/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "models/faults/averages.h"

enum { LAST, FIRST };

/* parameter = 2 * cut + which; of the cuts, those of all answers. */
#define CUTS (CUTS_OF_ALL + CUTS_TURNS_OF_ALL)

static uint64_t cut_of(uint64_t parameter)
{
    uint64_t cut = parameter / 2;
    return cut < CUTS_OF_ALL ? cut : cut - CUTS_OF_ALL + CUTS_WINDOWS;
}

static uint64_t finds(const struct step *step)
{
    return step->parameter % 2 == FIRST ? 0 : cut_total(step, cut_of(step->parameter)) - 1;
}

static bool keeps(const struct step *step, size_t request)
{
    return cut_group(step, cut_of(step->parameter), request) == step->found;
}

static char *tells(uint64_t parameter)
{
    char *cut = cut_words(cut_of(parameter));
    char *words = must_format("the %s, %s", parameter % 2 == LAST ? "last" : "first", cut);
    free(cut);
    return words;
}

const struct fault_type fault_one_window = {
    .is = {"one-window", "reports one window for the whole run", NULL, 0, 0, NULL},
    .item = "S0-51, TOOLS 2.13",
    .does = {.finds = finds, .keeps = keeps},
    .parameter_count = 2 * CUTS,
    .tells = tells,
};
