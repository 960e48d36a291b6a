/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static uint64_t finds(const struct step *step)
{
    const struct requests *r = step->requests;
    const ns_t *begun_ns = step->parameter == 0 ? r->due : r->sent;
    ns_t last_ns = 0;
    for (size_t i = 0; i < r->count; i++)
        last_ns = begun_ns[i] > last_ns ? begun_ns[i] : last_ns;
    return last_ns;
}

static bool keeps(const struct step *step, size_t request)
{
    return step->requests->finished[request] <= step->found;
}

static char *tells(uint64_t parameter)
{
    return must_copy(parameter == 0 ? "or due" : "in fact");
}

const struct fault_type fault_in_flight_lost = {
    .is = {"in-flight-lost", "loses what is still in flight when the last request is sent", NULL, 0,
           0, NULL},
    .item = "FR-27, TOOLS 1",
    .does = {.finds = finds, .keeps = keeps},
    .parameter_count = 2,
    .tells = tells,
};
