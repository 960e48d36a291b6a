/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/scenario/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/reading.h"

static char *copy_bytes(const char *bytes, size_t count)
{
    char *copy = must_alloc(count + 1, 1);
    memcpy(copy, bytes, count);
    return copy;
}

/* A text in double quotes, as JSON writes it.  Owned by the caller. */
static char *quoted(const char *text, size_t length)
{
    char *out = must_alloc(length * 6 + 3, 1), *at = out;
    *at++ = '"';
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < 0x20) {
            at += snprintf(at, 7, "\\u%04x", c);
            continue;
        }
        if (c == '"' || c == '\\')
            *at++ = '\\';
        *at++ = (char)c;
    }
    *at = '"';
    return out;
}

/* The setting's value as JSON on one line.  NULL and a fault when it begins as JSON but is none. */
static char *value_json(const struct setting *setting, struct errors *errors)
{
    const char *text = setting->value;
    struct scan scan;
    scan_text(&scan, text, strlen(text));
    bool json = scan.whole && scan.fault_count == 0;
    char *out;
    if (json) {
        out = must_copy(text);
        for (char *c = out; *c != '\0'; c++)
            if (*c == '\n' || *c == '\r')
                *c = ' ';
    } else if (strchr("{[\"", text[0]) != NULL && text[0] != '\0') {
        errors_add(errors, (struct place){.file = "--set", .path = setting->path},
                   "the value is no JSON: %s", scan.faults[0].text);
        out = NULL;
    } else {
        out = quoted(text, strlen(text));
    }
    scan_free(&scan);
    return out;
}

/* The first step of a path such as /loads/a~1b/open: its name with ~1 and ~0 undone, owned by the
   caller; *rest is what follows. */
static char *first_step(const char *path, const char **rest)
{
    const char *end = strchr(path + 1, '/');
    *rest = end == NULL ? path + strlen(path) : end;
    char *step = copy_bytes(path + 1, (size_t)(*rest - path) - 1), *to = step;
    for (const char *from = step; *from != '\0'; from++) {
        bool escape = from[0] == '~' && (from[1] == '0' || from[1] == '1');
        *to++ = !escape ? *from : from[1] == '0' ? '~' : '/';
        from += escape;
    }
    *to = '\0';
    return step;
}

static uint32_t step_into(const struct reading *r, uint32_t value, const char *step)
{
    if (type_of(r, value) != SCAN_ARRAY)
        return member(r, value, step);
    char *end;
    unsigned long index = strtoul(step, &end, 10);
    uint32_t v =
        *step >= '0' && *step <= '9' && *end == '\0' ? scan_first(&r->scan, value) : SCAN_NONE;
    for (; v != SCAN_NONE && index > 0; index--)
        v = scan_beside(&r->scan, v);
    return v;
}

/* Text with bytes [start, end) replaced. */
static char *replace(const struct scan *scan, size_t start, size_t end, const char *by,
                     size_t *new_length)
{
    size_t count = strlen(by);
    *new_length = start + count + scan->length - end;
    char *out = must_alloc(*new_length + 1, 1);
    memcpy(out, scan->text, start);
    memcpy(out + start, by, count);
    memcpy(out + start + count, scan->text + end, scan->length - end);
    return out;
}

static char *insert(const struct reading *r, uint32_t object, const char *key, const char *json,
                    size_t *new_length)
{
    size_t end = r->scan.values[object].start + 1;
    uint32_t v = scan_first(&r->scan, object);
    bool empty = v == SCAN_NONE;
    for (; v != SCAN_NONE; v = scan_beside(&r->scan, v))
        end = r->scan.values[v].end;
    char *name = quoted(key, strlen(key));
    char *text = must_format("%s%s: %s", empty ? "" : ", ", name, json);
    char *out = replace(&r->scan, end, end, text, new_length);
    free(text);
    free(name);
    return out;
}

/* True where the keys of an object are names: of loads, of recorders. */
static bool holds_names(const struct reading *r, uint32_t object)
{
    return object != 0 && (object == member(r, 0, "loads") || object == member(r, 0, "recorders"));
}

/* Nothing stands at the path: a new key in the object that was reached, or a fault. */
static char *put_new(const struct reading *r, const struct setting *setting, uint32_t reached,
                     const char *step, const char *rest, const char *json, size_t *new_length,
                     struct errors *errors)
{
    bool object = type_of(r, reached) == SCAN_OBJECT;
    if (object && *rest == '\0')
        return insert(r, reached, step, json, new_length);
    /* An object that is left out, such as "report" or the server's "quota", may be set into; but
       names that the scenario gives are not made up. */
    if (object && !holds_names(r, reached) && strchr(rest + 1, '/') == NULL) {
        const char *end;
        char *inner = first_step(rest, &end), *name = quoted(inner, strlen(inner));
        char *part = must_format("{%s: %s}", name, json);
        char *out = insert(r, reached, step, part, new_length);
        free(part);
        free(name);
        free(inner);
        return out;
    }
    char *path = scan_path(&r->scan, reached), *hint = must_copy("");
    if (object) {
        struct names names = {0};
        size_t count = 0;
        char *keys[64];
        for (uint32_t v = scan_first(&r->scan, reached); v != SCAN_NONE && count < 64;
             v = scan_beside(&r->scan, v)) {
            const struct scan_value *in = &r->scan.values[v];
            keys[count] = json_decode(r->scan.text + in->key_start, in->key_end - in->key_start);
            names_add(&names, keys[count++]);
        }
        free(hint);
        hint = names_hint(&names, step);
        while (count > 0)
            free(keys[--count]);
    }
    errors_add(errors, (struct place){.file = "--set", .path = setting->path},
               "the scenario has no \"%s\" at %s%s", step, path, hint);
    free(hint);
    free(path);
    return NULL;
}

static char *apply(const struct reading *r, const struct setting *setting, const char *json,
                   size_t *new_length, struct errors *errors)
{
    uint32_t value = 0;
    const char *path = setting->path;
    while (*path != '\0') {
        const char *rest;
        char *step = first_step(path, &rest);
        uint32_t inner = step_into(r, value, step);
        if (inner == SCAN_NONE) {
            char *out = put_new(r, setting, value, step, rest, json, new_length, errors);
            free(step);
            return out;
        }
        free(step);
        value = inner;
        path = rest;
    }
    const struct scan_value *v = &r->scan.values[value];
    /* Line ends inside the old value are kept behind the new one, so that later lines do not move.
     */
    size_t lines = 0;
    for (uint32_t i = v->start; i < v->end; i++)
        lines += r->scan.text[i] == '\n';
    char *padded = must_alloc(strlen(json) + lines + 1, 1);
    memcpy(padded, json, strlen(json));
    memset(padded + strlen(json), '\n', lines);
    char *out = replace(&r->scan, v->start, v->end, padded, new_length);
    free(padded);
    return out;
}

/* The setting's value, put into a text that was scanned; NULL and a fault where it does not fit. */
static char *apply_checked(const struct reading *r, const struct setting *setting,
                           size_t *new_length, struct errors *errors)
{
    if (setting->path[0] != '/') {
        errors_add(errors, (struct place){.file = "--set", .path = setting->path},
                   "found no path; allowed: one that begins with /, as /run/requests=1000");
        return NULL;
    }
    char *json = value_json(setting, errors), *out = NULL;
    if (json != NULL && r->failed) {
        *new_length = r->scan.length;
        out = copy_bytes(r->scan.text, r->scan.length);
    } else if (json != NULL) {
        out = apply(r, setting, json, new_length, errors);
    }
    free(json);
    return out;
}

char *setting_apply_scanned(const struct reading *r, const struct setting *setting,
                            size_t *new_length, struct errors *errors)
{
    BUG_IF(r->failed);
    return apply_checked(r, setting, new_length, errors);
}

char *setting_apply(const char *text, size_t length, const struct setting *setting,
                    size_t *new_length, struct errors *errors)
{
    struct reading r;
    reading_open(&r, "", text, length);
    char *out = apply_checked(&r, setting, new_length, errors);
    struct errors later = {0};
    reading_close(&r, &later);
    errors_free(&later);
    return out;
}
