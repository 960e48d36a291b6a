/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/base/maths.h"

#include <string.h>

/* x = 2^k m with m in [sqrt(1/2), sqrt(2)); log m = 2 atanh(s), s = (m-1)/(m+1), by the odd series
   in s, |s| <= 0.1716, cut where the next term is below 2^-60; k log 2 in two parts (the high one
   has zero low bits, so k * high is exact). */
double portable_log(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t rounded = bits + (UINT64_C(0x3ff0000000000000) - UINT64_C(0x3fe6a09e667f3bcd));
    double k = (double)((int64_t)(rounded >> 52) - 1023);
    bits = (rounded & UINT64_C(0x000fffffffffffff)) + UINT64_C(0x3fe6a09e667f3bcd);
    double m;
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

/* Adding 2^52 leaves no room for a fraction, so the addition itself rounds half to even. */
ns_t round_ns(double x)
{
    if (x >= (double)NS_LIMIT)
        return NS_LIMIT;
    if (x >= 0x1p52)
        return (ns_t)x;
    double shifted = x + 0x1p52;
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    return bits & UINT64_C(0x000fffffffffffff);
}

double round_probability(double p)
{
    return (double)round_ns(p * 0x1p40) * 0x1p-40;
}
