/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/base/time.h"

#include <string.h>

uint64_t gcd_u64(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

i128 floor_div(i128 a, i128 b)
{
    i128 q = a / b;
    return q - (a % b < 0);
}

i128 ceil_div(i128 a, i128 b)
{
    i128 q = a / b;
    return q + (a % b > 0);
}

struct ratio ratio_make(uint64_t num, uint64_t den)
{
    uint64_t g = gcd_u64(num, den);
    return (struct ratio){num / g, den / g};
}

double ratio_double(struct ratio r)
{
    return (double)r.num / (double)r.den;
}

enum digits { DIGITS_SOME, DIGITS_NONE, DIGITS_MANY };

/* Digits of a decimal as num / 10^scale.  *used counts the characters read. */
static enum digits digits_parse(const char *text, size_t length, uint64_t *num, unsigned *scale,
                                size_t *used)
{
    bool point = false, any = false;
    *num = 0;
    *scale = 0;
    size_t i = 0;
    for (; i < length; i++) {
        if (text[i] == '.' && !point && any) {
            point = true;
            continue;
        }
        if (text[i] < '0' || text[i] > '9')
            break;
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (*num > (UINT64_MAX - digit) / 10 || (point && *scale == 18))
            return DIGITS_MANY;
        *num = *num * 10 + digit;
        *scale += point;
        any = true;
    }
    *used = i;
    return any && text[i - 1] != '.' ? DIGITS_SOME : DIGITS_NONE;
}

static uint64_t power_of_ten(unsigned exponent)
{
    uint64_t p = 1;
    while (exponent-- > 0)
        p *= 10;
    return p;
}

bool ratio_parse(const char *text, size_t length, struct ratio *out)
{
    uint64_t num;
    unsigned scale;
    size_t used;
    if (digits_parse(text, length, &num, &scale, &used) != DIGITS_SOME)
        return false;
    int exponent = 0;
    if (used < length && (text[used] == 'e' || text[used] == 'E')) {
        size_t i = used + 1;
        bool negative = i < length && text[i] == '-';
        if (i < length && (text[i] == '-' || text[i] == '+'))
            i++;
        if (i == length)
            return false;
        for (; i < length && text[i] >= '0' && text[i] <= '9' && exponent < 1000; i++)
            exponent = exponent * 10 + (text[i] - '0');
        if (negative)
            exponent = -exponent;
        used = i;
    }
    if (used != length)
        return false;
    for (; scale > 0 && num % 10 == 0; scale--)
        num /= 10;
    exponent -= (int)scale;
    if (num == 0)
        exponent = 0;
    for (; exponent > 0; exponent--) {
        if (num > UINT64_MAX / 10)
            return false;
        num *= 10;
    }
    if (exponent < -18)
        return false;
    *out = ratio_make(num, power_of_ten((unsigned)-exponent));
    return true;
}

struct unit_name {
    const char *name;
    ns_t ns;
};

static const struct unit_name unit_names[] = {
    {"min", 60 * NS_PER_S}, {"s", NS_PER_S}, {"ms", NS_PER_MS}, {"us", NS_PER_US}, {"ns", 1},
};

enum duration_fault duration_parse(const char *text, size_t length, ns_t *out)
{
    uint64_t num;
    unsigned scale;
    size_t used;
    enum digits digits = digits_parse(text, length, &num, &scale, &used);
    if (digits != DIGITS_SOME)
        return digits == DIGITS_MANY ? DURATION_DIGITS : DURATION_SYNTAX;
    for (size_t i = 0; i < sizeof unit_names / sizeof unit_names[0]; i++) {
        const struct unit_name *unit = &unit_names[i];
        if (strlen(unit->name) != length - used ||
            memcmp(text + used, unit->name, length - used) != 0)
            continue;
        u128 scaled = (u128)num * unit->ns;
        uint64_t divisor = power_of_ten(scale);
        if (scaled % divisor != 0)
            return DURATION_FRACTION;
        if (scaled / divisor >= NS_LIMIT)
            return DURATION_TOO_LONG;
        *out = (ns_t)(scaled / divisor);
        return DURATION_OK;
    }
    return DURATION_UNIT;
}

/* At least so many digits; where they end. */
static char *write_digits(char *out, uint64_t number, size_t least)
{
    char digits[20];
    size_t count = 0;
    for (; number > 0 || count < least; number /= 10)
        digits[count++] = (char)('0' + number % 10);
    while (count > 0)
        *out++ = digits[--count];
    return out;
}

void duration_format(ns_t ns, char out[32])
{
    const struct unit_name *unit = &unit_names[1]; /* minutes have no exact decimals */
    while (ns < unit->ns && unit->ns > 1)
        unit++;
    char *end = write_digits(out, ns / unit->ns, 1);
    if (ns % unit->ns != 0) {
        size_t places = 0;
        for (ns_t parts = unit->ns; parts > 1; parts /= 10)
            places++;
        *end++ = '.';
        end = write_digits(end, ns % unit->ns, places);
        while (end[-1] == '0')
            end--;
    }
    memcpy(end, unit->name, strlen(unit->name) + 1);
}

char *format_i128(i128 value, char out[48])
{
    char digits[48];
    size_t count = 0, length = 0;
    bool negative = value < 0;
    u128 rest = negative ? (u128)0 - (u128)value : (u128)value;
    do {
        digits[count++] = (char)('0' + (int)(rest % 10));
        rest /= 10;
    } while (rest != 0);
    if (negative)
        out[length++] = '-';
    while (count > 0)
        out[length++] = digits[--count];
    out[length] = '\0';
    return out;
}
