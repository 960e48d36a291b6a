/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void asks(const struct step *step, struct asked *asked)
{
    (void)step;
    asked->warmup_ns = 0;
}

const struct fault_type fault_warmup_kept = {
    .is = {"warmup-kept", "keeps the warm-up", NULL, 0, 0, NULL},
    .item = "S3-23, TOOLS 5",
    .does = {.asks = asks},
};
