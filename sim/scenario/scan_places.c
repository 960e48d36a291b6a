/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Where things stand in a scanned text, and which keys stand in it twice. */

#include <stdlib.h>
#include <string.h>

#include "models/base/error.h"
#include "sim/scenario/scan.h"

void scan_place(const struct scan *scan, size_t offset, struct scan_place *from)
{
    if (from->line == 0 || offset < from->offset)
        *from = (struct scan_place){0, 1, 1};
    for (size_t i = from->offset; i < offset && i < scan->length; i++) {
        unsigned char c = (unsigned char)scan->text[i];
        if (c == '\n') {
            from->line++;
            from->column = 1;
        } else if ((c & 0xc0) != 0x80) {
            from->column++;
        }
    }
    from->offset = offset;
}

/* A text being put together. */
struct growing {
    char *text;
    size_t length, capacity;
};

static void grow(struct growing *g, const char *bytes, size_t count)
{
    if (g->length + count + 1 > g->capacity) {
        g->capacity = (g->length + count + 1) * 2;
        g->text = must_grow(g->text, g->capacity, 1);
    }
    memcpy(g->text + g->length, bytes, count);
    g->length += count;
    g->text[g->length] = '\0';
}

static void grow_shown(struct growing *g, const char *bytes, size_t count, size_t characters)
{
    for (size_t i = 0; i < count; characters--) {
        if (characters == 0) {
            grow(g, "...", 3);
            return;
        }
        size_t length = utf8_length(bytes + i, count - i);
        unsigned char c = (unsigned char)bytes[i];
        bool control = c < 0x20 || c == 0x7f ||
                       (length == 2 && c == 0xc2 && (unsigned char)bytes[i + 1] < 0xa0);
        if (length == 0 || control)
            grow(g, "?", 1);
        else
            grow(g, bytes + i, length);
        i += length == 0 ? 1 : length;
    }
}

char *scan_excerpt(const struct scan *scan, size_t start, size_t end, size_t characters)
{
    struct growing g = {0};
    grow(&g, "", 0);
    grow_shown(&g, scan->text + start, end - start, characters);
    return g.text;
}

static void grow_step(struct growing *g, const struct scan *scan, uint32_t value)
{
    const struct scan_value *v = &scan->values[value];
    grow(g, "/", 1);
    if (scan->values[v->parent].type == SCAN_ARRAY) {
        size_t index = 0;
        for (uint32_t i = v->parent + 1; i != value; i = scan->values[i].next)
            index++;
        char *text = must_format("%zu", index);
        grow(g, text, strlen(text));
        free(text);
        return;
    }
    for (uint32_t i = v->key_start; i < v->key_end;) {
        size_t length = utf8_length(scan->text + i, v->key_end - i);
        if (scan->text[i] == '~')
            grow(g, "~0", 2);
        else if (scan->text[i] == '/')
            grow(g, "~1", 2);
        else
            grow_shown(g, scan->text + i, length == 0 ? 1 : length, 2);
        i += length == 0 ? 1 : (uint32_t)length;
    }
}

char *scan_path(const struct scan *scan, uint32_t value)
{
    uint32_t chain[SCAN_DEPTH_MOST + 2];
    size_t depth = 0;
    for (uint32_t v = value; v != SCAN_NONE && scan->values[v].parent != SCAN_NONE;
         v = scan->values[v].parent)
        chain[depth++] = v;
    struct growing g = {0};
    grow(&g, "/", depth == 0 ? 1 : 0);
    while (depth > 0)
        grow_step(&g, scan, chain[--depth]);
    return g.text;
}

#define FEW 16 /* keys of most objects */

/* One key of an object, for sorting. */
struct key {
    const char *text;
    uint32_t length, value;
};

static uint32_t hex_value(const char *digits)
{
    char copy[5] = {digits[0], digits[1], digits[2], digits[3], '\0'};
    return (uint32_t)strtoul(copy, NULL, 16);
}

/* The next character of a checked key, escapes undone. */
static uint32_t next_character(const char **at)
{
    static const char escapes[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
    const unsigned char *p = (const unsigned char *)*at;
    if (p[0] == '\\' && p[1] == 'u') {
        uint32_t high = hex_value(*at + 2);
        bool pair = high >= 0xd800 && high <= 0xdbff;
        *at += pair ? 12 : 6;
        return pair ? 0x10000 + ((high - 0xd800) << 10) + hex_value((const char *)p + 8) - 0xdc00
                    : high;
    }
    if (p[0] == '\\') {
        *at += 2;
        for (size_t i = 0; escapes[i] != '\0'; i += 2)
            if (escapes[i] == (char)p[1])
                return (uint32_t)escapes[i + 1];
        BUG("an unchecked escape");
    }
    *at += p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (p[0] < 0x80)
        return p[0];
    if (p[0] < 0xe0)
        return (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
    if (p[0] < 0xf0)
        return (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
    return (p[0] & 0x07u) << 18 | (p[1] & 0x3fu) << 12 | (p[2] & 0x3fu) << 6 | (p[3] & 0x3fu);
}

static int compare_names(const struct key *a, const struct key *b)
{
    const char *p = a->text, *q = b->text;
    const char *p_end = p + a->length, *q_end = q + b->length;
    while (p < p_end && q < q_end) {
        uint32_t left = next_character(&p), right = next_character(&q);
        if (left != right)
            return left < right ? -1 : 1;
    }
    return (p < p_end) - (q < q_end);
}

static int compare_keys(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    int order = compare_names(a, b);
    return order != 0 ? order : (a->value > b->value) - (a->value < b->value);
}

static void duplicate(struct scan *scan, const struct key *key, const struct key *first)
{
    scan->values[key->value].bad = scan->values[key->value].bad_key = true;
    if (scan->fault_count == SCAN_FAULTS_MOST) {
        scan->faults_left_out++;
        return;
    }
    uint32_t offset = scan->values[key->value].key_start - 1;
    struct scan_place place = {0};
    scan_place(scan, scan->values[first->value].key_start - 1, &place);
    char *shown = scan_excerpt(scan, offset + 1, offset + 1 + key->length, 60);
    scan_fault_add(scan, offset, key->value,
                   "found the key \"%s\" again; allowed: each key once (the first is at %zu:%zu)",
                   shown, place.line, place.column);
    free(shown);
}

/* Few keys, all plain and no two the same: known without sorting them. */
static bool differ_plainly(const struct scan *scan, uint32_t object)
{
    const struct scan_value *keys[FEW];
    size_t count = 0;
    for (uint32_t v = scan_first(scan, object); v != SCAN_NONE; v = scan_beside(scan, v)) {
        const struct scan_value *new = &scan->values[v];
        uint32_t length = new->key_end - new->key_start;
        if (count == FEW || new->key_escaped || new->bad_key)
            return false;
        for (size_t i = 0; i < count; i++)
            if (keys[i]->key_end - keys[i]->key_start == length &&
                memcmp(scan->text + keys[i]->key_start, scan->text + new->key_start, length) == 0)
                return false;
        keys[count++] = new;
    }
    return true;
}

void scan_duplicates(struct scan *scan, uint32_t object)
{
    size_t count = 0;
    if (differ_plainly(scan, object))
        return;
    for (uint32_t v = scan_first(scan, object); v != SCAN_NONE; v = scan_beside(scan, v))
        count++;
    struct key *keys = must_alloc(count, sizeof *keys);
    size_t good = 0;
    for (uint32_t v = scan_first(scan, object); v != SCAN_NONE; v = scan_beside(scan, v)) {
        const struct scan_value *value = &scan->values[v];
        if (!value->bad_key)
            keys[good++] =
                (struct key){scan->text + value->key_start, value->key_end - value->key_start, v};
    }
    qsort(keys, good, sizeof *keys, compare_keys);
    size_t first = 0;
    for (size_t i = 1; i < good; i++) {
        if (compare_names(&keys[first], &keys[i]) == 0)
            duplicate(scan, &keys[i], &keys[first]);
        else
            first = i;
    }
    free(keys);
}
