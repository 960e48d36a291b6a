/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

enum { OVER_ALL, ONE_MORE, ONE_LESS, MEDIAN, MIDDLE };

static void reports(const struct step *step, const struct population *sorted, struct report *report)
{
    i128 n = (i128)sorted->count, over = n;
    if (n < 2 || !report->mean.known)
        return;
    switch (step->parameter) {
    case OVER_ALL: over = (i128)step->requests->count; break;
    case ONE_MORE: over = n + 1; break;
    case ONE_LESS: over = n - 1; break;
    default: break;
    }
    report->mean.milli = (2 * report->sum.milli + over) / (2 * over);
    if (step->parameter == MEDIAN)
        report->mean = said_at(sorted, rank_nearest.at((struct ratio){1, 2}, sorted->count));
    if (step->parameter == MIDDLE)
        report->mean.milli = (report->min.milli + report->max.milli) / 2;
}

static char *tells(uint64_t parameter)
{
    static const char *const words[] = {"over all requests", "over one more", "over one less",
                                        "the median", "half of minimum and maximum"};
    return must_copy(words[parameter]);
}

const struct fault_type fault_wrong_mean = {
    .is = {"wrong-mean",
           "divides the sum by another number than that of the samples, or tells the median", NULL,
           0, 0, NULL},
    .item = "FR-45",
    .does = {.reports = reports},
    .parameter_count = 5,
    .tells = tells,
};
