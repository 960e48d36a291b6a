/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void asks(const struct step *step, struct asked *asked)
{
    (void)step;
    asked->failures = FAILURES_DROPPED;
}

const struct fault_type fault_failures_dropped = {
    .is = {"failures-dropped", "leaves failures out, although they count", NULL, 0, 0, NULL},
    .item = "FR-29, S1-12",
    .does = {.asks = asks},
};
