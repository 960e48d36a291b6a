/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void asks(const struct step *step, struct asked *asked)
{
    (void)step;
    if (asked->correction.type == NULL)
        asked->from = INSTANT_DUE;
}

const struct fault_type fault_from_due = {
    .is =
        {"from-due",
         "starts the stopwatch when the request was due, although it is asked for another instant",
         NULL, 0, 0, NULL},
    .item = "S2-7, TOOLS 4",
    .does = {.asks = asks},
};
