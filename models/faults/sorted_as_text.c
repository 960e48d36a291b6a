/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "models/faults/pipeline.h"

static int as_text(const void *left, const void *right)
{
    const struct sample *a = left, *b = right;
    char x[24], y[24];
    snprintf(x, sizeof x, "%llu", (unsigned long long)a->ns);
    snprintf(y, sizeof y, "%llu", (unsigned long long)b->ns);
    return strcmp(x, y);
}

const struct fault_type fault_sorted_as_text = {
    .is = {"sorted-as-text", "sorts its samples as text, where 1000 comes before 9", NULL, 0, 0,
           NULL},
    .item = "FR-13",
    .does = {.compares = as_text},
};
