/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

enum { EXACTLY, IN_DOUBLES };

static void percent(const struct step *step, struct ratio *p)
{
    (void)step;
    *p = ratio_make(p->num, p->den * 100);
}

/* A whole p n / 100 comes out a hair too high where it is worked out in doubles. */
static void at(const struct step *step, struct ratio p, uint64_t n, struct rank_at *at)
{
    volatile double share = (double)p.num * 10000.0 / (double)p.den;
    share = share / 100.0;
    share = share / 100.0;
    share = share * (double)n;
    uint64_t whole = (uint64_t)share;
    if (step->parameter == IN_DOUBLES)
        *at = (struct rank_at){whole + ((double)whole < share), 0, 1};
}

static char *tells(uint64_t parameter)
{
    return must_copy(parameter == EXACTLY ? "exactly" : "in floating point");
}

const struct fault_type fault_percent_as_fraction = {
    .is = {"percent-as-fraction",
           "takes a percentage that is a fraction already for a percentage: p99 is 0.99 %", NULL, 0,
           0, NULL},
    .item = "FR-09, TOOLS 3",
    .does = {.percent = percent, .at = at},
    .parameter_count = 2,
    .tells = tells,
};
