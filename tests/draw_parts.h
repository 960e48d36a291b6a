/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_DRAW_PARTS_H
#define DUETIME_DRAW_PARTS_H

/* What exponential draws are made of, said a second time: a byte at a time, and by the logarithm of
   the C library. */

#include <math.h>

#include "models/base/random.h"

#define PARTS 3
#define PART_BITS 48

/* The bytes of a word, from the highest on, that the uniforms u, v and w are made of; some of w are
   changed by another. */
static const int part_bytes[PARTS][6] = {
    {7, 6, 5, 4, 3, 2}, {3, 2, 1, 0, 7, 6}, {4, 5, 7, 6, 5, 4}};
static const int changed_by[] = {2, 1, 0, 3};

/* In 2^-48. */
static inline uint64_t part_of(uint64_t word, int part)
{
    uint64_t bits = 0;
    for (int i = 0; i < 6; i++) {
        uint64_t change = part == 2 && i < 4 ? word >> (8 * changed_by[i]) : 0;
        bits = bits << 8 | (((word >> (8 * part_bytes[part][i])) ^ change) & 0xff);
    }
    return part < 2 ? bits | 1 : bits;
}

/* In means: the time of two events, the place w of the first in it, and 1 - w. */
struct truth {
    long double whole, share[2];
};

static inline struct truth truth_of(uint64_t word)
{
    uint64_t w = part_of(word, 2);
    long double p = (long double)part_of(word, 0) * (long double)part_of(word, 1);
    struct truth t = {
        -logl(p * 0x1p-96L),
        {(long double)w * 0x1p-48L, (long double)((UINT64_C(1) << PART_BITS) - w) * 0x1p-48L}};
    return t;
}

/* Words 8k .. 8k+7 give draws 16k .. 16k+7 first, and then draws 16k+8 .. 16k+15. */
static inline uint64_t word_of_draw(uint64_t number)
{
    return number / 16 * 8 + number % 8;
}

static inline int half_of_draw(uint64_t number)
{
    return number % 16 >= 8;
}

static inline long double draw_at(struct stream stream, uint64_t number, double mean_ns)
{
    struct truth t = truth_of(stream_word(stream, word_of_draw(number)));
    return (long double)mean_ns * t.whole * t.share[half_of_draw(number)];
}

#endif
