/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void asks(const struct step *step, struct asked *asked)
{
    (void)step;
    asked->from = INSTANT_STARTED;
}

const struct fault_type fault_from_start = {
    .is = {"from-start", "starts the stopwatch when the server begins, so all waiting is lost",
           NULL, 0, 0, NULL},
    .item = "S1-6, TOOLS 5",
    .does = {.asks = asks},
};
