/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void asks(const struct step *step, struct asked *asked)
{
    (void)step;
    if (asked->failures == FAILURES_DROPPED)
        asked->failures = FAILURES_TIMEOUT;
}

const struct fault_type fault_failures_kept = {
    .is = {"failures-kept",
           "keeps failures as if they had been answered, although they do not count", NULL, 0, 0,
           NULL},
    .item = "FR-29, TOOLS 1",
    .does = {.asks = asks},
};
