/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "models/faults/pipeline.h"

static int by_size(const void *left, const void *right)
{
    const struct sample *a = left, *b = right;
    return (a->ns > b->ns) - (a->ns < b->ns);
}

static void samples(const struct step *step, struct population *s)
{
    (void)step;
    size_t kept = 0;
    if (s->count > 0)
        qsort(s->items, s->count, sizeof *s->items, by_size);
    for (size_t i = 0; i < s->count; i++)
        if (kept == 0 || s->items[kept - 1].ns != s->items[i].ns)
            s->items[kept++] = s->items[i];
    s->count = kept;
}

const struct fault_type fault_distinct_values = {
    .is = {"distinct-values", "counts each different time once", NULL, 0, 0, NULL},
    .item = "TOOLS 2.22, FR-13",
    .does = {.samples = samples},
};
