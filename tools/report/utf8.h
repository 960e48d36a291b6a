/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_UTF8_H
#define DUETIME_UTF8_H

/* Text from a scenario on its way to a terminal or a file: whatever it holds, it must not move the
   cursor, turn the reading order or break a column. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_INVALID UINT32_MAX

/* Reads one code point of a non-empty string; returns the bytes it takes.  A byte that begins no
   valid sequence is UTF8_INVALID and takes one. */
size_t utf8_next(const char *text, uint32_t *point);

/* Controls, and marks that are invisible or turn the reading order; all are below U+10000. */
bool utf8_is_hidden(uint32_t point);

/* A copy, owned by the caller, in which control characters, invisible marks and invalid bytes are
   written out as \u001b or \xff. */
char *utf8_clean(const char *text);

/* Columns that a clean text takes on a terminal. */
size_t utf8_width(const char *text);

/* Bytes of the first line of a clean text, wrapped between words to `width` columns (inside one
   where it alone is longer); *next_line is where the rest begins. */
size_t utf8_wrap(const char *text, size_t width, const char **next_line);

#endif
