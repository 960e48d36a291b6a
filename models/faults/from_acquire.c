/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void asks(const struct step *step, struct asked *asked)
{
    (void)step;
    if (asked->from == INSTANT_DUE)
        asked->from = INSTANT_ACQUIRED;
}

const struct fault_type fault_from_acquire = {
    .is = {"from-acquire",
           "starts the stopwatch when a connection or slot is free, so the wait for it is lost",
           NULL, 0, 0, NULL},
    .item = "S4-55, S4-56",
    .does = {.asks = asks},
};
