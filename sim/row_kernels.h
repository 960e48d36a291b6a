/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_ROW_KERNELS_H
#define DUETIME_ROW_KERNELS_H

/* What is done to whole columns of a batch: no branch a row. */

#include <stddef.h>
#include <stdint.h>

#include "models/base/time.h"
#include "models/base/vector.h"

/* Of a column of values below 2^62; all of it 0 where there are none, but for the least. */
struct span {
    ns_t least_ns, greatest_ns;
    uint64_t sum_ns; /* modulo 2^64 */
};

/* A sum of at most a thousand values below it does not wrap. */
#define SPAN_SUM_BELOW (UINT64_C(1) << 53)

struct row_kernels {
    /* out[i] = to[i] - from[i], never below 0; out_ns shares nothing with the others. */
    struct span (*differences)(const ns_t *to_ns, const ns_t *from_ns, ns_t *out_ns, size_t count);
    struct span (*span)(const ns_t *values_ns, size_t count);

    /* The sum of to[i] - from[i] modulo 2^64; *any_ns is their bitwise or. */
    uint64_t (*sum_between)(const ns_t *to_ns, const ns_t *from_ns, size_t count, ns_t *any_ns);

    /* How many are in [low, low + width); below 2^62, all of them. */
    uint64_t (*within)(const ns_t *values_ns, size_t count, ns_t low_ns, ns_t width_ns);

    /* How many to[i] - from[i] are above it. */
    uint64_t (*above)(const ns_t *to_ns, const ns_t *from_ns, size_t count, ns_t limit_ns);

    /* The leading bits of values below 2^52 as a double has them, exponent and then `bits` of the
       mantissa, counted from those of 1; 0 for 0. */
    void (*leading)(const ns_t *values_ns, size_t count, unsigned bits, uint32_t *out);
};
VECTOR_TABLES(row_kernels)

#endif
