/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/base/maths.h"

#define BLOCK 128

/* In blocks: hashing, logarithms and rounding are each a plain loop. */
void exponential_draws(struct stream stream, uint64_t first, double mean_ns, ns_t *out_ns,
                       size_t count)
{
    double x[BLOCK];
    for (size_t done = 0; done < count; done += BLOCK) {
        size_t block = count - done < BLOCK ? count - done : BLOCK;
        for (size_t i = 0; i < block; i++)
            x[i] = unit_of(stream_word(stream, first + done + i));
        for (size_t i = 0; i < block; i++)
            x[i] = mean_ns * -portable_log(x[i]);
        for (size_t i = 0; i < block; i++)
            out_ns[done + i] = round_ns(x[i]);
    }
}

double round_probability(double p)
{
    return (double)round_ns(p * 0x1p40) * 0x1p-40;
}
