/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/scenario/scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/error.h"

/* What may come next. */
enum awaits { AWAITS_VALUE, AWAITS_FIRST, AWAITS_KEY, AWAITS_FIRST_KEY, AWAITS_COMMA, AWAITS_END };

struct state {
    struct scan *scan;
    uint32_t at, top; /* top: the innermost open value */
    uint32_t key_start, key_end;
    uint32_t depth;
    enum awaits awaits;
    bool key_bad, key_escaped, stopped;
};

void scan_fault_add(struct scan *scan, size_t offset, uint32_t value, const char *format, ...)
{
    if (scan->fault_count == SCAN_FAULTS_MOST) {
        scan->faults_left_out++;
        return;
    }
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (scan->faults == NULL)
        scan->faults = must_alloc(SCAN_FAULTS_MOST, sizeof *scan->faults);
    scan->faults[scan->fault_count++] =
        (struct scan_fault){(uint32_t)offset, value, must_copy(text)};
}

static void stop(struct state *s, const char *found, const char *wanted)
{
    scan_fault_add(s->scan, s->at, s->top, "found %s; allowed here: %s", found, wanted);
    s->stopped = true;
}

static const char *wanted_text(const struct state *s)
{
    switch (s->awaits) {
    case AWAITS_VALUE: return "a value";
    case AWAITS_FIRST: return "a value or ]";
    case AWAITS_KEY: return "a key in double quotes";
    case AWAITS_FIRST_KEY: return "a key in double quotes or }";
    case AWAITS_END: return "nothing after the scenario's closing brace";
    case AWAITS_COMMA: return s->scan->values[s->top].type == SCAN_OBJECT ? ", or }" : ", or ]";
    }
    BUG("scanner state outside its enum");
}

/* The character at hand fits nowhere: says so in the words of the mistake behind it. */
static void unexpected(struct state *s)
{
    const struct scan *scan = s->scan;
    unsigned char c = (unsigned char)scan->text[s->at];
    char found[80];
    if (c == '/' || c == '#')
        snprintf(found, sizeof found, "\"%c\" (JSON has no comments)", c);
    else if (c == '\'')
        snprintf(found, sizeof found, "' (JSON text is written in double quotes)");
    else if ((c == '}' || c == ']') && (s->awaits == AWAITS_KEY || s->awaits == AWAITS_VALUE))
        snprintf(found, sizeof found, "\"%c\" after a comma or colon", c);
    else if (c == 0)
        snprintf(found, sizeof found, "a NUL byte");
    else if (c < 0x20 || c == 0x7f)
        snprintf(found, sizeof found, "the control character 0x%02x", c);
    else if (c < 0x80)
        snprintf(found, sizeof found, "\"%c\"", c);
    else if (utf8_length(scan->text + s->at, scan->length - s->at) == 0)
        snprintf(found, sizeof found, "the byte 0x%02x, which is no UTF-8", c);
    else
        snprintf(found, sizeof found, "\"%.*s\"",
                 (int)utf8_length(scan->text + s->at, scan->length - s->at), scan->text + s->at);
    stop(s, found, wanted_text(s));
}

static void early_end(struct state *s)
{
    char found[80];
    if (s->top == SCAN_NONE) {
        stop(s, "an empty text", "a scenario, which is one JSON object");
        return;
    }
    struct scan_place place = {0};
    const struct scan_value *open = &s->scan->values[s->top];
    scan_place(s->scan, open->start, &place);
    snprintf(found, sizeof found, "the end of the text inside the %s of line %zu",
             open->type == SCAN_OBJECT ? "object" : "list", place.line);
    stop(s, found, wanted_text(s));
}

static void grow(struct scan *scan)
{
    bool few = scan->values == scan->few;
    scan->capacity *= few ? 4 : 2;
    scan->values = must_grow(few ? NULL : scan->values, scan->capacity, sizeof *scan->values);
    if (few)
        memcpy(scan->values, scan->few, sizeof scan->few);
}

static uint32_t push(struct state *s, uint8_t type)
{
    struct scan *scan = s->scan;
    if (scan->count == scan->capacity)
        grow(scan);
    scan->values[scan->count] = (struct scan_value){
        .start = s->at,
        .key_start = s->key_start,
        .key_end = s->key_end,
        .parent = s->top,
        .type = type,
        .bad = s->key_bad,
        .key_escaped = s->key_escaped,
        .bad_key = s->key_bad,
    };
    s->key_start = s->key_end = 0;
    s->key_bad = s->key_escaped = false;
    return scan->count++;
}

static void value_done(struct state *s)
{
    s->awaits = s->top == SCAN_NONE ? AWAITS_END : AWAITS_COMMA;
}

static void open_value(struct state *s, uint8_t type)
{
    if (s->depth == SCAN_DEPTH_MOST) {
        char found[64];
        snprintf(found, sizeof found, "a value inside %d others", SCAN_DEPTH_MOST);
        stop(s, found, "no nesting as deep as that");
        return;
    }
    s->depth++;
    s->top = push(s, type);
    s->at++;
    s->awaits = type == SCAN_OBJECT ? AWAITS_FIRST_KEY : AWAITS_FIRST;
}

static void close_value(struct state *s)
{
    struct scan_value *value = &s->scan->values[s->top];
    s->at++;
    value->end = s->at;
    value->next = s->scan->count;
    if (value->type == SCAN_OBJECT)
        scan_duplicates(s->scan, s->top);
    s->top = value->parent;
    s->depth--;
    value_done(s);
}

static void simple_value(struct state *s)
{
    struct scan *scan = s->scan;
    uint32_t value = push(s, SCAN_STRING);
    bool bad = false;
    uint32_t end;
    if (scan->text[s->at] == '"')
        end = scan_string(scan, s->at, value, &bad);
    else
        end = scan_plain(scan, s->at, value, &scan->values[value].type, &bad);
    scan->values[value].bad |= bad;
    scan->values[value].next = scan->count;
    scan->values[value].end = end;
    s->stopped = end == 0;
    s->at = end;
    value_done(s);
}

static void take_value(struct state *s)
{
    unsigned char c = (unsigned char)s->scan->text[s->at];
    if (s->scan->count == SCAN_VALUES_MOST) {
        stop(s, "more than 2097152 values", "fewer: a long list may stand in a file of its own");
        return;
    }
    if (c == '{')
        open_value(s, SCAN_OBJECT);
    else if (c == '[')
        open_value(s, SCAN_ARRAY);
    else if (c == '"' || c == '-' || c == '+' || c == '.' || (c >= '0' && c <= '9') || c == '_' ||
             ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'))
        simple_value(s);
    else
        unexpected(s);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static void skip_space(struct state *s)
{
    while (s->at < s->scan->length && is_space(s->scan->text[s->at]))
        s->at++;
}

static void take_key(struct state *s)
{
    struct scan *scan = s->scan;
    if (scan->text[s->at] != '"') {
        unexpected(s);
        return;
    }
    uint32_t end = scan_string(scan, s->at, s->top, &s->key_bad);
    s->stopped = end == 0;
    if (s->stopped)
        return;
    s->key_start = s->at + 1;
    s->key_end = end - 1;
    s->key_escaped = memchr(scan->text + s->key_start, '\\', s->key_end - s->key_start) != NULL;
    s->at = end;
    skip_space(s);
    if (s->at < scan->length && scan->text[s->at] == ':') {
        s->at++;
        s->awaits = AWAITS_VALUE;
        return;
    }
    stop(s, s->at < scan->length ? "something else after a key" : "the end of the text", "a colon");
}

static void step(struct state *s)
{
    char c = s->scan->text[s->at];
    switch (s->awaits) {
    case AWAITS_VALUE: take_value(s); return;
    case AWAITS_FIRST:
        if (c == ']')
            close_value(s);
        else
            take_value(s);
        return;
    case AWAITS_KEY: take_key(s); return;
    case AWAITS_FIRST_KEY:
        if (c == '}')
            close_value(s);
        else
            take_key(s);
        return;
    case AWAITS_COMMA: {
        bool object = s->scan->values[s->top].type == SCAN_OBJECT;
        if (c == ',') {
            s->at++;
            s->awaits = object ? AWAITS_KEY : AWAITS_VALUE;
        } else if (c == (object ? '}' : ']')) {
            close_value(s);
        } else {
            unexpected(s);
        }
        return;
    }
    case AWAITS_END: unexpected(s); return;
    }
}

/* Marks that encodings other than UTF-8 leave at the start; true: the text can be read. */
static bool check_start(struct state *s)
{
    const struct scan *scan = s->scan;
    const char *text = scan->text;
    if (scan->length > SCAN_BYTES_MOST) {
        char found[64];
        snprintf(found, sizeof found, "%zu bytes", scan->length);
        stop(s, found, "at most 16 MiB of text");
        return false;
    }
    if (scan->length >= 2 &&
        (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0)) {
        stop(s, "UTF-16 text", "UTF-8");
        return false;
    }
    if (scan->length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        scan_fault_add(s->scan, 0, SCAN_NONE,
                       "found a byte order mark; allowed here: UTF-8 without one");
        s->at = 3;
    }
    return true;
}

void scan_text(struct scan *scan, const char *text, size_t length)
{
    *scan = (struct scan){.text = text, .length = length, .capacity = SCAN_FEW};
    scan->values = scan->few;
    struct state s = {.scan = scan, .top = SCAN_NONE, .awaits = AWAITS_VALUE};
    if (!check_start(&s))
        return;
    for (skip_space(&s); s.at < length && !s.stopped; skip_space(&s)) {
        step(&s);
        if (s.stopped)
            return;
    }
    if (s.awaits == AWAITS_END)
        scan->whole = true;
    else
        early_end(&s);
}

void scan_free(struct scan *scan)
{
    for (size_t i = 0; i < scan->fault_count; i++)
        free(scan->faults[i].text);
    free(scan->faults);
    if (scan->values != scan->few)
        free(scan->values);
    *scan = (struct scan){0};
}
