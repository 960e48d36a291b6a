/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_ROW_KERNELS_H
#define DUETIME_ROW_KERNELS_H

/* What is done to whole columns of a batch: no branch a row. */

#include <stddef.h>
#include <stdint.h>

#include "models/base/time.h"
#include "models/base/vector.h"

/* Of values below 2^62; of none it is SPAN_NONE. */
struct span {
    ns_t least_ns, greatest_ns;
    uint64_t sum_ns; /* modulo 2^64 */
};
#define SPAN_NONE ((struct span){INT64_MAX, 0, 0})

/* A sum of at most a thousand values below it does not wrap. */
#define SPAN_SUM_BELOW (UINT64_C(1) << 53)

/* Columns have a span for each block of so many rows, the last for the rest. */
#define SPAN_ROWS 256
#define SPANS_OF(count) (((count) + SPAN_ROWS - 1) / SPAN_ROWS)

struct row_kernels {
    /* out[i] = to[i] - from[i], never below 0, and their spans; out_ns shares nothing with the
       others. */
    void (*differences)(const ns_t *to_ns, const ns_t *from_ns, size_t count, ns_t *out_ns,
                        struct span *spans);
    void (*spans)(const ns_t *values_ns, size_t count, struct span *spans);

    /* Modulo 2^64. */
    uint64_t (*sum)(const ns_t *values_ns, size_t count);

    /* How many are in [low, low + width); below 2^62, all of them. */
    uint64_t (*within)(const ns_t *values_ns, size_t count, ns_t low_ns, ns_t width_ns);

    /* How many are above the limit; all are below 2^62. */
    uint64_t (*above)(const ns_t *values_ns, size_t count, ns_t limit_ns);

    /* How many keys are below the limit, which like them is at most 2^62, and the sum of their
       values, modulo 2^64. */
    uint64_t (*below)(const ns_t *keys_ns, const ns_t *values_ns, size_t count, ns_t limit_ns,
                      uint64_t *sum_ns);

    /* The leading_cell of each, and their sum, modulo 2^32; the values are from least_ns on, below
       LEADING_BELOW. */
    uint32_t (*leading)(const ns_t *values_ns, size_t count, unsigned bits, ns_t least_ns,
                        uint32_t *out);
};
VECTOR_TABLES(row_kernels)

/* How many of a column that never falls are below the limit, of at least one row: it halves what
   is left, without a branch that nobody could foretell. */
static inline size_t rows_halved(const ns_t *column_ns, size_t count, ns_t limit_ns)
{
    size_t below = 0;
    for (size_t left = count, half; left > 1; left -= half) {
        half = left / 2;
        below += half & -(size_t)(column_ns[below + half - 1] < limit_ns);
    }
    return below + (column_ns[below] < limit_ns);
}

/* The same of any column.  Most often all are, or none. */
static inline size_t rows_below(const ns_t *column_ns, size_t count, ns_t limit_ns)
{
    if (count == 0 || column_ns[0] >= limit_ns)
        return 0;
    if (column_ns[count - 1] < limit_ns)
        return count;
    return rows_halved(column_ns, count, limit_ns);
}

/* Cells of leading bits: each whole number up to 2^bits has one of its own, and from there on
   those that share exponent and the first `bits` of the mantissa, as a double has them. */

#define LEADING_BELOW (UINT64_C(1) << 52)

/* Of values below 2^62. */
#define LEADING_CELLS(bits) ((size_t)(63 - (bits)) << (bits))

static inline uint32_t leading_cell(ns_t value_ns, unsigned bits)
{
    unsigned power = 63 - (unsigned)__builtin_clzll(value_ns | UINT64_C(1) << bits);
    return ((power - bits) << bits) + (uint32_t)(value_ns >> (power - bits));
}

/* The least value of a cell; cell <= LEADING_CELLS. */
static inline ns_t leading_low_ns(uint32_t cell, unsigned bits)
{
    unsigned shift = cell >> bits > 0 ? (cell >> bits) - 1 : 0;
    return (ns_t)(cell - (shift << bits)) << shift;
}

#endif
