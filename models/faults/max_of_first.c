/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

enum { MIN_FROM_ZERO, MAX_IS_LAST, MIN_IS_FIRST };

static void reports(const struct step *step, const struct population *sorted, struct report *report)
{
    uint32_t first = UINT32_MAX, last = 0;
    for (size_t i = 0; i < sorted->count; i++) {
        const struct sample *sample = &sorted->items[i];
        if (sample->request < first) {
            first = sample->request;
            report->min = step->parameter == MIN_IS_FIRST ? said_ns(sample->ns) : report->min;
        }
        if (sample->request >= last) {
            last = sample->request;
            report->max = step->parameter == MAX_IS_LAST ? said_ns(sample->ns) : report->max;
        }
    }
    if (step->parameter == MIN_FROM_ZERO && sorted->count > 0)
        report->min = said_ns(0);
}

static char *tells(uint64_t parameter)
{
    static const char *const words[] = {"the minimum is 0", "the maximum is the last sample",
                                        "the minimum is the first sample"};
    return must_copy(words[parameter]);
}

const struct fault_type fault_max_of_first = {
    .is = {"max-of-first", "keeps a minimum or maximum that starts at 0, or at the first sample",
           NULL, 0, 0, NULL},
    .item = "FR-21",
    .does = {.reports = reports},
    .parameter_count = 3,
    .tells = tells,
};
