/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "sim/formats/imported.h"
#include "sim/formats/text.h"

struct values {
    i128 *milli; /* owned */
    size_t count, capacity;
};

static void push(struct values *v, i128 milli)
{
    if (v->count == v->capacity) {
        v->capacity = v->capacity ? 2 * v->capacity : 1024;
        v->milli = must_grow(v->milli, v->capacity, sizeof *v->milli);
    }
    v->milli[v->count++] = milli;
}

static int compare(const void *left, const void *right)
{
    const i128 *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void fill(struct values *v, struct imported *out)
{
    qsort(v->milli, v->count, sizeof *v->milli, compare);
    out->min = (struct told){true, v->milli[0]};
    out->max = (struct told){true, v->milli[v->count - 1]};
    out->sum = (struct told){true, 0};
    for (size_t i = 0, same; i < v->count; i += same) {
        i128 value = v->milli[i];
        for (same = 1; i + same < v->count && v->milli[i + same] == value;)
            same++;
        imported_push(
            out,
            (struct bin){.low_milli = value, .high_milli = value, .low_in = true, .count = same});
        out->sum.milli += value * (i128)same;
    }
}

bool read_list(const char *file, const char *text, size_t length, ns_t unit_ns,
               struct imported *out, struct errors *errors)
{
    struct lines lines = {.file = file, .text = text, .length = length};
    struct values values = {0};
    size_t before = errors->count;
    while (lines_next(&lines) && errors->count < ERRORS_MOST) {
        struct piece line = piece_trim(lines.line);
        i128 milli;
        if (line.length == 0 || line.at[0] == '#')
            continue;
        if (milli_parse(line, unit_ns, &milli)) {
            push(&values, milli);
            continue;
        }
        char *shown = piece_shown(line);
        lines_fault(&lines, errors,
                    "found %s; allowed: one time a line, 0 or more and below 146 years, a decimal "
                    "number or one with a unit such as 1.5ms",
                    shown);
        free(shown);
    }
    bool good = errors->count == before;
    if (good && values.count > 0)
        fill(&values, out);
    free(values.milli);
    return good;
}
