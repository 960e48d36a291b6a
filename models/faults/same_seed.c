/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "models/faults/pipeline.h"

/* The k-th sample of every client is the k-th of the first: as many as each has, or as many as the
   first has. */
enum { AS_MANY_AS_EACH, AS_MANY_AS_FIRST };

#define CLIENTS_MOST 65536

static void samples(const struct step *step, struct population *s)
{
    const uint64_t *client = step->requests->client;
    struct population first = {0}, all = {0};
    size_t clients = 0, *had = must_alloc(CLIENTS_MOST, sizeof *had);
    for (size_t i = 0; i < s->count; i++)
        if (client[s->items[i].request] == 0)
            samples_add(&first, s->items[i]);
    for (size_t i = 0; i < s->count && first.count > 0; i++) {
        size_t number = had[client[s->items[i].request] % CLIENTS_MOST]++;
        clients += number == 0;
        if (step->parameter == AS_MANY_AS_EACH)
            samples_add(&all, first.items[number % first.count]);
    }
    free(had);
    for (size_t c = 0; c < clients && step->parameter == AS_MANY_AS_FIRST; c++)
        for (size_t i = 0; i < first.count; i++)
            samples_add(&all, first.items[i]);
    samples_free(&first);
    samples_take(s, &all);
}

static char *tells(uint64_t parameter)
{
    return must_copy(parameter == AS_MANY_AS_EACH ? "as often as each had samples"
                                                  : "once for every worker");
}

const struct fault_type fault_same_seed = {
    .is = {"same-seed", "every worker repeats what the first one saw", NULL, 0, 0, NULL},
    .item = "TOOLS 6, S4-60",
    .does = {.samples = samples},
    .parameter_count = 2,
    .tells = tells,
};
