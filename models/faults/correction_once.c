/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void samples(const struct step *step, struct population *s)
{
    (void)step;
    size_t kept = 0;
    bool before = false;
    for (size_t i = 0; i < s->count; i++) {
        bool added = s->items[i].added;
        if (!added || !before)
            s->items[kept++] = s->items[i];
        before = added;
    }
    s->count = kept;
}

const struct fault_type fault_correction_once = {
    .is = {"correction-once", "adds one sample below a slow one and stops", NULL, 0, 0, NULL},
    .item = "FR-11",
    .does = {.samples = samples},
};
