/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static bool value(const struct step *step, size_t i, bool has, ns_t *value_ns)
{
    if (step->requests->status[i] == STATUS_ANSWERED)
        return has;
    *value_ns = 0;
    return true;
}

const struct fault_type fault_failures_zero = {
    .is = {"failures-zero", "counts failures as 0", NULL, 0, 0, NULL},
    .item = "FR-29, TOOLS 2.6",
    .does = {.value = value},
};
