/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void asks(const struct step *step, struct asked *asked)
{
    (void)step;
    asked->correction = (struct choice){0};
}

const struct fault_type fault_correction_missing = {
    .is = {"correction-missing",
           "does not correct: left out, or with an interval of 0 or far too long", NULL, 0, 0,
           NULL},
    .item = "S2-10, FR-11",
    .does = {.asks = asks},
};
