/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/stores/radix.h"

#include <string.h>

/* Up to so many are sorted least significant digit first: they stay in the second cache.  More are
   first dealt out by their leading digit. */
#define NEAR_MOST ((size_t)1 << 15)
#define NEAR_BITS 11
#define NEAR_DIGITS ((size_t)1 << NEAR_BITS)
#define FAR_BITS 8
#define FAR_DIGITS ((size_t)1 << FAR_BITS)

/* Fewer are not worth their counts of digits. */
#define FEW 48

static void insert(ns_t *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        ns_t value = values[i];
        size_t at = i;
        for (; at > 0 && values[at - 1] > value; at--)
            values[at] = values[at - 1];
        values[at] = value;
    }
}

/* By `bits` bits from `shift` on, keeping the order of those that agree in them. */
static void deal(const ns_t *from, ns_t *to, size_t count, unsigned shift, unsigned bits)
{
    uint32_t start[NEAR_DIGITS + 1];
    size_t digits = (size_t)1 << bits;
    ns_t mask = digits - 1;
    memset(start, 0, (digits + 1) * sizeof *start);
    for (size_t i = 0; i < count; i++)
        start[(from[i] >> shift & mask) + 1]++;
    for (size_t d = 1; d < digits; d++)
        start[d + 1] += start[d];
    for (size_t i = 0; i < count; i++)
        to[start[from[i] >> shift & mask]++] = from[i];
}

/* Values that agree above their last `bits` bits, at most NEAR_MOST; the result is in `into`, which
   is values or scratch. */
static void sort_near(ns_t *values, ns_t *scratch, size_t count, unsigned bits, ns_t *into)
{
    ns_t *from = values, *to = scratch;
    unsigned passes = (bits + NEAR_BITS - 1) / NEAR_BITS;
    if (count <= FEW) {
        insert(values, count);
        passes = 0;
    }
    for (unsigned pass = 0, shift = 0; pass < passes; pass++) {
        unsigned digit = (bits - shift + passes - pass - 1) / (passes - pass);
        deal(from, to, count, shift, digit);
        shift += digit;
        ns_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != into)
        memcpy(into, from, count * sizeof *into);
}

static unsigned bits_that_differ(const ns_t *values, size_t count)
{
    ns_t differs = 0;
    for (size_t i = 1; i < count; i++)
        differs |= values[i] ^ values[0];
    return differs == 0 ? 0 : 64 - (unsigned)__builtin_clzll(differs);
}

/* Each level of recursion has FAR_BITS fewer bits. */
static void sort_into(ns_t *values, ns_t *scratch, size_t count, ns_t *into)
{
    unsigned bits = bits_that_differ(values, count);
    if (count <= NEAR_MOST || bits <= NEAR_BITS) {
        sort_near(values, scratch, count, bits, into);
        return;
    }
    size_t ends[FAR_DIGITS + 1] = {0};
    unsigned shift = bits - FAR_BITS;
    for (size_t i = 0; i < count; i++)
        ends[(values[i] >> shift & (FAR_DIGITS - 1)) + 1]++;
    for (size_t d = 0; d < FAR_DIGITS; d++)
        ends[d + 1] += ends[d];
    for (size_t i = 0; i < count; i++)
        scratch[ends[values[i] >> shift & (FAR_DIGITS - 1)]++] = values[i];
    for (size_t d = 0, first = 0; d < FAR_DIGITS; d++) {
        sort_into(scratch + first, values + first, ends[d] - first,
                  into == values ? values + first : scratch + first);
        first = ends[d];
    }
}

void radix_sort(ns_t *values_ns, ns_t *scratch, size_t count)
{
    if (count > 1)
        sort_into(values_ns, scratch, count, values_ns);
}
