/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_BASE_TIME_H
#define DUETIME_BASE_TIME_H

/* Virtual time, exact decimals and the integer arithmetic under both. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t ns_t;
__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)

/* The longest instant or duration a scenario may name: 2^62 ns, 146 years.  Sums of two never
   wrap, so only sums over many requests need 128 bits. */
#define NS_LIMIT (UINT64_C(1) << 62)

/* A non-negative rational kept exactly: num/den, den > 0, in lowest terms. */
struct ratio {
    uint64_t num, den;
};

/* A value of whole ns and thousandths of a ns: interpolated percentiles have both. */
struct quantity {
    ns_t ns;
    uint32_t thousandths; /* 0..999 */
};

/* Reads a decimal number such as 0.999 or 5000 or 1.5e3, exactly, in lowest terms.
   False when the text is not one or does not fit (about 18 digits). */
bool ratio_parse(const char *text, size_t length, struct ratio *out);

struct ratio ratio_make(uint64_t num, uint64_t den);
double ratio_double(struct ratio r);

enum duration_fault {
    DURATION_OK,
    DURATION_SYNTAX,
    DURATION_DIGITS, /* 2^64 or more of the last decimal, or more than 18 decimals */
    DURATION_UNIT,
    DURATION_FRACTION,
    DURATION_TOO_LONG
};

/* Reads "1.5ms": an exact decimal and one of ns us ms s min.  A value that is no whole number
   of ns is DURATION_FRACTION; one of NS_LIMIT or more is DURATION_TOO_LONG. */
enum duration_fault duration_parse(const char *text, size_t length, ns_t *out);

/* Writes ns exactly, with the largest unit up to s of which it is at least one: "1.5ms", "0ns". */
void duration_format(ns_t ns, char out[32]);

/* Greatest common divisor; gcd(0, n) = n. */
uint64_t gcd_u64(uint64_t a, uint64_t b);

/* Floor and ceiling of a/b for b > 0 and any sign of a. */
i128 floor_div(i128 a, i128 b);
i128 ceil_div(i128 a, i128 b);

/* Decimal digits of a 128-bit value; out has at least 48 bytes.  Returns out. */
char *format_i128(i128 value, char out[48]);

#endif
