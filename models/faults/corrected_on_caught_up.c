/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void asks(const struct step *step, struct asked *asked)
{
    asked->from = INSTANT_SENT;
    if (asked->correction.type == NULL && asked->interval_ns > 0)
        asked->correction = correction_named("hdr");
    if (step->parameter == 1 && asked->connections > 0 && asked->connections != UNLIMITED)
        asked->interval_ns *= asked->connections;
}

static char *tells(uint64_t parameter)
{
    return must_copy(parameter == 0 ? "every interval" : "every interval of one connection");
}

const struct fault_type fault_corrected_on_caught_up = {
    .is = {"corrected-on-caught-up",
           "times from the send and corrects, although the schedule caught up with every request",
           NULL, 0, 0, NULL},
    .item = "FR-01, TOOLS 2.21",
    .does = {.asks = asks},
    .parameter_count = 2,
    .tells = tells,
};
