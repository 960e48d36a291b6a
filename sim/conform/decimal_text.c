/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/conform/decimal_text.h"

#define DIGITS_MOST 36
#define EXPONENT_MOST 1000000

/* A number as its digits: text[first..end) with perhaps a point in it. */
struct digits {
    size_t first, end;
    size_t whole; /* digits before the point */
    int exponent;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool split_exponent(const char *text, size_t length, size_t at, int *out)
{
    *out = 0;
    if (at == length)
        return true;
    if (text[at] != 'e' && text[at] != 'E')
        return false;
    bool negative = ++at < length && text[at] == '-';
    if (at < length && (text[at] == '-' || text[at] == '+'))
        at++;
    if (at == length)
        return false;
    for (; at < length && is_digit(text[at]); at++)
        if (*out < EXPONENT_MOST)
            *out = *out * 10 + (text[at] - '0');
    if (negative)
        *out = -*out;
    return at == length;
}

static bool split(const char *text, size_t length, struct digits *out)
{
    size_t at = out->first;
    while (at < length && is_digit(text[at]))
        at++;
    out->whole = at - out->first;
    if (out->whole == 0)
        return false;
    if (at < length && text[at] == '.') {
        size_t point = at++;
        while (at < length && is_digit(text[at]))
            at++;
        if (at == point + 1)
            return false;
    }
    out->end = at;
    return split_exponent(text, length, at, &out->exponent);
}

/* Where the digits end that make up the whole number: rounds it by the first one after it and by
   whether any other is not 0. */
static void round_even(struct decimal *out, int first, bool others)
{
    out->exact = first == 0 && !others;
    if (first > 5 || (first == 5 && (others || out->whole % 2 != 0)))
        out->whole++;
}

bool decimal_scaled(const char *text, size_t length, int exponent, struct decimal *out)
{
    *out = (struct decimal){.exact = true};
    bool minus = length > 0 && text[0] == '-';
    struct digits digits = {.first = minus};
    if (!split(text, length, &digits))
        return false;
    /* Digits that count before the point, once it has moved. */
    long left = (long)digits.whole + digits.exponent + exponent;
    int first_lost = 0;
    bool others_lost = false, any = false;
    long place = 0;
    for (size_t i = digits.first; i < digits.end; i++) {
        if (text[i] == '.')
            continue;
        int digit = text[i] - '0';
        any |= digit != 0;
        if (place < left && out->whole != 0 && left - place > DIGITS_MOST)
            out->too_large = true;
        if (place < left && !out->too_large)
            out->whole = out->whole * 10 + digit;
        else if (place == left)
            first_lost = digit;
        else if (place > left)
            others_lost |= digit != 0;
        place++;
    }
    for (; place < left && out->whole != 0 && !out->too_large; place++) {
        out->too_large = left - place > DIGITS_MOST;
        out->whole *= out->too_large ? 1 : 10;
    }
    i128 most = 1;
    for (int i = 0; i < DIGITS_MOST; i++)
        most *= 10;
    out->too_large |= out->whole >= most;
    round_even(out, first_lost, others_lost);
    out->negative = minus && any;
    return true;
}
