/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void samples(const struct step *step, struct population *s)
{
    struct population again = {0};
    samples_correct(&again, s, asked_rule(step->asked));
    samples_take(s, &again);
}

const struct fault_type fault_corrected_twice = {
    .is = {"corrected-twice", "corrects what is corrected already", NULL, 0, 0, NULL},
    .item = "FR-11",
    .does = {.samples = samples},
};
