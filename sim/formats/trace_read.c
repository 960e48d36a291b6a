/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "sim/formats/text.h"
#include "sim/formats/trace_rows.h"
#include "sim/scenario/decoded.h"
#include "sim/scenario/scan.h"

/* A CSV text field by field.  Quoted ones may hold commas, quotes written twice and line ends. */
struct fields {
    const char *text;
    size_t length, at, line;
    bool row_ends; /* the field given last was its row's last */
    bool broken;   /* a quote that is not closed, or text behind one */
    char *field;   /* owned */
    size_t field_length, capacity;
};

static void field_push(struct fields *f, char c)
{
    if (f->field_length + 1 >= f->capacity) {
        f->capacity = f->capacity ? 2 * f->capacity : 64;
        f->field = must_grow(f->field, f->capacity, 1);
    }
    f->field[f->field_length++] = c;
}

static void read_quoted(struct fields *f)
{
    for (f->at++; f->at < f->length; f->at++) {
        bool quote = f->text[f->at] == '"';
        bool twice = quote && f->at + 1 < f->length && f->text[f->at + 1] == '"';
        if (quote && !twice) {
            f->at++;
            return;
        }
        f->at += twice;
        f->line += f->text[f->at] == '\n';
        field_push(f, f->text[f->at]);
    }
    f->broken = true;
}

static void field_next(struct fields *f)
{
    f->field_length = 0;
    if (f->at < f->length && f->text[f->at] == '"')
        read_quoted(f);
    else
        while (f->at < f->length && f->text[f->at] != ',' && f->text[f->at] != '\n' &&
               f->text[f->at] != '\r')
            field_push(f, f->text[f->at++]);
    bool comma = f->at < f->length && f->text[f->at] == ',';
    f->row_ends = !comma;
    if (comma) {
        f->at++;
        return;
    }
    f->at += f->at < f->length && f->text[f->at] == '\r';
    f->broken |= f->at < f->length && f->text[f->at] != '\n';
    f->at += f->at < f->length;
}

static void fault_at_line(const char *file, size_t line, struct errors *errors, const char *what)
{
    errors_add(errors, (struct place){.file = file, .line = line, .column = 1}, "%s", what);
}

/* What stands in each column of the file; its number, 0 with an error. */
static size_t read_names(struct fields *f, size_t columns[TRACE_COLUMNS], const char *file,
                         struct trace_rows *out, struct errors *errors)
{
    bool seen[TRACE_COLUMNS] = {false};
    size_t count = 0;
    do {
        field_next(f);
        size_t column = trace_find_column(f->field_length > 0 ? f->field : "", f->field_length);
        if (f->broken || column == TRACE_COLUMNS || seen[column]) {
            char *shown = piece_shown((struct piece){f->field, f->field_length});
            errors_add(errors, (struct place){.file = file, .line = 1, .column = 1},
                       "%s is no column of a trace, or is there twice; allowed: number, load, "
                       "client, replica, due_ns, acquired_ns, sent_ns, started_ns, finished_ns, "
                       "ended_ns, status, recorded, send_lag_ns, queue_ns, stall_ns, service_ns, "
                       "response_ns",
                       shown);
            free(shown);
            return 0;
        }
        seen[column] = true;
        columns[count++] = column;
    } while (!f->row_ends);
    if (!seen[TRACE_DUE] || !seen[TRACE_SENT] || !seen[TRACE_FINISHED]) {
        fault_at_line(file, 1, errors, "a trace has columns due_ns, sent_ns and finished_ns");
        return 0;
    }
    out->whole = count == TRACE_COLUMNS;
    return count;
}

/* One row into one buffer, of which the cells are parts. */
static char *read_csv_row(struct fields *f, const size_t *columns, size_t count,
                          struct trace_rows *out)
{
    struct trace_cell cells[TRACE_COLUMNS] = {0};
    char *texts[TRACE_COLUMNS] = {NULL}, *why = NULL;
    size_t i = 0;
    do {
        field_next(f);
        if (i < count) {
            texts[i] = must_alloc(f->field_length + 1, 1);
            if (f->field_length > 0)
                memcpy(texts[i], f->field, f->field_length);
            cells[columns[i]] = (struct trace_cell){texts[i], f->field_length, f->field_length > 0};
        }
        i++;
    } while (!f->row_ends);
    if (f->broken)
        why = must_copy("a quote that is not closed, or text behind one");
    else if (i != count)
        why = must_copy("not as many columns as the first line names");
    else
        why = trace_push(out, cells);
    for (size_t k = 0; k < count; k++)
        free(texts[k]);
    return why;
}

static bool read_csv(const char *file, const char *text, size_t length, struct trace_rows *out,
                     struct errors *errors)
{
    struct fields f = {.text = text, .length = length, .line = 1};
    size_t columns[TRACE_COLUMNS], count = read_names(&f, columns, file, out, errors);
    bool good = count > 0;
    while (good && f.at < f.length) {
        size_t line = ++f.line;
        char *why = read_csv_row(&f, columns, count, out);
        good = why == NULL;
        if (!good)
            fault_at_line(file, line, errors, why);
        free(why);
    }
    free(f.field);
    return good;
}

/* The members of one object; texts without escapes stay where they are. */
static char *read_members(const struct scan *scan, struct trace_rows *out)
{
    struct trace_cell cells[TRACE_COLUMNS] = {0};
    char *name = NULL, *why = NULL;
    size_t known = 0;
    for (uint32_t v = scan_first(scan, 0); v != SCAN_NONE && why == NULL;
         v = scan_beside(scan, v)) {
        const struct scan_value *value = &scan->values[v];
        size_t column =
            trace_find_column(scan->text + value->key_start, value->key_end - value->key_start);
        if (column == TRACE_COLUMNS || value->type == SCAN_ARRAY || value->type == SCAN_OBJECT) {
            why = must_copy("a key that is none of a trace's, or a value that is a list or object");
            break;
        }
        bool quoted = value->type == SCAN_STRING;
        struct trace_cell cell = {scan->text + value->start + quoted,
                                  value->end - value->start - 2u * quoted,
                                  value->type != SCAN_NULL};
        if (column == TRACE_LOAD && quoted) {
            name = json_decode(cell.at, cell.length);
            cell = (struct trace_cell){name, strlen(name), true};
        }
        cells[column] = cell;
        known++;
    }
    out->whole = out->whole && known == TRACE_COLUMNS;
    if (why == NULL)
        why = trace_push(out, cells);
    free(name);
    return why;
}

static bool read_json_lines(const char *file, const char *text, size_t length,
                            struct trace_rows *out, struct errors *errors)
{
    struct lines lines = {.file = file, .text = text, .length = length};
    bool good = true;
    out->json = out->whole = true;
    while (good && lines_next(&lines)) {
        if (piece_trim(lines.line).length == 0)
            continue;
        struct scan scan;
        char *why = NULL;
        scan_text(&scan, lines.line.at, lines.line.length);
        if (scan.fault_count > 0)
            why = must_copy(scan.faults[0].text);
        else if (scan.count == 0 || scan.values[0].type != SCAN_OBJECT)
            why = must_copy("allowed: one JSON object a line");
        else
            why = read_members(&scan, out);
        good = why == NULL;
        if (!good)
            lines_fault(&lines, errors, "%s", why);
        free(why);
        scan_free(&scan);
    }
    return good;
}

bool trace_read(const char *file, const char *text, size_t length, struct trace_rows *out,
                struct errors *errors)
{
    *out = (struct trace_rows){0};
    bool json = length > 0 && text[0] == '{';
    bool good = json ? read_json_lines(file, text, length, out, errors)
                     : read_csv(file, text, length, out, errors);
    if (good && out->count == 0) {
        errors_add(errors, (struct place){.file = file}, "there is no request in it");
        good = false;
    }
    if (!good)
        trace_rows_free(out);
    return good;
}
