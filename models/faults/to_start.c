/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static bool value(const struct step *step, size_t i, bool has, ns_t *value_ns)
{
    ns_t from_ns = instant_ns(step->requests, step->asked->from, i);
    ns_t started_ns = step->requests->started[i];
    if (has)
        *value_ns = started_ns > from_ns ? started_ns - from_ns : 0;
    return has;
}

const struct fault_type fault_to_start = {
    .is = {"to-start",
           "stops the stopwatch at the first sign of the answer, so the service is lost", NULL, 0,
           0, NULL},
    .item = "TOOLS 5",
    .does = {.value = value},
};
