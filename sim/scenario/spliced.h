/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_SPLICED_H
#define DUETIME_SPLICED_H

/* A scenario's text with settings put into it one after another, and what each did to it. */

#include "sim/scenario/reader.h"
#include "sim/scenario/reading.h"

struct spliced {
    const char *unset; /* the text as it was written; borrowed */
    size_t unset_length;
    char *text; /* owned */
    size_t length;
    struct setting *settings; /* owned, what they hold is borrowed; those that fit */
    struct splice *splices;   /* owned, one a setting */
    size_t count;
};

/* `most`: settings that will come.  spliced_free releases it. */
void spliced_open(struct spliced *s, const char *text, size_t length, size_t most);

/* The same text and settings, with room for `more`. */
void spliced_copy(struct spliced *to, const struct spliced *from, size_t more);
void spliced_free(struct spliced *s);

/* `text`, which becomes the spliced's own, is what it was with one more setting. */
void spliced_take(struct spliced *s, const struct setting *setting, char *text, size_t length);

/* False, and a fault for each setting that does not fit. */
bool spliced_apply(struct spliced *s, const struct setting *settings, size_t count,
                   struct errors *errors);

/* The plan it holds, or NULL and every fault, where it stands in the text as it was written.
   trial: the sweep is not read. */
struct plan *spliced_read(const struct spliced *s, const char *file, const char sha256[65],
                          bool trial, struct errors *errors);

#endif
