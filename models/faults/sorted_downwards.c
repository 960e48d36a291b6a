/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static int downwards(const void *left, const void *right)
{
    const struct sample *a = left, *b = right;
    return (a->ns < b->ns) - (a->ns > b->ns);
}

const struct fault_type fault_sorted_downwards = {
    .is = {"sorted-downwards", "sorts its samples from the largest down", NULL, 0, 0, NULL},
    .item = "FR-13",
    .does = {.compares = downwards},
};
