/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/report/utf8.h"

#include <stdio.h>
#include <string.h>

#include "models/base/error.h"

struct range {
    uint32_t from, to;
};

/* Two columns wide on a terminal: the blocks of East Asian scripts and of pictures. */
static const struct range wide[] = {
    {0x1100, 0x115f}, {0x2e80, 0xa4cf}, {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
    {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd},
};

/* Drawn over the character before. */
static const struct range combining[] = {
    {0x300, 0x36f}, {0x1ab0, 0x1aff}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};

static const struct range hidden[] = {{0x00, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},
                                      {0x61c, 0x61c},   {0x200b, 0x200f}, {0x2028, 0x202e},
                                      {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}};

#define IN(table, point) in_ranges(table, sizeof(table) / sizeof((table)[0]), point)

static bool in_ranges(const struct range *ranges, size_t count, uint32_t point)
{
    for (size_t i = 0; i < count; i++)
        if (point >= ranges[i].from && point <= ranges[i].to)
            return true;
    return false;
}

bool utf8_is_hidden(uint32_t point)
{
    return IN(hidden, point);
}

size_t utf8_next(const char *text, uint32_t *point)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)text;
    size_t length = s[0] < 0x80   ? 1
                    : s[0] < 0xc2 ? 0
                    : s[0] < 0xe0 ? 2
                    : s[0] < 0xf0 ? 3
                    : s[0] < 0xf5 ? 4
                                  : 0;
    *point = UTF8_INVALID;
    if (length == 0)
        return 1;
    uint32_t value = length == 1 ? s[0] : s[0] & (0x7fU >> length);
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 1;
        value = value << 6 | (s[i] & 0x3fU);
    }
    if (value < least[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        return 1;
    *point = value;
    return length;
}

char *utf8_clean(const char *text)
{
    size_t room = 10 * strlen(text) + 1; /* \U0010ffff is the longest stand-in */
    char *clean = must_alloc(room, 1), *end = clean;
    while (*text) {
        uint32_t point;
        size_t length = utf8_next(text, &point);
        size_t left = room - (size_t)(end - clean);
        if (point == UTF8_INVALID) {
            end += snprintf(end, left, "\\x%02x", (unsigned)(unsigned char)*text);
        } else if (utf8_is_hidden(point)) {
            end += snprintf(end, left, "\\u%04x", (unsigned)point);
        } else {
            memcpy(end, text, length);
            end += length;
        }
        text += length;
    }
    *end = '\0';
    return clean;
}

static size_t point_width(uint32_t point)
{
    if (IN(combining, point))
        return 0;
    return IN(wide, point) ? 2 : 1;
}

size_t utf8_width(const char *text)
{
    size_t width = 0;
    while (*text) {
        uint32_t point;
        text += utf8_next(text, &point);
        width += point_width(point);
    }
    return width;
}

size_t utf8_wrap(const char *text, size_t width, const char **next_line)
{
    size_t used = 0, at = 0, last_break = 0;
    while (text[at]) {
        uint32_t point;
        size_t length = utf8_next(text + at, &point);
        used += point_width(point);
        if (used > width && at > 0)
            break;
        at += length;
        if (text[at - 1] == ' ')
            last_break = at;
    }
    if (text[at] && text[at] != ' ' && last_break > 0)
        at = last_break;
    const char *rest = text + at;
    while (*rest == ' ')
        rest++;
    *next_line = rest;
    while (at > 0 && text[at - 1] == ' ')
        at--;
    return at;
}
