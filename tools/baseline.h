/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_BASELINE_H
#define DUETIME_BASELINE_H

/* Results pinned in a file, figure by figure, and held against those of another day. */

#include <stdio.h>

#include "sim/result.h"

#define BASELINE_VERSION 1

struct pinned {
    char *name, *value; /* owned */
};

struct pinned_scenario {
    char *file, *title, *sha256; /* owned; title may be "" */
    struct pinned *figures;      /* owned */
    size_t figure_count, capacity;
};

struct baseline {
    struct pinned_scenario *scenarios; /* owned */
    size_t count, capacity;
};

/* Every figure of a result that a change of the program or of the scenario could change: what
   recorders and loads show, what was judged, what gates say.  Laws and p-values, whose last digits
   are the library's, are not in it. */
void baseline_add(struct baseline *baseline, const struct result *result);
void baseline_free(struct baseline *baseline);

/* As JSON, a figure a line; and back.  False and *errors where it is no baseline of this version.
 */
void baseline_write(FILE *out, const struct baseline *baseline);
bool baseline_read(const char *file, const char *text, size_t length, struct baseline *out,
                   struct errors *errors);

/* Writes which figure differs, what it was and what it is, a line each, and a line a scenario;
   returns how many differ. */
size_t baseline_compare(FILE *out, const struct baseline *was, const struct baseline *is);

/* Parts: a scenario, and a figure of the last one; the texts are copied. */
void baseline_begin(struct baseline *baseline, const char *file, const char *title,
                    const char *sha256);
void baseline_put(struct baseline *baseline, const char *name, const char *value);

#endif
