/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void rule(const struct step *step, struct correction_rule *rule)
{
    (void)step;
    if (rule->interval > 0 && rule->lowest == rule->interval)
        rule->lowest++;
}

const struct fault_type fault_correction_strict = {
    .is = {"correction-strict",
           "adds samples while above the interval, not while at least the interval", NULL, 0, 0,
           NULL},
    .item = "S0-16, TOOLS 4",
    .does = {.rule = rule},
};
