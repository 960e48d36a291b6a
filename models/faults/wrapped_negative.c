/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "models/faults/pipeline.h"

static const uint64_t units_ns[] = {1, NS_PER_US};

static int by_size(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static struct said in_units(int64_t units, ns_t unit_ns)
{
    return (struct said){true, (i128)units * (i128)unit_ns * 1000};
}

static void reports(const struct step *step, const struct population *sorted, struct report *report)
{
    size_t n = sorted->count;
    if (n == 0)
        return;
    int64_t *units = must_alloc(n, sizeof *units);
    i128 sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t low = sorted->items[i].ns / step->parameter & UINT32_MAX;
        units[i] = (int64_t)low - (low > INT32_MAX ? (INT64_C(1) << 32) : 0);
        sum += units[i];
    }
    qsort(units, n, sizeof *units, by_size);
    report->min = in_units(units[0], step->parameter);
    report->max = in_units(units[n - 1], step->parameter);
    report->sum.milli = sum * (i128)step->parameter * 1000;
    report->mean.milli = report->sum.milli / (i128)n;
    for (size_t k = 0; k < report->percentile_count; k++) {
        struct rank_at at = rank_rule(step->asked->rank)->at(step->asked->percentiles[k].p, n);
        report->percentiles[k] = in_units(units[at.rank - 1], step->parameter);
    }
    free(units);
}

static char *tells(uint64_t parameter)
{
    return tell_duration("units of", parameter);
}

const struct fault_type fault_wrapped_negative = {
    .is = {"wrapped-negative",
           "keeps times in 32 bits with a sign, so that long ones turn negative", NULL, 0, 0, NULL},
    .item = "FR-39, FR-23",
    .does = {.reports = reports},
    .parameters = units_ns,
    .parameter_count = FIELD_COUNT_OF(units_ns),
    .tells = tells,
};
