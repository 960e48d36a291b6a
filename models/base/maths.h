/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_BASE_MATHS_H
#define DUETIME_BASE_MATHS_H

/* Functions whose every bit is the same on every machine: + - * / and sqrt on doubles in a fixed
   order, nothing from libm.  Whatever reaches a draw comes from here. */

#include <string.h>

#include "models/base/random.h"
#include "models/base/time.h"

/* Natural logarithm of x in (0, 1]; error below 1 unit in the last place.  Inline and without a
   branch, so that a compiler can take several at a time.

   x = 2^k m with m in [sqrt(1/2), sqrt(2)); log m = 2 atanh(s), s = (m-1)/(m+1), by the odd series
   in s, |s| <= 0.1716, cut where the next term is below 2^-60; k log 2 in two parts (the high one
   has zero low bits, so k * high is exact). */
static inline double portable_log(double x)
{
    uint64_t bits, exponent;
    memcpy(&bits, &x, sizeof bits);
    uint64_t rounded = bits + (UINT64_C(0x3ff0000000000000) - UINT64_C(0x3fe6a09e667f3bcd));
    exponent = (rounded >> 52) | UINT64_C(0x4330000000000000); /* 2^52 + biased exponent */
    double k, m;
    memcpy(&k, &exponent, sizeof k);
    k = k - (0x1p52 + 1023.0);
    bits = (rounded & UINT64_C(0x000fffffffffffff)) + UINT64_C(0x3fe6a09e667f3bcd);
    memcpy(&m, &bits, sizeof m);

    double f = m - 1.0;
    double s = f / (2.0 + f);
    double z = s * s;
    double w = z * z;
    /* 2/3 z + 2/5 z^2 + ... + 2/21 z^10 */
    double odd = z * (2.0 / 3 + w * (2.0 / 7 + w * (2.0 / 11 + w * (2.0 / 15 + w * (2.0 / 19)))));
    double even = w * (2.0 / 5 + w * (2.0 / 9 + w * (2.0 / 13 + w * (2.0 / 17 + w * (2.0 / 21)))));
    double r = odd + even;
    double half = 0.5 * f * f;
    /* log m = f - (half - s (half + r)), the form that keeps f exact */
    double log2_high = 6.93147180369123816490e-01, log2_low = 1.90821492927058770002e-10;
    return k * log2_high - ((half - (s * (half + r) + k * log2_low)) - f);
}

/* Rounds a finite x >= 0 half to even to whole ns; values of NS_LIMIT or more become NS_LIMIT,
   which the engine reports as an overflow.  Adding 2^52 leaves no room for a fraction, so the
   addition itself rounds. */
static inline ns_t round_ns(double x)
{
    if (x >= 0x1p52)
        return x >= (double)NS_LIMIT ? NS_LIMIT : (ns_t)x;
    double shifted = x + 0x1p52;
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    return bits & UINT64_C(0x000fffffffffffff);
}

/* e^x; below one unit in the last place from the true value for |x| <= 708, below that 0, above it
   a number far beyond NS_LIMIT and finite. */
double portable_exp(double x);

/* x^y for x in (0, 1]: off by a relative (2 + 2 |y ln x|) 2^-53 at most, with the same ends. */
double portable_power(double x, double y);

/* The standard normal draw of a unit_of() u: the quantile at u - 2^-54, the middle of its cell, so
   that u = 1 is finite too; |result| < 8.4.  Wichura's AS 241 (Applied Statistics 37, 1988): off by
   2^-50 relative at most. */
double portable_normal(double u);

/* Writes exponential draws first .. first+count-1 of the stream, rounded to whole ns.  They are
   made of logarithms of numbers that are never 0, so none is longer than 66.6 means.  Which words
   a draw is made of depends on the mean: nothing else may use words of the same stream. */
void exponential_draws(struct stream stream, uint64_t first, double mean_ns, ns_t *out_ns,
                       size_t count);

/* The nearest multiple of 2^-40: what a law's probability is rounded to before it may steer a
   stationary start, so that the last bit of a special function cannot change a run. */
double round_probability(double p);

#endif
