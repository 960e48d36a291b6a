/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/row_kernels.h"

#include "models/base/bits.h"

/* Instants are below 2^62, so signed comparisons, which vectors have, order them too. */

static inline struct span span_of(const ns_t *restrict to_ns, const ns_t *restrict from_ns,
                                  ns_t *restrict out_ns, size_t count)
{
    int64_t least = INT64_MAX, greatest = 0;
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t x = (int64_t)(to_ns[i] - (from_ns != NULL ? from_ns[i] : 0));
        if (out_ns != NULL)
            out_ns[i] = (ns_t)x;
        least = x < least ? x : least;
        greatest = x > greatest ? x : greatest;
        sum += (uint64_t)x;
    }
    return (struct span){(ns_t)least, (ns_t)greatest, sum};
}

static void differences(const ns_t *to_ns, const ns_t *from_ns, size_t count, ns_t *out_ns,
                        struct span *spans)
{
    size_t at = 0;
    for (; at + SPAN_ROWS <= count; at += SPAN_ROWS)
        *spans++ = span_of(to_ns + at, from_ns + at, out_ns + at, SPAN_ROWS);
    if (at < count)
        *spans = span_of(to_ns + at, from_ns + at, out_ns + at, count - at);
}

static void spans(const ns_t *values_ns, size_t count, struct span *found)
{
    for (size_t at = 0; at < count; at += SPAN_ROWS)
        *found++ =
            span_of(values_ns + at, NULL, NULL, count - at < SPAN_ROWS ? count - at : SPAN_ROWS);
}

static uint64_t sum(const ns_t *values_ns, size_t count)
{
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++)
        all += values_ns[i];
    return all;
}

/* x is in [0, width) where x - width has its sign bit, and x has not. */
static uint64_t within(const ns_t *values_ns, size_t count, ns_t low_ns, ns_t width_ns)
{
    uint64_t inside = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t x = values_ns[i] - low_ns;
        inside += ((x - width_ns) & ~x) >> 63;
    }
    return inside;
}

/* As a double a value has its leading bit in front. */
static void leading(const ns_t *restrict values_ns, size_t count, unsigned bits,
                    uint32_t *restrict out)
{
    unsigned shift = MANTISSA_BITS - bits;
    int64_t before_1 = (INT64_C(1023) << bits) - 1;
    for (size_t i = 0; i < count; i++) {
        int32_t at = (int32_t)(to_bits(whole(values_ns[i])) >> shift) - (int32_t)before_1;
        out[i] = (uint32_t)(at > 0 ? at : 0);
    }
}

const struct row_kernels VECTOR_NAME(row_kernels) = {differences, spans, sum, within, leading};
