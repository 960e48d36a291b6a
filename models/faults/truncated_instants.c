/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static bool value(const struct step *step, size_t i, bool has, ns_t *value_ns)
{
    ns_t from_ns = instant_ns(step->requests, step->asked->from, i);
    ns_t finished_ns = step->requests->finished[i];
    if (has && finished_ns >= from_ns)
        *value_ns = (finished_ns / step->parameter - from_ns / step->parameter) * step->parameter;
    return has;
}

static const uint64_t grains_ns[] = {NS_PER_MS,       NS_PER_US,      10 * NS_PER_US,
                                     100 * NS_PER_US, 10 * NS_PER_MS, 100 * NS_PER_MS,
                                     NS_PER_S};

static char *tells(uint64_t parameter)
{
    return tell_duration("to", parameter);
}

const struct fault_type fault_truncated_instants = {
    .is = {"truncated-instants", "cuts the instants to a coarse unit before it subtracts them",
           NULL, 0, 0, NULL},
    .item = "TOOLS 5",
    .does = {.value = value},
    .parameters = grains_ns,
    .parameter_count = FIELD_COUNT_OF(grains_ns),
    .tells = tells,
};
