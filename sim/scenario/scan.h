/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_SCAN_H
#define DUETIME_SCAN_H

/* A strict scan of JSON text (RFC 8259), before any library sees it: it refuses what lenient
   parsers let through and remembers where every value and key stands.  Linear time, no recursion.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCAN_NONE UINT32_MAX
#define SCAN_DEPTH_MOST 64
#define SCAN_BYTES_MOST (UINT32_C(16) << 20)
#define SCAN_VALUES_MOST (UINT32_C(1) << 21)
#define SCAN_FAULTS_MOST 200
#define SCAN_NUMBER_MOST 1000 /* characters of one number */
#define SCAN_FEW 8

enum scan_type {
    SCAN_NULL,
    SCAN_FALSE,
    SCAN_TRUE,
    SCAN_NUMBER,
    SCAN_STRING,
    SCAN_ARRAY,
    SCAN_OBJECT
};

struct scan_value {
    uint32_t start, end;         /* its bytes, quotes and brackets included */
    uint32_t key_start, key_end; /* the bytes between its key's quotes; both 0 outside objects */
    uint32_t parent;             /* index of the value around it, or SCAN_NONE */
    uint32_t next;               /* index after the last value inside it; 0 while it is open */
    uint8_t type;                /* enum scan_type */
    bool bad;                    /* something is wrong with it, and the fault is in a list */
    bool key_escaped;            /* its key holds a backslash */
    bool bad_key;                /* its key is broken or there already: the fault is in the list */
};

struct scan_fault {
    uint32_t offset; /* byte */
    uint32_t value;  /* the value or, for a fault between values, the one around it; or SCAN_NONE */
    char *text;      /* owned */
};

struct scan {
    const char *text; /* borrowed */
    size_t length;
    struct scan_value *values; /* in the order of the text: the outermost first */
    uint32_t count, capacity;
    struct scan_fault *faults;
    size_t fault_count, faults_left_out;
    bool whole; /* the grammar held to the end: the values are complete, if not all are good */
    struct scan_value few[SCAN_FEW]; /* where as many suffice, the values stand here */
};

/* Fills *scan (which need not be initialised); scan_free releases it, and it must not be moved in
   between.  Text stays the caller's and must outlive the scan.  Without faults the text is valid
   JSON in valid UTF-8, without duplicate keys, NULs or numbers beyond a double. */
void scan_text(struct scan *scan, const char *text, size_t length);
void scan_free(struct scan *scan);

/* The first value inside an array or object and the one beside it, or SCAN_NONE. */
static inline uint32_t scan_first(const struct scan *scan, uint32_t value)
{
    const struct scan_value *v = &scan->values[value];
    bool holds = (v->type == SCAN_ARRAY || v->type == SCAN_OBJECT) && value + 1 < scan->count &&
                 scan->values[value + 1].parent == value;
    return holds ? value + 1 : SCAN_NONE;
}

static inline uint32_t scan_beside(const struct scan *scan, uint32_t value)
{
    uint32_t next = scan->values[value].next;
    bool beside =
        next != 0 && next < scan->count && scan->values[next].parent == scan->values[value].parent;
    return beside ? next : SCAN_NONE;
}

/* Line and column of a byte, from 1; columns count characters.  *from may hold an earlier place of
   the same text to go on from, or zeros. */
struct scan_place {
    size_t offset, line, column;
};
void scan_place(const struct scan *scan, size_t offset, struct scan_place *from);

/* JSON pointer of a value, as "/loads/open/rate"; "/" alone for the outermost.  Owned by the
 * caller. */
char *scan_path(const struct scan *scan, uint32_t value);

/* Bytes [start, end) fit to be shown: cut after `characters` with "...", and every control
   character or broken byte as "?".  Owned by the caller. */
char *scan_excerpt(const struct scan *scan, size_t start, size_t end, size_t characters);

/* The double nearest to a number that is not bad. */
double scan_number(const struct scan *scan, uint32_t value);

/* Length in bytes of the UTF-8 character at text, 0 where there is none in the `left` bytes. */
size_t utf8_length(const char *text, size_t left);

/* What the scanner's parts share. */
void scan_fault_add(struct scan *scan, size_t offset, uint32_t value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Faults every key of a closed object that another one has already; marks its value bad. */
void scan_duplicates(struct scan *scan, uint32_t object);

/* The string that opens with the quote at `at`; returns the offset after its closing quote, or 0
   when it has none (which is then in the faults).  *bad: something inside is wrong. */
uint32_t scan_string(struct scan *scan, uint32_t at, uint32_t value, bool *bad);

/* Checks the number, word or stray text that begins at `at`; returns the offset after it. */
uint32_t scan_plain(struct scan *scan, uint32_t at, uint32_t value, uint8_t *type, bool *bad);

#endif
