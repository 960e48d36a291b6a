/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/baseline.h"

#include <stdlib.h>
#include <string.h>

#include "sim/scenario/reading.h"
#include "sim/scenario/scan.h"
#include "tools/report/report.h"
#include "tools/report/utf8.h"

#define VERSION_KEY "duetime-baseline"

void baseline_begin(struct baseline *b, const char *file, const char *title, const char *sha256)
{
    if (b->count == b->capacity) {
        b->capacity = b->capacity ? 2 * b->capacity : 16;
        b->scenarios = must_grow(b->scenarios, b->capacity, sizeof *b->scenarios);
    }
    b->scenarios[b->count++] = (struct pinned_scenario){
        .file = must_copy(file), .title = must_copy(title), .sha256 = must_copy(sha256)};
}

static bool has_name(const struct pinned_scenario *s, const char *name)
{
    for (size_t i = s->figure_count; i-- > 0;)
        if (strcmp(s->figures[i].name, name) == 0)
            return true;
    return false;
}

/* A second figure of the same name gets a number, so that every name is one. */
void baseline_put(struct baseline *b, const char *name, const char *value)
{
    struct pinned_scenario *s = &b->scenarios[b->count - 1];
    char *own = must_copy(name);
    for (unsigned again = 2; has_name(s, own); again++) {
        free(own);
        own = must_format("%s (%u)", name, again);
    }
    if (s->figure_count == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 64;
        s->figures = must_grow(s->figures, s->capacity, sizeof *s->figures);
    }
    s->figures[s->figure_count++] = (struct pinned){own, must_copy(value)};
}

void baseline_free(struct baseline *b)
{
    for (size_t i = 0; i < b->count; i++) {
        struct pinned_scenario *s = &b->scenarios[i];
        for (size_t k = 0; k < s->figure_count; k++) {
            free(s->figures[k].name);
            free(s->figures[k].value);
        }
        free(s->figures);
        free(s->file);
        free(s->title);
        free(s->sha256);
    }
    free(b->scenarios);
    *b = (struct baseline){0};
}

static void write_member(FILE *out, const char *before, const char *key, const char *value)
{
    fputs(before, out);
    json_write_string(out, key);
    fputs(": ", out);
    json_write_string(out, value);
}

void baseline_write(FILE *out, const struct baseline *b)
{
    fprintf(out, "{\n  \"%s\": %d,\n  \"duetime\": \"%s\",\n  \"scenarios\": [", VERSION_KEY,
            BASELINE_VERSION, DUETIME_VERSION);
    for (size_t i = 0; i < b->count; i++) {
        const struct pinned_scenario *s = &b->scenarios[i];
        fputs(i > 0 ? ",\n    {" : "\n    {", out);
        write_member(out, "\n      ", "file", s->file);
        write_member(out, ",\n      ", "title", s->title);
        write_member(out, ",\n      ", "sha256", s->sha256);
        fputs(",\n      \"figures\": {", out);
        for (size_t k = 0; k < s->figure_count; k++)
            write_member(out, k > 0 ? ",\n        " : "\n        ", s->figures[k].name,
                         s->figures[k].value);
        fputs("\n      }\n    }", out);
    }
    fputs("\n  ]\n}\n", out);
}

/* A baseline while it is read. */
struct reading_base {
    struct scan scan;
    const char *why; /* what is wrong with it; NULL: nothing so far */
    uint32_t where;
};

static uint32_t find(const struct reading_base *r, uint32_t object, const char *key)
{
    if (r->scan.values[object].type != SCAN_OBJECT)
        return SCAN_NONE;
    for (uint32_t v = scan_first(&r->scan, object); v != SCAN_NONE; v = scan_beside(&r->scan, v)) {
        const struct scan_value *value = &r->scan.values[v];
        size_t length = value->key_end - value->key_start;
        if (length == strlen(key) && memcmp(r->scan.text + value->key_start, key, length) == 0)
            return v;
    }
    return SCAN_NONE;
}

static void refuse(struct reading_base *r, uint32_t where, const char *why)
{
    if (r->why == NULL) {
        r->why = why;
        r->where = where;
    }
}

/* The text of a string; owned; NULL and a fault where there is none. */
static char *text_at(struct reading_base *r, uint32_t value, uint32_t around)
{
    if (value == SCAN_NONE || r->scan.values[value].type != SCAN_STRING) {
        refuse(r, value != SCAN_NONE ? value : around,
               "a scenario of a baseline has texts file, title, sha256 and an object figures of "
               "texts");
        return NULL;
    }
    const struct scan_value *v = &r->scan.values[value];
    return json_decode(r->scan.text + v->start + 1, v->end - v->start - 2);
}

static void read_figures(struct reading_base *r, uint32_t figures, struct baseline *out)
{
    for (uint32_t v = scan_first(&r->scan, figures); v != SCAN_NONE && r->why == NULL;
         v = scan_beside(&r->scan, v)) {
        const struct scan_value *value = &r->scan.values[v];
        char *name =
            json_decode(r->scan.text + value->key_start, value->key_end - value->key_start);
        char *text = text_at(r, v, figures);
        if (text != NULL)
            baseline_put(out, name, text);
        free(name);
        free(text);
    }
}

static void read_scenario(struct reading_base *r, uint32_t scenario, struct baseline *out)
{
    uint32_t figures = find(r, scenario, "figures");
    char *file = text_at(r, find(r, scenario, "file"), scenario);
    char *title = text_at(r, find(r, scenario, "title"), scenario);
    char *sha256 = text_at(r, find(r, scenario, "sha256"), scenario);
    if (figures == SCAN_NONE || r->scan.values[figures].type != SCAN_OBJECT)
        refuse(r, scenario, "a scenario of a baseline has an object figures");
    if (r->why == NULL) {
        baseline_begin(out, file, title, sha256);
        read_figures(r, figures, out);
    }
    free(file);
    free(title);
    free(sha256);
}

static void read_whole(struct reading_base *r, struct baseline *out)
{
    uint32_t version = find(r, 0, VERSION_KEY), scenarios = find(r, 0, "scenarios");
    const struct scan_value *v = version != SCAN_NONE ? &r->scan.values[version] : NULL;
    if (v == NULL || v->end - v->start != 1 || r->scan.text[v->start] != '0' + BASELINE_VERSION)
        refuse(r, version != SCAN_NONE ? version : 0,
               "no baseline of version 1, which begins with \"duetime-baseline\": 1");
    else if (scenarios == SCAN_NONE || r->scan.values[scenarios].type != SCAN_ARRAY)
        refuse(r, 0, "a baseline has a list of scenarios");
    if (r->why != NULL)
        return;
    for (uint32_t s = scan_first(&r->scan, scenarios); s != SCAN_NONE && r->why == NULL;
         s = scan_beside(&r->scan, s))
        read_scenario(r, s, out);
}

bool baseline_read(const char *file, const char *text, size_t length, struct baseline *out,
                   struct errors *errors)
{
    struct reading_base r = {0};
    struct scan_place place = {0};
    *out = (struct baseline){0};
    scan_text(&r.scan, text, length);
    bool good = r.scan.fault_count == 0 && r.scan.whole && r.scan.count > 0;
    if (good)
        read_whole(&r, out);
    if (!good || r.why != NULL) {
        bool scanned = r.scan.fault_count > 0;
        size_t at = scanned ? r.scan.faults[0].offset : good ? r.scan.values[r.where].start : 0;
        scan_place(&r.scan, at, &place);
        errors_add(errors, (struct place){.file = file, .line = place.line, .column = place.column},
                   "%s",
                   scanned ? r.scan.faults[0].text
                   : good  ? r.why
                           : "no baseline");
        baseline_free(out);
        good = false;
    }
    scan_free(&r.scan);
    return good;
}

static const struct pinned_scenario *find_scenario(const struct baseline *b, const char *file)
{
    for (size_t i = 0; i < b->count; i++)
        if (strcmp(b->scenarios[i].file, file) == 0)
            return &b->scenarios[i];
    return NULL;
}

/* Mostly where it was: next to the one found before. */
static const char *find_value(const struct pinned_scenario *s, const char *name, size_t *hint)
{
    for (size_t i = 0; i < s->figure_count; i++) {
        size_t at = (*hint + i) % s->figure_count;
        if (strcmp(s->figures[at].name, name) == 0) {
            *hint = at + 1;
            return s->figures[at].value;
        }
    }
    return NULL;
}

static void tell(FILE *out, const char *file, const char *name, const char *was, const char *is)
{
    char *clean = must_format("%s: %s: was %s, is %s", file, name, was != NULL ? was : "not there",
                              is != NULL ? is : "not there");
    char *line = utf8_clean(clean);
    fprintf(out, "%s\n", line);
    free(line);
    free(clean);
}

static size_t compare_scenario(FILE *out, const struct pinned_scenario *was,
                               const struct pinned_scenario *is)
{
    size_t differ = 0, hint = 0;
    for (size_t i = 0; i < is->figure_count; i++) {
        const struct pinned *figure = &is->figures[i];
        const char *before = find_value(was, figure->name, &hint);
        if (before != NULL && strcmp(before, figure->value) == 0)
            continue;
        tell(out, is->file, figure->name, before, figure->value);
        differ++;
    }
    hint = 0;
    for (size_t i = 0; i < was->figure_count; i++) {
        if (find_value(is, was->figures[i].name, &hint) != NULL)
            continue;
        tell(out, is->file, was->figures[i].name, was->figures[i].value, NULL);
        differ++;
    }
    char *clean = utf8_clean(is->file);
    bool changed = strcmp(was->sha256, is->sha256) != 0;
    if (differ == 0)
        fprintf(out, "%s: %zu figures as in the baseline%s\n", clean, is->figure_count,
                changed ? ", though the file has changed" : "");
    else
        fprintf(out, "%s: %zu figures DIFFER from the baseline%s\n", clean, differ,
                changed ? "; the file has changed too" : "");
    free(clean);
    return differ;
}

size_t baseline_compare(FILE *out, const struct baseline *was, const struct baseline *is)
{
    size_t differ = 0;
    for (size_t i = 0; i < is->count; i++) {
        const struct pinned_scenario *before = find_scenario(was, is->scenarios[i].file);
        if (before != NULL) {
            differ += compare_scenario(out, before, &is->scenarios[i]);
            continue;
        }
        tell(out, is->scenarios[i].file, "the scenario", NULL, "there");
        differ++;
    }
    for (size_t i = 0; i < was->count; i++) {
        if (find_scenario(is, was->scenarios[i].file) != NULL)
            continue;
        tell(out, was->scenarios[i].file, "the scenario", "there", NULL);
        differ++;
    }
    return differ;
}
