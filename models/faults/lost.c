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

void samples_lose(const struct requests *requests, struct population *s, uint64_t parameter,
                  bool last)
{
    size_t n = s->count, lost = parameter / 2 < n ? (size_t)(parameter / 2) : n, kept = 0;
    if (n == 0)
        return;
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
    return 2;
}

char *lost_words(uint64_t parameter)
{
    return must_format("%zu of them, %s", (size_t)(parameter / 2),
                       parameter % 2 == 0 ? "in the order of the answers" : "in the order due");
}
