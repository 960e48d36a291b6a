/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

enum { DOWN, NEAREST };

static void percent(const struct step *step, struct ratio *p)
{
    uint64_t more = step->parameter == NEAREST ? p->den : 0;
    *p = ratio_make((p->num * 200 + more) / (2 * p->den), 100);
}

static char *tells(uint64_t parameter)
{
    return must_copy(parameter == DOWN ? "down" : "to the nearest");
}

const struct fault_type fault_percent_whole = {
    .is = {"percent-whole", "cuts the percentage to a whole number: p99.9 is p99", NULL, 0, 0,
           NULL},
    .item = "TOOLS 2.7, FR-09",
    .does = {.percent = percent},
    .parameter_count = 2,
    .tells = tells,
};
