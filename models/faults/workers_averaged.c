/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "models/faults/averages.h"

/* parameter = aggregate + AGGREGATES * way: 0 by client, else parts that take answers in turn. */
static uint64_t cut_of(uint64_t parameter)
{
    return CUTS_WINDOWS + parameter / AGGREGATES - 1;
}

static size_t *groups(const struct step *step, const struct population *sorted)
{
    if (step->parameter >= AGGREGATES)
        return cut_groups(step, cut_of(step->parameter), sorted);
    size_t *clients = must_alloc(sorted->count, sizeof *clients);
    for (size_t i = 0; i < sorted->count; i++)
        clients[i] = step->requests->client[sorted->items[i].request];
    return clients;
}

static char *tells(uint64_t parameter)
{
    if (parameter < AGGREGATES)
        return must_copy(aggregate_words(parameter));
    char *cut = cut_words(cut_of(parameter));
    char *words = must_format("%s, %s", cut, aggregate_words(parameter));
    free(cut);
    return words;
}

const struct fault_type fault_workers_averaged = {
    .is = {"workers-averaged", "makes one percentile of those of workers", NULL, 0, 0, NULL},
    .item = "FR-15, S4-60",
    .does = {.groups = groups},
    .parameter_count = AGGREGATES * (1 + CUTS_TURNS),
    .tells = tells,
};
