/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

enum { CLAMPED, WRAPPED, NEGATIVE };

static bool value(const struct step *step, size_t i, bool has, ns_t *value_ns)
{
    (void)i;
    if (has && step->parameter == CLAMPED)
        *value_ns = 0;
    if (has && step->parameter == WRAPPED)
        *value_ns = (ns_t)0 - *value_ns;
    return has;
}

/* The least of the negative values is the largest without its sign, and so on. */
static void reports(const struct step *step, const struct population *sorted, struct report *report)
{
    if (step->parameter != NEGATIVE || sorted->count == 0)
        return;
    uint64_t n = sorted->count;
    struct said largest = report->max;
    report->max = report->min;
    report->min = largest;
    struct said *all[] = {&report->min, &report->max, &report->mean, &report->sum};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        all[i]->milli = -all[i]->milli;
    for (size_t k = 0; k < report->percentile_count; k++) {
        struct rank_at at = rank_rule(step->asked->rank)->at(step->asked->percentiles[k].p, n);
        report->percentiles[k] = said_at(sorted, (struct rank_at){n + 1 - at.rank, 0, 1});
        report->percentiles[k].milli = -report->percentiles[k].milli;
    }
}

static char *tells(uint64_t parameter)
{
    static const char *const words[] = {"and what is negative counts as 0",
                                        "and what is negative wraps", "and what is negative stays"};
    return must_copy(words[parameter]);
}

const struct fault_type fault_swapped_instants = {
    .is = {"swapped-instants", "subtracts the end from the beginning", NULL, 0, 0, NULL},
    .item = "FR-39",
    .does = {.value = value, .reports = reports},
    .parameter_count = 3,
    .tells = tells,
};
