/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_BASE_BITS_H
#define DUETIME_BASE_BITS_H

/* Doubles as words of bits, for kernels: vectors have no conversion of whole numbers of 64 bits
   everywhere, but all have these. */

#include <stdint.h>
#include <string.h>

#define MANTISSA_BITS 52
#define BITS_OF_2_52 UINT64_C(0x4330000000000000) /* the bits of 2^52 */
#define MANTISSA_MASK ((UINT64_C(1) << MANTISSA_BITS) - 1)

static inline double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t to_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* 2^52 + n of a whole number n below 2^52, whose last 52 bits are those of n. */
static inline double above_2_52(uint64_t n)
{
    return from_bits(n | BITS_OF_2_52);
}

/* The number itself; taking 2^52 off again is exact. */
static inline double whole(uint64_t n)
{
    return above_2_52(n) - 0x1p52;
}

#endif
