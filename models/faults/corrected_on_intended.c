/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

/* Whatever it was asked for, it starts at the due instant and corrects. */
static void asks(const struct step *step, struct asked *asked)
{
    asked->from = INSTANT_DUE;
    if (asked->correction.type == NULL && asked->interval_ns > 0)
        asked->correction = correction_named("hdr");
    if (step->parameter == 1 && asked->connections > 0 && asked->connections != UNLIMITED)
        asked->interval_ns *= asked->connections;
}

static char *tells(uint64_t parameter)
{
    return must_copy(parameter == 0 ? "every interval" : "every interval of one connection");
}

const struct fault_type fault_corrected_on_intended = {
    .is = {"corrected-on-intended",
           "corrects times that count from the due instant, which hold the wait already", NULL, 0,
           0, NULL},
    .item = "FR-01, S4-51",
    .does = {.asks = asks},
    .parameter_count = 2,
    .tells = tells,
};
