/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void asks(const struct step *step, struct asked *asked)
{
    if (asked->correction.type != NULL || asked->interval_ns == 0)
        return;
    asked->correction = correction_named("hdr");
    if (step->parameter == 1 && asked->connections > 0 && asked->connections != UNLIMITED)
        asked->interval_ns *= asked->connections;
}

static char *tells(uint64_t parameter)
{
    return must_copy(parameter == 0 ? "every interval" : "every interval of one connection");
}

const struct fault_type fault_corrected_unasked = {
    .is = {"corrected-unasked", "corrects without being asked to, whatever instant it starts at",
           NULL, 0, 0, NULL},
    .item = "FR-01, FR-11",
    .does = {.asks = asks},
    .parameter_count = 2,
    .tells = tells,
};
