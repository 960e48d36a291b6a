/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_FORMATS_TEXT_H
#define DUETIME_FORMATS_TEXT_H

/* Lines, columns and numbers of other people's files. */

#include "models/base/error.h"
#include "models/base/time.h"

/* A piece of a text, borrowed. */
struct piece {
    const char *at;
    size_t length;
};

/* A text line by line; zero but for the first three, to begin with. */
struct lines {
    const char *file, *text;
    size_t length;
    size_t next;   /* byte */
    size_t number; /* of the line given last, from 1 */
    struct piece line;
};

/* The next line, without its end ("\n" or "\r\n"); false: there is none. */
bool lines_next(struct lines *lines);

/* An error at the line given last. */
void lines_fault(const struct lines *lines, struct errors *errors, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Without blanks at either end. */
struct piece piece_trim(struct piece piece);
bool piece_is(struct piece piece, const char *text);     /* the same bytes */
bool piece_begins(struct piece piece, const char *text); /* with these bytes */
bool piece_ignoring_case(struct piece piece, const char *text);

/* Cuts off and returns what stands before the separator (all of it, where there is none); *has:
   there was one. */
struct piece piece_cut(struct piece *rest, char separator, bool *has);

/* The next word between blanks; length 0: no more. */
struct piece piece_word(struct piece *rest);

/* A piece fit to be shown, at most 40 bytes of it; owned by the caller. */
char *piece_shown(struct piece piece);

/* Units of a whole value: "ns", "us", "ms", "s", "min".  0: no such unit. */
ns_t unit_of_name(struct piece name);

/* A time in thousandths of a ns: a decimal number in the unit ("1.5", "1e-05"), or one with a unit
   of its own ("1.5ms"); rounded half to even.  False: it is none, is negative, or is NS_LIMIT or
   more. */
bool milli_parse(struct piece text, ns_t unit_ns, i128 *milli);

/* A whole number. */
bool piece_count(struct piece text, uint64_t *count);

/* Thousandths of a ns as "1.5ms", exactly; out has at least 64 bytes.  Returns out. */
char *milli_format(i128 milli, char out[64]);

#endif
