/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_READING_H
#define DUETIME_READING_H

/* A scenario while it is read: its text, its values' places, and every fault found so far. */

#include "models/plan.h"
#include "sim/scenario/decoded.h"
#include "sim/scenario/scan.h"

struct fault {
    size_t offset; /* in the scenario: what faults are sorted by */
    size_t order;  /* and then as they came */
    char *file;    /* another file the fault stands in, with its line; NULL: the scenario */
    size_t file_line;
    char *path, *text; /* owned */
};

struct setting;

/* What one setting did to a text: bytes [begin, end) of the new one stand where [begin, old_end) of
   the old one did. */
struct splice {
    size_t begin, end, old_end;
};

struct reading {
    const char *file;
    struct scan scan;
    struct plan *plan; /* what is read goes here; NULL while a default is read */
    struct fault *faults;
    size_t fault_count, fault_capacity, faults_left_out;
    bool failed;
    bool is_trial; /* one point of a sweep, which is not read again */
    /* Where settings were put into a text, that text, and they: nobody has the spliced one, so that
       faults in what was put there name the option. */
    const struct setting *settings;
    const struct splice *splices; /* one a setting */
    size_t setting_count;
    const char *unset;
    size_t unset_length;
    struct scan_place load_place; /* of the last load that was read: places are found onwards */
    struct decoded decoded;       /* what text_of and key_of gave */
};

/* Scans the text; the scan's faults become the reading's.  It stays where it is until it is closed.
 */
void reading_open(struct reading *r, const char *file, const char *text, size_t length);

/* Hands the faults on, in the order of the text, and releases everything but the plan. */
void reading_close(struct reading *r, struct errors *errors);

/* Faults of a value, of a key, or of a line in a file that a value names.  A faulted value is
   marked bad, and later rules leave it alone. */
void fault_at(struct reading *r, uint32_t value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void fault_at_key(struct reading *r, uint32_t value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void fault_in_file(struct reading *r, uint32_t value, const char *file, size_t line,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

/* True where so many faults are known that one more is only counted, which is done: nobody needs
   its text. */
bool fault_only_counts(struct reading *r, uint32_t value);

static inline enum scan_type type_of(const struct reading *r, uint32_t value)
{
    return (enum scan_type)r->scan.values[value].type;
}

/* The member of an object, or SCAN_NONE. */
uint32_t member(const struct reading *r, uint32_t object, const char *key);

/* True where the object has that member and nothing is wrong with it. */
bool has_good(const struct reading *r, uint32_t object, const char *key);

/* Decoded texts: of a string, of a value's key.  They last until reading_close. */
const char *text_of(struct reading *r, uint32_t value);
const char *key_of(struct reading *r, uint32_t value);

/* What a value is, for messages: the number 1.5, the text "abc", an object.  Owned by the caller.
 */
char *shown(const struct reading *r, uint32_t value);

/* Names that may stand somewhere, for messages. */
struct names {
    const char **items; /* the array is owned, the names are borrowed */
    size_t count, capacity;
};
void names_add(struct names *names, const char *name);

/* "; nearest: "rate"; allowed: rate, every" (the first part only where one is near).  Empties the
   names.  Owned by the caller. */
char *names_hint(struct names *names, const char *word);

#endif
