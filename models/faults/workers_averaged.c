/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/averages.h"

static size_t group(const struct step *step, size_t request)
{
    return step->requests->client[request];
}

static char *tells(uint64_t parameter)
{
    return must_copy(aggregate_words(parameter));
}

const struct fault_type fault_workers_averaged = {
    .is = {"workers-averaged", "makes one percentile of those of workers", NULL, 0, 0, NULL},
    .item = "FR-15, S4-60",
    .does = {.group = group},
    .parameter_count = AGGREGATES,
    .tells = tells,
};
