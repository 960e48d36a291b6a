/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/formats/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_MOST 40
#define DIGITS_MOST 24 /* significant ones, so that a number times a minute fits 128 bits */
#define POWER_MOST 60  /* of ten: far beyond what a time may be, or may be told from 0 */

bool lines_next(struct lines *lines)
{
    if (lines->next >= lines->length)
        return false;
    const char *from = lines->text + lines->next;
    size_t left = lines->length - lines->next;
    const char *end = memchr(from, '\n', left);
    size_t length = end != NULL ? (size_t)(end - from) : left;
    lines->next += length + (end != NULL);
    lines->number++;
    if (length > 0 && from[length - 1] == '\r')
        length--;
    lines->line = (struct piece){from, length};
    return true;
}

void lines_fault(const struct lines *lines, struct errors *errors, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    errors_add(errors, (struct place){.file = lines->file, .line = lines->number, .column = 1},
               "%s", text);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

struct piece piece_trim(struct piece piece)
{
    while (piece.length > 0 && is_blank(piece.at[0]))
        piece = (struct piece){piece.at + 1, piece.length - 1};
    while (piece.length > 0 && is_blank(piece.at[piece.length - 1]))
        piece.length--;
    return piece;
}

bool piece_is(struct piece piece, const char *text)
{
    return piece.length == strlen(text) &&
           (piece.length == 0 || memcmp(piece.at, text, piece.length) == 0);
}

bool piece_begins(struct piece piece, const char *text)
{
    size_t length = strlen(text);
    return piece.length >= length && memcmp(piece.at, text, length) == 0;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool piece_ignoring_case(struct piece piece, const char *text)
{
    if (piece.length != strlen(text))
        return false;
    for (size_t i = 0; i < piece.length; i++)
        if (lower(piece.at[i]) != lower(text[i]))
            return false;
    return true;
}

struct piece piece_cut(struct piece *rest, char separator, bool *has)
{
    const char *found = rest->length > 0 ? memchr(rest->at, separator, rest->length) : NULL;
    struct piece before = *rest;
    *has = found != NULL;
    if (found == NULL) {
        *rest = (struct piece){rest->at + rest->length, 0};
        return before;
    }
    before.length = (size_t)(found - rest->at);
    *rest = (struct piece){found + 1, rest->length - before.length - 1};
    return before;
}

struct piece piece_word(struct piece *rest)
{
    *rest = piece_trim(*rest);
    struct piece word = {rest->at, 0};
    while (word.length < rest->length && !is_blank(rest->at[word.length]))
        word.length++;
    *rest = (struct piece){rest->at + word.length, rest->length - word.length};
    return word;
}

char *piece_shown(struct piece piece)
{
    bool long_one = piece.length > SHOWN_MOST;
    size_t length = long_one ? SHOWN_MOST : piece.length;
    char *text =
        must_format("%.*s%s", (int)length, length > 0 ? piece.at : "", long_one ? "..." : "");
    for (char *c = text; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    return text;
}

ns_t unit_of_name(struct piece name)
{
    static const struct {
        const char *name;
        ns_t ns;
    } units[] = {
        {"ns", 1}, {"us", NS_PER_US}, {"ms", NS_PER_MS}, {"s", NS_PER_S}, {"min", 60 * NS_PER_S}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (piece_is(name, units[i].name))
            return units[i].ns;
    return 0;
}

/* digits * 10^power, as it is read. */
struct decimal {
    u128 digits;
    unsigned significant;
    int power;
};

static bool is_digit(struct piece text, size_t at)
{
    return at < text.length && text.at[at] >= '0' && text.at[at] <= '9';
}

static bool take_digit(struct decimal *d, char c)
{
    if (d->significant == 0 && c == '0')
        return true;
    d->digits = 10 * d->digits + (unsigned)(c - '0');
    return ++d->significant <= DIGITS_MOST;
}

/* Digits, a point, digits, an exponent; returns the bytes they take, 0: this is no number. */
static size_t read_decimal(struct piece text, struct decimal *d)
{
    size_t at = 0, digits = 0;
    *d = (struct decimal){0};
    for (; is_digit(text, at); at++, digits++)
        if (!take_digit(d, text.at[at]))
            return 0;
    if (at < text.length && text.at[at] == '.')
        for (at++; is_digit(text, at); at++, digits++, d->power--)
            if (!take_digit(d, text.at[at]))
                return 0;
    if (digits == 0 || at >= text.length || (text.at[at] != 'e' && text.at[at] != 'E'))
        return digits > 0 ? at : 0;
    size_t sign = at + 1;
    bool negative = sign < text.length && text.at[sign] == '-';
    at = sign + (sign < text.length && (negative || text.at[sign] == '+'));
    if (!is_digit(text, at))
        return 0;
    int exponent = 0;
    for (; is_digit(text, at); at++)
        exponent = exponent < 10000 ? 10 * exponent + (text.at[at] - '0') : exponent;
    d->power += negative ? -exponent : exponent;
    return at;
}

bool milli_parse(struct piece text, ns_t unit_ns, i128 *milli)
{
    struct decimal d;
    size_t used = text.length < 200 ? read_decimal(text, &d) : 0;
    if (used == 0)
        return false;
    if (used < text.length)
        unit_ns = unit_of_name((struct piece){text.at + used, text.length - used});
    if (unit_ns == 0)
        return false;
    u128 value = d.digits * unit_ns * 1000, limit = (u128)NS_LIMIT * 1000;
    if (value != 0 && d.power > POWER_MOST)
        return false;
    for (; d.power > 0 && value != 0; d.power--) {
        if (value >= limit)
            return false;
        value *= 10;
    }
    bool beyond_half = false; /* something other than 0 was cut off below the last digit */
    unsigned last = 0;
    for (; d.power < 0 && (value != 0 || last != 0); d.power++) {
        beyond_half |= last != 0;
        last = (unsigned)(value % 10);
        value /= 10;
    }
    if (last > 5 || (last == 5 && (beyond_half || (value & 1) != 0)))
        value++;
    *milli = (i128)value;
    return value < limit;
}

bool piece_count(struct piece text, uint64_t *count)
{
    uint64_t value = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (!is_digit(text, i))
            return false;
        unsigned digit = (unsigned)(text.at[i] - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = 10 * value + digit;
    }
    *count = value;
    return text.length > 0;
}

char *milli_format(i128 milli, char out[64])
{
    static const struct {
        const char *name;
        ns_t ns;
    } units[] = {{"s", NS_PER_S}, {"ms", NS_PER_MS}, {"us", NS_PER_US}, {"ns", 1}};
    size_t u = 0;
    while (units[u].ns > 1 && milli < (i128)units[u].ns * 1000)
        u++;
    uint64_t one = units[u].ns * 1000; /* as many decimals as it has zeros */
    int digits = 0, length;
    for (uint64_t power = one; power > 1; power /= 10)
        digits++;
    length = snprintf(out, 60, "%" PRIu64 ".%0*" PRIu64, (uint64_t)(milli / (i128)one), digits,
                      (uint64_t)(milli % (i128)one));
    while (out[length - 1] == '0')
        length--;
    length -= out[length - 1] == '.';
    snprintf(out + length, (size_t)(64 - length), "%s", units[u].name);
    return out;
}
