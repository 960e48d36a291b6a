/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

enum { BY_ANSWER, BY_DUE };

static int by_due(const struct step *step, uint32_t a, uint32_t b)
{
    ns_t x = step->requests->due[a], y = step->requests->due[b];
    return x != y ? (x > y) - (x < y) : (a > b) - (a < b);
}

/* Nearly sorted by due instant as they come, so insertion is quick. */
static void samples(const struct step *step, struct population *s)
{
    for (size_t i = 1; i < s->count && step->parameter == BY_DUE; i++) {
        struct sample moving = s->items[i];
        size_t k = i;
        for (; k > 0 && by_due(step, s->items[k - 1].request, moving.request) > 0; k--)
            s->items[k] = s->items[k - 1];
        s->items[k] = moving;
    }
}

static char *tells(uint64_t parameter)
{
    return must_copy(parameter == BY_ANSWER ? "in the order of the answers" : "in the order due");
}

const struct fault_type fault_unsorted = {
    .is = {"unsorted", "reads ranks off samples that are not sorted", NULL, 0, 0, NULL},
    .item = "FR-13",
    .does = {.samples = samples, .unsorted = true},
    .parameter_count = 2,
    .tells = tells,
};
