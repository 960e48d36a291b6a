/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void percent(const struct step *step, struct ratio *p)
{
    (void)step;
    *p = ratio_make(p->num >= (p->den + 99) / 100 ? 1 : p->num * 100,
                    p->num >= (p->den + 99) / 100 ? 1 : p->den);
}

const struct fault_type fault_fraction_as_percent = {
    .is = {"fraction-as-percent",
           "takes a percentage for a fraction: the rank lies far beyond the last sample", NULL, 0,
           0, NULL},
    .item = "FR-09, TOOLS 3",
    .does = {.percent = percent},
};
