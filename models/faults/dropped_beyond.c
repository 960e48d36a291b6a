/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void drop(struct population *s, ns_t limit_ns)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].ns <= limit_ns)
            s->items[kept++] = s->items[i];
    s->count = kept;
}

static void raw(const struct step *step, struct population *s)
{
    if (step->parameter & BEFORE_CORRECTION)
        drop(s, step->parameter & ~BEFORE_CORRECTION);
}

static void samples(const struct step *step, struct population *s)
{
    if (!(step->parameter & BEFORE_CORRECTION))
        drop(s, step->parameter);
}

static const uint64_t limits_ns[] = {
    NS_PER_S,        2 * NS_PER_S,   10 * NS_PER_S,     60 * NS_PER_S,     30 * NS_PER_S,
    5 * NS_PER_S,    3 * NS_PER_S,   100 * NS_PER_MS,   500 * NS_PER_MS,   10 * NS_PER_MS,
    3600 * NS_PER_S, 50 * NS_PER_MS, 200 * NS_PER_MS,   250 * NS_PER_MS,   600 * NS_PER_S,
    INT32_MAX,       UINT32_MAX,     65535 * NS_PER_US, 65535 * NS_PER_MS, 20 * NS_PER_MS,
};

/* The lowest of the usual ranges that lets it pass; 0: none. */
static uint64_t range_above(uint64_t ns)
{
    uint64_t best = 0;
    for (size_t i = 0; i < FIELD_COUNT_OF(limits_ns); i++)
        if (limits_ns[i] >= ns && (best == 0 || limits_ns[i] < best))
            best = limits_ns[i];
    return best;
}

/* As many as are missing lie above the range; or the largest that was said lies just below. */
static size_t guesses(const struct requests *requests, const struct asked *asked,
                      const struct report *truth, const struct report *heard,
                      uint64_t out[GUESSES_MOST])
{
    struct population sorted;
    size_t count = 0;
    if (samples_true(requests, asked, &sorted) && heard->has_count && heard->count > 0 &&
        heard->count < truth->count)
        out[count++] = sorted.items[heard->count - 1].ns;
    if (heard->max.known && truth->max.known && heard->max.milli < truth->max.milli &&
        heard->max.milli > 0) {
        uint64_t most_ns = (uint64_t)(heard->max.milli / 1000);
        out[count++] = most_ns;
        if (asked->correction.type != NULL) {
            out[count++] = range_above(most_ns) | BEFORE_CORRECTION;
            out[count++] = most_ns | BEFORE_CORRECTION;
        }
    }
    samples_free(&sorted);
    return count;
}

static char *tells(uint64_t parameter)
{
    return tell_duration("at", parameter);
}

const struct fault_type fault_dropped_beyond = {
    .is = {"dropped-beyond", "drops values above its range", NULL, 0, 0, NULL},
    .item = "FR-23, TOOLS 2.1",
    .does = {.raw = raw, .samples = samples},
    .parameters = limits_ns,
    .parameter_count = FIELD_COUNT_OF(limits_ns),
    .guesses = guesses,
    .tells = tells,
};
