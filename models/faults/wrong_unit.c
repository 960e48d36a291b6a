/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

/* parameter = 2 * the factor, and 1 more where times are that much smaller. */
static const uint64_t factors[] = {2001, 2000, 2000001, 2000000, 2000000001, 2000000000};

static struct said scaled(struct said said, uint64_t parameter)
{
    i128 factor = (i128)(parameter / 2);
    said.milli = parameter % 2 == 0 ? said.milli * factor : (said.milli + factor / 2) / factor;
    return said;
}

static void reports(const struct step *step, const struct population *sorted, struct report *report)
{
    (void)sorted;
    struct said *all[] = {&report->min, &report->max, &report->mean, &report->sum};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        *all[i] = scaled(*all[i], step->parameter);
    for (size_t k = 0; k < report->percentile_count; k++)
        report->percentiles[k] = scaled(report->percentiles[k], step->parameter);
}

static char *tells(uint64_t parameter)
{
    return must_format("%zu times too %s", (size_t)(parameter / 2),
                       parameter % 2 == 0 ? "large" : "small");
}

const struct fault_type fault_wrong_unit = {
    .is = {"wrong-unit", "tells its times in another unit than it says", NULL, 0, 0, NULL},
    .item = "FR-45, FR-11",
    .does = {.reports = reports},
    .parameters = factors,
    .parameter_count = FIELD_COUNT_OF(factors),
    .tells = tells,
};
