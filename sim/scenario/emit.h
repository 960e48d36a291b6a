/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_EMIT_H
#define DUETIME_EMIT_H

/* JSON text out: commas, line ends and escapes. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct emit {
    FILE *out;
    unsigned
        lines; /* so many levels have each value on a line of its own; deeper ones share lines */
    unsigned depth, column;
    bool inside, after_key; /* a value stands before the next one; a key does */
};

void emit_open(struct emit *e, char bracket);
void emit_close(struct emit *e, char bracket);
void emit_key(struct emit *e, const char *key);
void emit_text(struct emit *e, const char *text);
void emit_raw(struct emit *e, const char *json); /* JSON text as it is */
void emit_number(struct emit *e, uint64_t number);

/* A key with its value. */
void emit_member(struct emit *e, const char *key, const char *text);
void emit_member_number(struct emit *e, const char *key, uint64_t number);
void emit_open_member(struct emit *e, const char *key, char bracket);
void emit_member_raw(struct emit *e, const char *key, const char *json);

#endif
