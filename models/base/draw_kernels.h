/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_BASE_DRAW_KERNELS_H
#define DUETIME_BASE_DRAW_KERNELS_H

#include <stddef.h>

#include "models/base/random.h"
#include "models/base/time.h"
#include "models/base/vector.h"

/* The largest mean, in ns, whose draws the kernel can round: 66.6 of them are below 2^52. */
#define EXPONENTIAL_FAST_MEAN_NS 0x1p45

#define DRAWS_IN_LANES 128

static inline size_t draw_in_lanes(size_t j)
{
    return 16 * (j % 8) + j / 8 * 8;
}

struct draw_kernels {
    /* Exponential draws first .. first+count-1 of the stream, rounded half to even to whole ns;
       mean_ns at most EXPONENTIAL_FAST_MEAN_NS.  Draws 16k + i and 16k + 8 + i, i < 8, are made of
       word 8k + i, and none is longer than 66.6 means. */
    void (*exponential)(struct stream stream, uint64_t first, double mean_ns, ns_t *out_ns,
                        size_t count);
    /* Each becomes the sum of from_ns, those before it and itself, modulo 2^64; the last of them.
     */
    ns_t (*sums)(ns_t from_ns, ns_t *ns, size_t count);
    /* The same draws in another order: of each DRAWS_IN_LANES, draw 16l + j stands at
       draw_in_lanes(j) + l, so that sixteen that follow each other are one lane of eight.  first is
       a multiple of 16, count of DRAWS_IN_LANES.  NULL: vectors are not wide enough. */
    void (*in_lanes)(struct stream stream, uint64_t first, double mean_ns, ns_t *out_ns,
                     size_t count);
};
VECTOR_TABLES(draw_kernels)

#endif
