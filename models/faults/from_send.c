/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void asks(const struct step *step, struct asked *asked)
{
    (void)step;
    if (asked->from == INSTANT_DUE || asked->from == INSTANT_ACQUIRED)
        asked->from = INSTANT_SENT;
}

const struct fault_type fault_from_send = {
    .is = {"from-send",
           "starts the stopwatch when the request is sent, so the wait before it is lost", NULL, 0,
           0, NULL},
    .item = "S1-6, S4-51, TOOLS 5",
    .does = {.asks = asks},
};
