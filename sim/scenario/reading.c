/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/scenario/reading.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/reader.h"

/* NULL when the list is full: the fault is counted only. */
static struct fault *fault_new(struct reading *r)
{
    r->failed = true;
    if (r->fault_count == ERRORS_MOST) {
        r->faults_left_out++;
        return NULL;
    }
    if (r->fault_count == r->fault_capacity) {
        r->fault_capacity = r->fault_capacity == 0 ? 16 : r->fault_capacity * 2;
        r->faults = must_grow(r->faults, r->fault_capacity, sizeof *r->faults);
    }
    struct fault *fault = &r->faults[r->fault_count];
    *fault = (struct fault){.order = r->fault_count++};
    return fault;
}

/* Names in it come decoded and may be cut: nothing that a terminal would obey gets through. */
__attribute__((format(printf, 1, 0))) static char *vformat(const char *format, va_list args)
{
    char text[2000];
    vsnprintf(text, sizeof text, format, args);
    struct scan bytes = {.text = text, .length = strlen(text)};
    return scan_excerpt(&bytes, 0, bytes.length, bytes.length);
}

void reading_open(struct reading *r, const char *file, const char *text, size_t length)
{
    *r = (struct reading){.file = file};
    decoded_open(&r->decoded);
    scan_text(&r->scan, text, length);
    r->faults_left_out = r->scan.faults_left_out;
    r->failed = !r->scan.whole;
    for (size_t i = 0; i < r->scan.fault_count; i++) {
        const struct scan_fault *found = &r->scan.faults[i];
        struct fault *fault = fault_new(r);
        if (fault == NULL)
            continue;
        fault->offset = found->offset;
        fault->text = must_copy(found->text);
        fault->path = scan_path(&r->scan, found->value);
    }
}

static int compare_faults(const void *left, const void *right)
{
    const struct fault *a = left, *b = right;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

static bool lies_under(const char *path, const char *top)
{
    size_t length = strlen(top);
    return strncmp(path, top, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* The offset in the file of one in the text with settings; false: a setting put it there. */
static bool offset_in_file(const struct reading *r, size_t *offset)
{
    for (size_t i = r->setting_count; i-- > 0;) {
        const struct splice *s = &r->splices[i];
        if (*offset >= s->begin && *offset < s->end)
            return false;
        if (*offset >= s->end)
            *offset = *offset - s->end + s->old_end;
    }
    return true;
}

/* Who gave what is wrong: the last setting it is part of, or which made it.  NULL: none. */
static const struct setting *setting_of(const struct reading *r, const char *path, bool inside)
{
    for (size_t i = r->setting_count; i-- > 0;)
        if (lies_under(path, r->settings[i].path) ||
            (inside && path[0] != '\0' && lies_under(r->settings[i].path, path)))
            return &r->settings[i];
    return NULL;
}

/* Where a fault is in the file as it was written; in what a setting gave, the option in its stead.
   The place before it in *at makes the next one cheap. */
static struct place place_of(const struct reading *r, const struct fault *fault,
                             struct scan_place *at)
{
    struct scan file = {.text = r->scan.text, .length = r->scan.length};
    size_t offset = fault->offset;
    if (r->setting_count > 0) {
        bool outside = offset_in_file(r, &offset);
        const struct setting *setting = setting_of(r, fault->path, !outside);
        if (!outside || setting != NULL) {
            bool typed = setting != NULL && !r->is_trial;
            const char *option = typed && setting->option != NULL ? setting->option : "--set";
            return (struct place){.file = typed ? option : r->file, .path = fault->path};
        }
        file = (struct scan){.text = r->unset, .length = r->unset_length};
    }
    scan_place(&file, offset, at);
    return (struct place){r->file, at->line, at->column, fault->path};
}

void reading_close(struct reading *r, struct errors *errors)
{
    if (r->fault_count > 0)
        qsort(r->faults, r->fault_count, sizeof *r->faults, compare_faults);
    struct scan_place at = {0};
    for (size_t i = 0; i < r->fault_count; i++) {
        struct fault *fault = &r->faults[i];
        struct place place = place_of(r, fault, &at);
        if (fault->file != NULL)
            place = (struct place){fault->file, fault->file_line, 1, fault->path};
        errors_add(errors, place, "%s", fault->text);
        free(fault->file);
        free(fault->path);
        free(fault->text);
    }
    errors->left_out += r->faults_left_out;
    free(r->faults);
    decoded_free(&r->decoded);
    scan_free(&r->scan);
}

bool fault_only_counts(struct reading *r, uint32_t value)
{
    if (r->fault_count < ERRORS_MOST)
        return false;
    r->scan.values[value].bad = true;
    fault_new(r);
    return true;
}

void fault_at(struct reading *r, uint32_t value, const char *format, ...)
{
    r->scan.values[value].bad = true;
    struct fault *fault = fault_new(r);
    if (fault == NULL)
        return;
    va_list args;
    va_start(args, format);
    fault->text = vformat(format, args);
    va_end(args);
    fault->offset = r->scan.values[value].start;
    fault->path = scan_path(&r->scan, value);
}

void fault_at_key(struct reading *r, uint32_t value, const char *format, ...)
{
    r->scan.values[value].bad = true;
    struct fault *fault = fault_new(r);
    if (fault == NULL)
        return;
    va_list args;
    va_start(args, format);
    fault->text = vformat(format, args);
    va_end(args);
    fault->offset = r->scan.values[value].key_start - 1;
    fault->path = scan_path(&r->scan, value);
}

void fault_in_file(struct reading *r, uint32_t value, const char *file, size_t line,
                   const char *format, ...)
{
    r->scan.values[value].bad = true;
    struct fault *fault = fault_new(r);
    if (fault == NULL)
        return;
    va_list args;
    va_start(args, format);
    fault->text = vformat(format, args);
    va_end(args);
    fault->offset = r->scan.values[value].start;
    fault->path = scan_path(&r->scan, value);
    fault->file = must_copy(file);
    fault->file_line = line;
}

static bool key_is(const struct reading *r, uint32_t value, const char *key, size_t key_length)
{
    const struct scan_value *v = &r->scan.values[value];
    const char *text = r->scan.text + v->key_start;
    size_t length = v->key_end - v->key_start;
    if (length == key_length && memcmp(text, key, length) == 0)
        return true;
    if (v->bad_key || !v->key_escaped)
        return false;
    char *decoded = json_decode(text, length);
    bool same = strcmp(decoded, key) == 0;
    free(decoded);
    return same;
}

uint32_t member(const struct reading *r, uint32_t object, const char *key)
{
    if (type_of(r, object) != SCAN_OBJECT)
        return SCAN_NONE;
    size_t length = strlen(key);
    for (uint32_t v = scan_first(&r->scan, object); v != SCAN_NONE; v = scan_beside(&r->scan, v))
        if (key_is(r, v, key, length))
            return v;
    return SCAN_NONE;
}

bool has_good(const struct reading *r, uint32_t object, const char *key)
{
    uint32_t v = member(r, object, key);
    return v != SCAN_NONE && !r->scan.values[v].bad;
}

const char *text_of(struct reading *r, uint32_t value)
{
    const struct scan_value *v = &r->scan.values[value];
    BUG_IF(v->bad);
    return decoded_add(&r->decoded, r->scan.text + v->start + 1, v->end - v->start - 2);
}

const char *key_of(struct reading *r, uint32_t value)
{
    const struct scan_value *v = &r->scan.values[value];
    BUG_IF(v->bad_key);
    return decoded_add(&r->decoded, r->scan.text + v->key_start, v->key_end - v->key_start);
}

char *shown(const struct reading *r, uint32_t value)
{
    const struct scan_value *v = &r->scan.values[value];
    switch (type_of(r, value)) {
    case SCAN_NULL: return must_copy("null");
    case SCAN_FALSE: return must_copy("false");
    case SCAN_TRUE: return must_copy("true");
    case SCAN_ARRAY: return must_copy("a list");
    case SCAN_OBJECT: return must_copy("an object");
    case SCAN_NUMBER:
    case SCAN_STRING: return scan_excerpt(&r->scan, v->start, v->end, 60);
    }
    BUG("value type outside its enum");
}

void names_add(struct names *names, const char *name)
{
    if (names->count == names->capacity) {
        names->capacity = names->capacity == 0 ? 16 : names->capacity * 2;
        names->items = must_grow(names->items, names->capacity, sizeof *names->items);
    }
    names->items[names->count++] = name;
}

#define WORD_MOST 40

/* Insertions, deletions, changes and swaps of neighbours between two words of at most WORD_MOST. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    size_t d[WORD_MOST + 1][WORD_MOST + 1];
    for (size_t i = 0; i <= n; i++)
        d[i][0] = i;
    for (size_t j = 0; j <= m; j++)
        d[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        for (size_t j = 1; j <= m; j++) {
            size_t least = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < least)
                least = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < least)
                least = d[i][j - 1] + 1;
            bool swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swap && d[i - 2][j - 2] + 1 < least)
                least = d[i - 2][j - 2] + 1;
            d[i][j] = least;
        }
    }
    return d[n][m];
}

static const char *nearest(const struct names *names, const char *word)
{
    const char *best = NULL;
    size_t least = strlen(word) / 3 + 2;
    if (strlen(word) > WORD_MOST)
        return NULL;
    for (size_t i = 0; i < names->count; i++) {
        if (strlen(names->items[i]) > WORD_MOST)
            continue;
        size_t distance = edit_distance(word, names->items[i]);
        size_t longer =
            strlen(word) > strlen(names->items[i]) ? strlen(word) : strlen(names->items[i]);
        if (distance < least && distance < longer) {
            least = distance;
            best = names->items[i];
        }
    }
    return best;
}

/* How many allowed names a message lists. */
#define LISTED_MOST 24

char *names_hint(struct names *names, const char *word)
{
    const char *near = nearest(names, word);
    char *hint =
        near != NULL ? must_format("; nearest: \"%s\"; allowed:", near) : must_copy("; allowed:");
    for (size_t i = 0; i < names->count && i < LISTED_MOST; i++) {
        bool last = i + 1 == names->count;
        char *longer = must_format("%s \"%.60s\"%s", hint, names->items[i], last ? "" : ",");
        free(hint);
        hint = longer;
    }
    if (names->count > LISTED_MOST) {
        char *longer = must_format("%s and %zu more", hint, names->count - LISTED_MOST);
        free(hint);
        hint = longer;
    }
    free(names->items);
    *names = (struct names){0};
    return hint;
}
