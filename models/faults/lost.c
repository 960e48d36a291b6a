/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/lost.h"

#include <stdlib.h>

struct position {
    ns_t key_ns;
    size_t index;
};

static int by_key(const void *left, const void *right)
{
    const struct position *a = left, *b = right;
    if (a->key_ns != b->key_ns)
        return a->key_ns < b->key_ns ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static ns_t told_ns(const struct requests *requests, uint64_t parameter, size_t request)
{
    return parameter & LOST_DUE ? requests->due[request] : requests->finished[request];
}

static ns_t length_of(uint64_t parameter)
{
    return parameter & ~(LOST_TIME | LOST_DUE | LOST_RECORDED | LOST_CLOCK);
}

/* From the first such instant on, or up to the last. */
static void lose_time(const struct requests *requests, struct population *s, uint64_t parameter,
                      bool last)
{
    ns_t length_ns = length_of(parameter), low_ns = UINT64_MAX, high_ns = 0;
    size_t told = parameter & LOST_RECORDED ? s->count : requests->count;
    size_t kept = 0;
    for (size_t i = 0; i < told; i++) {
        size_t request = parameter & LOST_RECORDED ? s->items[i].request : i;
        ns_t ns = told_ns(requests, parameter, request);
        low_ns = ns < low_ns ? ns : low_ns;
        high_ns = ns > high_ns ? ns : high_ns;
    }
    low_ns = parameter & LOST_CLOCK ? 0 : low_ns;
    for (size_t i = 0; i < s->count; i++) {
        ns_t ns = told_ns(requests, parameter, s->items[i].request);
        if (last ? high_ns - ns >= length_ns : ns - low_ns >= length_ns)
            s->items[kept++] = s->items[i];
    }
    s->count = kept;
}

void samples_lose(const struct requests *requests, struct population *s, uint64_t parameter,
                  bool last)
{
    size_t n = s->count, lost = parameter / 2 < n ? (size_t)(parameter / 2) : n, kept = 0;
    if (n == 0)
        return;
    if (parameter & LOST_TIME) {
        lose_time(requests, s, parameter, last);
        return;
    }
    struct position *places = must_alloc(n, sizeof *places);
    bool *gone = must_alloc(n, sizeof *gone);
    for (size_t i = 0; i < n; i++)
        places[i] =
            (struct position){parameter % 2 == 1 ? requests->due[s->items[i].request] : 0, i};
    qsort(places, n, sizeof *places, by_key);
    for (size_t k = 0; k < lost; k++)
        gone[places[last ? n - 1 - k : k].index] = true;
    for (size_t i = 0; i < n; i++)
        if (!gone[i])
            s->items[kept++] = s->items[i];
    s->count = kept;
    free(places);
    free(gone);
}

size_t lost_guesses(const struct requests *requests, const struct asked *asked,
                    const struct report *truth, const struct report *heard,
                    uint64_t out[GUESSES_MOST])
{
    (void)requests;
    (void)asked;
    if (!heard->has_count || heard->count >= truth->count)
        return 0;
    uint64_t lost = truth->count - heard->count;
    out[0] = 2 * lost;
    out[1] = 2 * lost + 1;
    static const ns_t lengths_ns[] = {NS_PER_S, 2 * NS_PER_S, 10 * NS_PER_S};
    static const uint64_t ways[] = {0, LOST_DUE, LOST_RECORDED, LOST_CLOCK};
    size_t count = 2;
    for (size_t i = 0; i < FIELD_COUNT_OF(lengths_ns); i++)
        for (size_t w = 0; w < FIELD_COUNT_OF(ways); w++)
            out[count++] = LOST_TIME | ways[w] | lengths_ns[i];
    return count;
}

char *lost_words(uint64_t parameter)
{
    char text[32];
    duration_format(length_of(parameter), text);
    if (parameter & LOST_TIME)
        return must_format("%s of them, by the instant %s", text,
                           parameter & LOST_DUE        ? "due"
                           : parameter & LOST_RECORDED ? "of the answers recorded"
                                                       : "of the answer");
    return must_format("%zu of them, %s", (size_t)(parameter / 2),
                       parameter % 2 == 0 ? "in the order of the answers" : "in the order due");
}
