/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/scenario/emit.h"

#include <inttypes.h>

static void line(const struct emit *e, const char *otherwise)
{
    if (e->depth > e->lines) {
        fputs(otherwise, e->out);
        return;
    }
    fprintf(e->out, "\n%*s", (int)(2 * e->depth), "");
}

/* What stands between two values, or before the first. */
static void separate(struct emit *e)
{
    if (e->after_key) {
        e->after_key = false;
        return;
    }
    if (e->inside)
        fputc(',', e->out);
    if (e->depth > 0)
        line(e, e->inside ? " " : "");
    e->inside = true;
}

static void put_text(struct emit *e, const char *text)
{
    fputc('"', e->out);
    for (const char *c = text; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20)
            fprintf(e->out, "\\u%04x", (unsigned)*c);
        else if (*c == '"' || *c == '\\')
            fprintf(e->out, "\\%c", *c);
        else
            fputc(*c, e->out);
    }
    fputc('"', e->out);
}

void emit_open(struct emit *e, char bracket)
{
    separate(e);
    fputc(bracket, e->out);
    e->depth++;
    e->inside = false;
}

void emit_close(struct emit *e, char bracket)
{
    bool empty = !e->inside;
    e->depth--;
    if (!empty && e->depth < e->lines)
        fprintf(e->out, "\n%*s", (int)(2 * e->depth), "");
    fputc(bracket, e->out);
    e->inside = true;
}

void emit_key(struct emit *e, const char *key)
{
    separate(e);
    put_text(e, key);
    fputs(": ", e->out);
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
    fputs(json, e->out);
}

void emit_number(struct emit *e, uint64_t number)
{
    separate(e);
    fprintf(e->out, "%" PRIu64, number);
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
