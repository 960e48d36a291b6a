/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

enum { DROPPED, CLAMPED, DROPPED_BY_DIGIT };

static ns_t range_ns(const struct step *step, const struct population *s)
{
    ns_t most_ns = 0, rounded_ns = 1;
    for (size_t i = 0; i < s->count; i++)
        if (step->requests->client[s->items[i].request] == 0 && s->items[i].ns > most_ns)
            most_ns = s->items[i].ns;
    while (rounded_ns < most_ns && rounded_ns < NS_LIMIT)
        rounded_ns *= 2;
    return step->parameter == DROPPED_BY_DIGIT ? rounded_ns : most_ns;
}

static void samples(const struct step *step, struct population *s)
{
    size_t kept = 0;
    ns_t most_ns = range_ns(step, s);
    for (size_t i = 0; i < s->count; i++) {
        struct sample sample = s->items[i];
        bool beyond = sample.ns > most_ns;
        if (beyond && step->parameter == CLAMPED)
            sample.ns = most_ns;
        if (!beyond || step->parameter == CLAMPED)
            s->items[kept++] = sample;
    }
    s->count = kept;
}

static char *tells(uint64_t parameter)
{
    static const char *const words[] = {"above what the first worker saw, dropped",
                                        "above what the first worker saw, clamped",
                                        "above the next power of two, dropped"};
    return must_copy(words[parameter]);
}

const struct fault_type fault_merged_unlike = {
    .is = {"merged-unlike",
           "merges histograms of unlike ranges: what the first has no room for is lost", NULL, 0, 0,
           NULL},
    .item = "FR-43",
    .does = {.samples = samples},
    .parameter_count = 3,
    .tells = tells,
};
