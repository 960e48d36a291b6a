/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_FIELD_VALUES_H
#define DUETIME_FIELD_VALUES_H

/* JSON values that a field must take or refuse, out of what its table says of it. */

#include "models/variant.h"

struct values {
    char *good[8], *bad[8]; /* owned */
    size_t good_count, bad_count;
};

struct values values_of(const struct field *field);
void values_free(struct values *values);

/* A variant's parameters: the required ones and those of `needs`, with `own` for one key (NULL and
   a key: that key is left out), as {"name": {...}}.  Owned by the caller. */
char *choice_text(const struct variant *type, const char *needs, const char *key, const char *own);

#endif
