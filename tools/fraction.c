/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/fraction.h"

#include <math.h>

static const struct fraction nothing = {.den = 1, .lost = true};

struct fraction fraction_of(i128 num, i128 den)
{
    if (den == 0)
        return nothing;
    i128 a = num < 0 ? -num : num, b = den < 0 ? -den : den;
    while (b != 0) {
        i128 rest = a % b;
        a = b;
        b = rest;
    }
    if (den < 0)
        a = -a;
    return (struct fraction){.num = num / a, .den = den / a};
}

struct fraction fraction_whole(i128 whole)
{
    return (struct fraction){.num = whole, .den = 1};
}

struct fraction fraction_multiply(struct fraction a, struct fraction b)
{
    /* Across first, so that nothing is lost that the result would not need. */
    struct fraction left = fraction_of(a.num, b.den), right = fraction_of(b.num, a.den);
    i128 num, den;
    if (a.lost || b.lost || __builtin_mul_overflow(left.num, right.num, &num) ||
        __builtin_mul_overflow(left.den, right.den, &den))
        return nothing;
    return fraction_of(num, den);
}

struct fraction fraction_divide(struct fraction a, struct fraction b)
{
    if (b.lost || b.num == 0)
        return nothing;
    return fraction_multiply(a, fraction_of(b.den, b.num));
}

struct fraction fraction_add(struct fraction a, struct fraction b)
{
    /* a.num/a.den + b.num/b.den over the least common denominator. */
    struct fraction ratio = fraction_of(b.den, a.den);
    i128 left, right, num, den;
    if (a.lost || b.lost || __builtin_mul_overflow(a.num, ratio.num, &left) ||
        __builtin_mul_overflow(b.num, ratio.den, &right) ||
        __builtin_add_overflow(left, right, &num) || __builtin_mul_overflow(a.den, ratio.num, &den))
        return nothing;
    return fraction_of(num, den);
}

struct fraction fraction_subtract(struct fraction a, struct fraction b)
{
    b.num = -b.num;
    return fraction_add(a, b);
}

bool fraction_less(struct fraction a, struct fraction b)
{
    struct fraction difference = fraction_subtract(b, a);
    return !difference.lost && difference.num > 0;
}

i128 fraction_floor(struct fraction a)
{
    return a.lost ? 0 : floor_div(a.num, a.den);
}

i128 fraction_ceiling(struct fraction a)
{
    return a.lost ? 0 : ceil_div(a.num, a.den);
}

double fraction_double(struct fraction a)
{
    return a.lost ? NAN : (double)a.num / (double)a.den;
}
