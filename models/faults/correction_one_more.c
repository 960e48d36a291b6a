/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void samples(const struct step *step, struct population *s)
{
    struct population more = {0};
    for (size_t i = 0; i < s->count; i++) {
        bool corrected = !s->items[i].added && i + 1 < s->count && s->items[i + 1].added;
        bool late = step->parameter == 1 && !s->items[i].added &&
                    step->asked->correction.type != NULL &&
                    s->items[i].ns >= step->asked->interval_ns;
        samples_add(&more, s->items[i]);
        if (corrected || late)
            samples_add(&more, s->items[i]);
    }
    samples_take(s, &more);
}

static char *tells(uint64_t parameter)
{
    return must_copy(parameter == 0 ? "where it adds any" : "where it is as long as the interval");
}

const struct fault_type fault_correction_one_more = {
    .is = {"correction-one-more", "adds the slow sample itself once more", NULL, 0, 0, NULL},
    .item = "FR-11",
    .does = {.samples = samples},
    .parameter_count = 2,
    .tells = tells,
};
