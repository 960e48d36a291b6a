/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

enum { OF_ITSELF, OF_LARGEST, OF_INTERVAL };

static void samples(const struct step *step, struct population *s)
{
    ns_t last_ns = 0, largest_ns = 0;
    for (size_t i = 0; i < s->count; i++)
        largest_ns = s->items[i].ns > largest_ns ? s->items[i].ns : largest_ns;
    for (size_t i = 0; i < s->count; i++) {
        if (!s->items[i].added)
            last_ns = s->items[i].ns;
        else
            s->items[i].ns = step->parameter == OF_ITSELF    ? last_ns
                             : step->parameter == OF_LARGEST ? largest_ns
                                                             : step->asked->interval_ns;
    }
}

static char *tells(uint64_t parameter)
{
    static const char *const words[] = {"of itself", "of the largest", "of the interval"};
    return must_copy(words[parameter]);
}

const struct fault_type fault_correction_repeats = {
    .is = {"correction-repeats", "adds copies of the slow sample, not a falling row", NULL, 0, 0,
           NULL},
    .item = "TOOLS 2.1, FR-11",
    .does = {.samples = samples},
    .parameter_count = 3,
    .tells = tells,
};
