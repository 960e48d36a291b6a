/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void samples(const struct step *step, struct population *s)
{
    (void)step;
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].added || i + 1 == s->count || !s->items[i + 1].added)
            s->items[kept++] = s->items[i];
    s->count = kept;
}

const struct fault_type fault_correction_instead = {
    .is = {"correction-instead", "replaces the slow sample by the samples below it", NULL, 0, 0,
           NULL},
    .item = "FR-11",
    .does = {.samples = samples},
};
