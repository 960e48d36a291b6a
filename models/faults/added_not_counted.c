/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void reports(const struct step *step, const struct population *sorted, struct report *report)
{
    struct asked plain = *step->asked;
    struct report real;
    (void)sorted;
    plain.correction = (struct choice){0};
    report_true(step->requests, &plain, &real);
    report->count = real.count;
    report->min = real.min;
    if (step->parameter == 0) {
        report->mean = real.mean;
        report->sum = real.sum;
    }
    report_free(&real);
}

static char *tells(uint64_t parameter)
{
    return must_copy(parameter == 0 ? "and so is the mean" : "but not in the mean");
}

const struct fault_type fault_added_not_counted = {
    .is = {"added-not-counted",
           "counts and sums only real samples, though percentiles hold the added ones", NULL, 0, 0,
           NULL},
    .item = "FR-11, S0-15",
    .does = {.reports = reports},
    .parameter_count = 2,
    .tells = tells,
};
