/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void samples(const struct step *step, struct population *s)
{
    size_t kept = 0;
    uint64_t every = step->parameter / 2, first = step->parameter % 2 == 0 ? 0 : every - 1;
    for (size_t i = 0; i < s->count; i++)
        if (i % every == first)
            s->items[kept++] = s->items[i];
    s->count = kept;
}

static char *tells(uint64_t parameter)
{
    return must_format("k = %zu, from the %s on", (size_t)(parameter / 2),
                       parameter % 2 == 0 ? "first" : "k-th");
}

/* 2 k, and 1 more where the k-th is the first. */
static const uint64_t steps[] = {20, 21, 4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 32, 33, 200, 201};

const struct fault_type fault_sampled = {
    .is = {"sampled", "records only every k-th request", NULL, 0, 0, NULL},
    .item = "TOOLS 2.22",
    .does = {.samples = samples},
    .parameters = steps,
    .parameter_count = FIELD_COUNT_OF(steps),
    .tells = tells,
};
