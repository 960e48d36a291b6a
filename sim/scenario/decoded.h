/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_DECODED_H
#define DUETIME_DECODED_H

/* Texts between two quotes of a scanned text, decoded. */

#include <stddef.h>

/* One that the caller owns; cJSON undoes its escapes. */
char *json_decode(const char *inside, size_t length);

/* Many that go together: most are compared with a word or two and never looked at again. */
struct decoded {
    struct decoded_chunk *chunks; /* the last one first */
    char *next;
    size_t left;
    char first[64]; /* what a default's few need */
};

/* It stays where it is until it is freed, and so do its texts. */
void decoded_open(struct decoded *decoded);
const char *decoded_add(struct decoded *decoded, const char *inside, size_t length);
void decoded_free(struct decoded *decoded);

#endif
