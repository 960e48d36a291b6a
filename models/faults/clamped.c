/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void clamp(struct population *s, ns_t limit_ns)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].ns > limit_ns)
            s->items[i].ns = limit_ns;
}

static void raw(const struct step *step, struct population *s)
{
    if (step->parameter & BEFORE_CORRECTION)
        clamp(s, step->parameter & ~BEFORE_CORRECTION);
}

static void samples(const struct step *step, struct population *s)
{
    if (!(step->parameter & BEFORE_CORRECTION))
        clamp(s, step->parameter);
}

/* The largest time that was said would be the range. */
static size_t guesses(const struct requests *requests, const struct asked *asked,
                      const struct report *truth, const struct report *heard,
                      uint64_t out[GUESSES_MOST])
{
    (void)requests;
    i128 most = heard->max.known && truth->max.known && heard->max.milli < truth->max.milli
                    ? heard->max.milli
                    : 0;
    for (size_t k = 0; k < heard->percentile_count; k++) {
        struct said p = heard->percentiles[k];
        bool below =
            p.known && truth->percentiles[k].known && p.milli < truth->percentiles[k].milli;
        if (below && p.milli > most)
            most = p.milli;
    }
    out[0] = (uint64_t)(most / 1000);
    out[1] = out[0] | BEFORE_CORRECTION;
    return most <= 0 ? 0 : asked->correction.type != NULL ? 2 : 1;
}

static const uint64_t limits_ns[] = {
    NS_PER_S,        2 * NS_PER_S,   10 * NS_PER_S,     60 * NS_PER_S,     30 * NS_PER_S,
    5 * NS_PER_S,    3 * NS_PER_S,   100 * NS_PER_MS,   500 * NS_PER_MS,   10 * NS_PER_MS,
    3600 * NS_PER_S, 50 * NS_PER_MS, 200 * NS_PER_MS,   250 * NS_PER_MS,   600 * NS_PER_S,
    INT32_MAX,       UINT32_MAX,     65535 * NS_PER_US, 65535 * NS_PER_MS, 20 * NS_PER_MS,
};

static char *tells(uint64_t parameter)
{
    return tell_duration("at", parameter);
}

const struct fault_type fault_clamped = {
    .is = {"clamped", "keeps values above its range as the range", NULL, 0, 0, NULL},
    .item = "FR-23, TOOLS 2.16",
    .does = {.raw = raw, .samples = samples},
    .parameters = limits_ns,
    .parameter_count = FIELD_COUNT_OF(limits_ns),
    .guesses = guesses,
    .tells = tells,
};
