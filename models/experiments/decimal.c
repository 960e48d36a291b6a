/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/experiments/decimal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/error.h"

#define DIGITS_MOST 18

static u128 power_of_10(unsigned n)
{
    u128 power = 1;
    while (n-- > 0)
        power *= 10;
    return power;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The digits and the point of them; true where there is at least one. */
static bool read_digits(const char **at, struct decimal *out)
{
    unsigned count = 0;
    bool any = false, point = false;
    for (; is_digit(**at) || (**at == '.' && !point); (*at)++) {
        if (**at == '.') {
            point = true;
            continue;
        }
        any = true;
        count += count > 0 || **at != '0';
        if (count > DIGITS_MOST || (point && out->places == DIGITS_MOST))
            return false;
        out->digits = out->digits * 10 + (unsigned)(**at - '0');
        out->places += point;
    }
    return any;
}

static bool read_exponent(const char **at, struct decimal *out)
{
    if (**at != 'e' && **at != 'E')
        return true;
    char *end;
    long exponent = strtol(*at + 1, &end, 10);
    if (end == *at + 1 || exponent > DIGITS_MOST || exponent < -DIGITS_MOST)
        return false;
    *at = end;
    for (; exponent > 0; exponent--) {
        if (out->places > 0)
            out->places--;
        else
            out->digits *= 10;
    }
    out->places += (unsigned)-exponent;
    return out->digits < power_of_10(DIGITS_MOST) && out->places <= DIGITS_MOST;
}

bool decimal_parse(const char *text, struct decimal *out)
{
    static const char *const units[] = {"ns", "us", "ms", "s", "min"};
    *out = (struct decimal){0};
    bool quoted = text[0] == '"';
    const char *at = text + quoted;
    if (!read_digits(&at, out) || !read_exponent(&at, out))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t length = strlen(units[i]);
        if (strncmp(at, units[i], length) == 0 && !isalpha((unsigned char)at[length])) {
            memcpy(out->unit, units[i], length + 1);
            at += length;
            break;
        }
    }
    return strcmp(at, quoted ? "\"" : "") == 0;
}

char *decimal_text(struct decimal d)
{
    while (d.places > 0 && d.digits % 10 == 0) {
        d.digits /= 10;
        d.places--;
    }
    char digits[64], *at = digits + sizeof digits;
    *--at = '\0';
    for (unsigned i = 0; i <= d.places || d.digits > 0; i++) {
        if (i == d.places && d.places > 0)
            *--at = '.';
        *--at = (char)('0' + (unsigned)(d.digits % 10));
        d.digits /= 10;
    }
    return d.unit[0] != '\0' ? must_format("\"%s%s\"", at, d.unit) : must_copy(at);
}

/* Both with as many places as the one that has more. */
static void align(struct decimal *a, struct decimal *b)
{
    unsigned places = a->places > b->places ? a->places : b->places;
    a->digits *= power_of_10(places - a->places);
    b->digits *= power_of_10(places - b->places);
    a->places = b->places = places;
}

struct decimal decimal_steps(struct decimal a, uint64_t n, struct decimal b)
{
    align(&a, &b);
    a.digits += b.digits * n;
    return a;
}

struct decimal decimal_times(struct decimal a, struct decimal b)
{
    a.digits *= b.digits;
    a.places += b.places;
    return a;
}

struct decimal decimal_floor(struct decimal d)
{
    d.digits /= power_of_10(d.places);
    d.places = 0;
    return d;
}

struct decimal decimal_round(struct decimal d)
{
    return decimal_floor(decimal_steps(d, 1, (struct decimal){.digits = 5, .places = 1}));
}

int decimal_compare(struct decimal a, struct decimal b)
{
    align(&a, &b);
    return a.digits < b.digits ? -1 : a.digits > b.digits;
}

uint64_t decimal_count(struct decimal a, struct decimal b, struct decimal top)
{
    align(&a, &b);
    align(&a, &top);
    align(&b, &top);
    return top.digits < a.digits ? 0 : (uint64_t)((top.digits - a.digits) / b.digits);
}

bool decimal_same_unit(struct decimal a, struct decimal b)
{
    return strcmp(a.unit, b.unit) == 0;
}

double decimal_double(struct decimal d)
{
    return (double)d.digits / (double)power_of_10(d.places);
}

struct decimal decimal_of_double(double value)
{
    return (struct decimal){.digits = (u128)(value * 1000.0 + 0.5), .places = 3};
}

struct decimal decimal_of_ratio(struct ratio r)
{
    struct decimal d = {.digits = r.num};
    uint64_t rest = r.den;
    while (rest % 10 == 0 && rest > 1) {
        rest /= 10;
        d.places++;
    }
    /* den has no factors but 2 and 5, as it came from a decimal. */
    while (rest > 1) {
        uint64_t factor = rest % 2 == 0 ? 2 : 5;
        BUG_IF(rest % factor != 0);
        d.digits *= 10 / factor;
        rest /= factor;
        d.places++;
    }
    return d;
}
