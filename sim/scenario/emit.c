/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/scenario/emit.h"

#include <inttypes.h>
#include <string.h>

/* Shared lines are broken after this column, as far as the next value. */
#define SHARED_MOST 88

static void put(struct emit *e, const char *text)
{
    fputs(text, e->out);
    e->column += (unsigned)strlen(text);
}

static void new_line(struct emit *e, unsigned depth)
{
    fprintf(e->out, "\n%*s", (int)(2 * depth), "");
    e->column = 2 * depth;
}

/* What stands between two values, or before the first. */
static void separate(struct emit *e)
{
    if (e->after_key) {
        e->after_key = false;
        return;
    }
    if (e->inside)
        put(e, ",");
    if (e->depth > 0 && (e->depth <= e->lines || (e->inside && e->column > SHARED_MOST)))
        new_line(e, e->depth);
    else if (e->inside)
        put(e, " ");
    e->inside = true;
}

static void put_text(struct emit *e, const char *text)
{
    put(e, "\"");
    for (const char *c = text; *c != '\0'; c++) {
        char shown[8] = {*c, '\0'};
        if ((unsigned char)*c < 0x20)
            snprintf(shown, sizeof shown, "\\u%04x", (unsigned)*c);
        else if (*c == '"' || *c == '\\')
            snprintf(shown, sizeof shown, "\\%c", *c);
        put(e, shown);
    }
    put(e, "\"");
}

void emit_open(struct emit *e, char bracket)
{
    separate(e);
    put(e, (const char[]){bracket, '\0'});
    e->depth++;
    e->inside = false;
}

void emit_close(struct emit *e, char bracket)
{
    bool empty = !e->inside;
    e->depth--;
    if (!empty && e->depth < e->lines)
        new_line(e, e->depth);
    put(e, (const char[]){bracket, '\0'});
    e->inside = true;
}

void emit_key(struct emit *e, const char *key)
{
    separate(e);
    put_text(e, key);
    put(e, ": ");
    e->after_key = true;
}

void emit_text(struct emit *e, const char *text)
{
    separate(e);
    put_text(e, text);
}

void emit_raw(struct emit *e, const char *json)
{
    separate(e);
    put(e, json);
}

void emit_number(struct emit *e, uint64_t number)
{
    separate(e);
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, number);
    put(e, text);
}

void emit_member(struct emit *e, const char *key, const char *text)
{
    emit_key(e, key);
    emit_text(e, text);
}

void emit_member_raw(struct emit *e, const char *key, const char *json)
{
    emit_key(e, key);
    emit_raw(e, json);
}

void emit_member_number(struct emit *e, const char *key, uint64_t number)
{
    emit_key(e, key);
    emit_number(e, number);
}

void emit_open_member(struct emit *e, const char *key, char bracket)
{
    emit_key(e, key);
    emit_open(e, bracket);
}
