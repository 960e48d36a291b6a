/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The scanner's tokens: strings with their UTF-8 and escapes, numbers, words. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/error.h"
#include "models/base/time.h"
#include "sim/scenario/scan.h"

size_t utf8_length(const char *text, size_t left)
{
    const unsigned char *p = (const unsigned char *)text;
    if (left == 0)
        return 0;
    if (p[0] < 0x80)
        return 1;
    /* The second byte's range shuts out overlong forms, surrogates and what lies past U+10FFFF. */
    size_t length = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    unsigned low = p[0] == 0xe0 ? 0xa0 : p[0] == 0xf0 ? 0x90 : 0x80;
    unsigned high = p[0] == 0xed ? 0x9f : p[0] == 0xf4 ? 0x8f : 0xbf;
    if (p[0] < 0xc2 || p[0] > 0xf4 || left < length || p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if (p[i] < 0x80 || p[i] > 0xbf)
            return 0;
    return length;
}

/* Four hexadecimal digits, or -1. */
static int32_t hex4(const struct scan *scan, uint32_t at)
{
    if (scan->length - at < 4)
        return -1;
    int32_t value = 0;
    for (uint32_t i = at; i < at + 4; i++) {
        static const char digits[] = "0123456789abcdef";
        char c = scan->text[i];
        const char *digit = memchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c, 16);
        if (digit == NULL)
            return -1;
        value = value * 16 + (int32_t)(digit - digits);
    }
    return value;
}

/* The \u escape at `at`: its length, or 0 with the reason in *why. */
static uint32_t unicode_escape(const struct scan *scan, uint32_t at, const char **why)
{
    int32_t first = hex4(scan, at + 2);
    *why = "a \\u without four hexadecimal digits";
    if (first < 0)
        return 0;
    *why = "the escape \\u0000, a NUL character";
    if (first == 0)
        return 0;
    if (first < 0xd800 || first > 0xdfff)
        return 6;
    *why = "half of a surrogate pair";
    if (first > 0xdbff || scan->length - at < 12 || memcmp(scan->text + at + 6, "\\u", 2) != 0)
        return 0;
    int32_t second = hex4(scan, at + 8);
    return second >= 0xdc00 && second <= 0xdfff ? 12 : 0;
}

/* The character or escape at `at`, which is not plain: its length, or 0 with the reason. */
static uint32_t special_character(const struct scan *scan, uint32_t at, const char **why)
{
    unsigned char c = (unsigned char)scan->text[at];
    if (c == '\\') {
        *why = "a backslash that begins no escape";
        if (at + 1 == scan->length)
            return 0;
        if (scan->text[at + 1] == 'u')
            return unicode_escape(scan, at, why);
        return memchr("\"\\/bfnrt", scan->text[at + 1], 8) != NULL ? 2 : 0;
    }
    *why = c == 0 ? "a NUL byte" : "a control character";
    if (c < 0x20)
        return 0;
    *why = "a byte that is no UTF-8";
    return (uint32_t)utf8_length(scan->text + at, scan->length - at);
}

uint32_t scan_string(struct scan *scan, uint32_t quote, uint32_t value, bool *bad)
{
    for (uint32_t at = quote + 1; at < scan->length;) {
        unsigned char c = (unsigned char)scan->text[at];
        if (c == '"')
            return at + 1;
        if (c == '\n')
            break;
        if (c >= 0x20 && c < 0x80 && c != '\\') {
            at++;
            continue;
        }
        const char *why = NULL;
        uint32_t length = special_character(scan, at, &why);
        if (length == 0 && !*bad) {
            scan_fault_add(scan, at, value, "found %s in a string; allowed: %s", why,
                           c == '\\' ? "\\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX, in pairs "
                                       "beyond U+FFFF"
                                     : "UTF-8 characters, control characters as escapes");
            *bad = true;
        }
        at += length == 0 ? 1 : length;
    }
    scan_fault_add(scan, quote, value,
                   "found a string that does not end on its line; allowed: a closing quote");
    *bad = true;
    return 0;
}

static uint32_t digits_end(const char *text, uint32_t at, uint32_t end)
{
    while (at < end && text[at] >= '0' && text[at] <= '9')
        at++;
    return at;
}

/* Where the JSON number at `at` ends; `at` itself if there is none. */
static uint32_t number_end(const char *text, uint32_t at, uint32_t end)
{
    uint32_t start = at;
    if (at < end && text[at] == '-')
        at++;
    if (at == end || text[at] < '0' || text[at] > '9')
        return start;
    at = text[at] == '0' ? at + 1 : digits_end(text, at, end);
    if (at < end && text[at] == '.') {
        uint32_t last = digits_end(text, at + 1, end);
        if (last == at + 1)
            return start;
        at = last;
    }
    if (at < end && (text[at] == 'e' || text[at] == 'E')) {
        uint32_t sign = at + 1 < end && (text[at + 1] == '+' || text[at + 1] == '-') ? 1 : 0;
        uint32_t last = digits_end(text, at + 1 + sign, end);
        if (last == at + 1 + sign)
            return start;
        at = last;
    }
    return at;
}

static double nearest_double(const char *text, size_t length)
{
    char copy[SCAN_NUMBER_MOST + 1];
    memcpy(copy, text, length);
    copy[length] = '\0';
    return strtod(copy, NULL);
}

double scan_number(const struct scan *scan, uint32_t value)
{
    const struct scan_value *v = &scan->values[value];
    return nearest_double(scan->text + v->start, v->end - v->start);
}

/* Faults what looks like a number and is none, or is too large for a double. */
static bool number_is_good(struct scan *scan, uint32_t at, uint32_t end, uint32_t value)
{
    bool number = number_end(scan->text, at, end) == end;
    if (number && end - at > SCAN_NUMBER_MOST) {
        scan_fault_add(scan, at, value, "found a number of %u characters; allowed: at most %d",
                       (unsigned)(end - at), SCAN_NUMBER_MOST);
        return false;
    }
    /* Without an exponent 300 digits are below the largest double. */
    bool short_plain = end - at <= 300 && memchr(scan->text + at, 'e', end - at) == NULL &&
                       memchr(scan->text + at, 'E', end - at) == NULL;
    if (number && (short_plain || isfinite(nearest_double(scan->text + at, end - at))))
        return true;
    char *shown = scan_excerpt(scan, at, end, 40);
    ns_t ns;
    if (number)
        scan_fault_add(scan, at, value, "found %s; allowed: numbers below 1.8e308", shown);
    else if (duration_parse(scan->text + at, end - at, &ns) == DURATION_OK)
        scan_fault_add(scan, at, value,
                       "found %s; allowed: a number, or with a unit in quotes: \"%s\"", shown,
                       shown);
    else
        scan_fault_add(
            scan, at, value,
            "found %s; allowed: a JSON number, without leading zeros or +, and with digits "
            "on both sides of a point",
            shown);
    free(shown);
    return false;
}

uint32_t scan_plain(struct scan *scan, uint32_t at, uint32_t value, uint8_t *type, bool *bad)
{
    static const struct {
        const char *word;
        uint8_t type;
    } words[] = {{"null", SCAN_NULL}, {"true", SCAN_TRUE}, {"false", SCAN_FALSE}};
    uint32_t end = at;
    while (end < scan->length) {
        char c = scan->text[end];
        bool part = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                    c == '-' || c == '+' || c == '.' || c == '_';
        if (!part)
            break;
        end++;
    }
    char first = scan->text[at];
    if ((first >= '0' && first <= '9') || first == '-' || first == '+' || first == '.') {
        *type = SCAN_NUMBER;
        *bad = !number_is_good(scan, at, end, value);
        return end;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i].word);
        if (length == end - at && memcmp(scan->text + at, words[i].word, length) == 0) {
            *type = words[i].type;
            return end;
        }
    }
    char *shown = scan_excerpt(scan, at, end, 40);
    scan_fault_add(scan, at, value,
                   "found the bare word %s; allowed: true, false, null, or text in double quotes",
                   shown);
    free(shown);
    *bad = true;
    return end;
}
