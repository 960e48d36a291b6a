/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_STREAM_WITH_H
#define DUETIME_STREAM_WITH_H

/* A stream whose word at an index is the given one: the steps of stream_word undone. */

#include "models/base/error.h"
#include "models/base/random.h"

static inline uint64_t inverse_of(uint64_t odd)
{
    uint64_t x = odd; /* right in 3 bits; each step of Newton doubles them */
    for (int i = 0; i < 5; i++)
        x *= 2 - odd * x;
    return x;
}

static inline uint64_t unshifted(uint64_t z, int bits)
{
    uint64_t x = z;
    for (int done = bits; done < 64; done += bits)
        x = z ^ (x >> bits);
    return x;
}

static inline struct stream stream_with(uint64_t index, uint64_t word)
{
    uint64_t z = unshifted(word, 31) * inverse_of(MIX_SECOND);
    z = unshifted(z, 27) * inverse_of(MIX_FIRST);
    struct stream s = {unshifted(z, 30) - index * WEYL_STEP, 0};
    BUG_IF(stream_word(s, index) != word);
    return s;
}

#endif
