/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/experiments/decimal.h"
#include "tools/report/utf8.h"
#include "tools/words.h"

#define NUMBER_WIDTH 10
#define VALUE_BYTES_MOST 40 /* of a setting, in a table for readers */
#define GAP 2               /* between the columns of text */
#define FURTHER 4           /* before the further lines of a row */
#define CUT "..."

static void put(struct sheet *sheet, char *text)
{
    output_write(sheet->output, text, strlen(text), sheet->errors);
    sheet->written = true;
    free(text);
}

static bool is_data(const struct sheet *sheet)
{
    return sheet->format == FORMAT_CSV || sheet->format == FORMAT_JSON;
}

/* The name of a column: for programs without blanks and with the unit of ns, for readers with the
   unit of the table.  Owned by the caller. */
static char *column_name(const struct sheet *sheet, const struct column *column)
{
    bool time = column->kind == COLUMN_TIME;
    if (!is_data(sheet))
        return must_format("%s%s%s", column->name, time ? ", " : "", time ? sheet->scale.name : "");
    char *name = must_format("%s%s", column->name, time ? "_ns" : "");
    for (char *c = name; *c != '\0'; c++)
        if (*c == ' ')
            *c = '_';
    return name;
}

/* A setting as it is read: without the quotes that JSON wants. */
static char *unquoted(const char *json)
{
    size_t length = strlen(json);
    return length >= 2 && json[0] == '"' ? must_format("%.*s", (int)length - 2, json + 1)
                                         : must_copy(json);
}

static char *time_cell(const struct sheet *sheet, double ns)
{
    char text[FIGURE_TEXT];
    if (isnan(ns))
        return must_copy("");
    if (is_data(sheet))
        return fabs(ns) < 0x1p53 && floor(ns) == ns ? must_format("%.0f", ns)
                                                    : must_format("%.12g", ns);
    if (ns < 0.0) /* a difference */
        return must_format("%.*f", (int)sheet->scale.decimals, ns / (double)sheet->scale.unit_ns);
    scale_write(sheet->scale, (struct figure){.kind = FIGURE_REAL, .real = ns}, text);
    return must_copy(text);
}

/* Clean text, empty where nothing is known.  Owned by the caller. */
static char *cell_text(const struct sheet *sheet, enum column_kind kind,
                       const struct cell_value *cell)
{
    switch (kind) {
    case COLUMN_TEXT: return cell->text ? utf8_clean(cell->text) : must_copy("");
    case COLUMN_VALUE: {
        char *bare = cell->text ? unquoted(cell->text) : must_copy("");
        bool cut = !is_data(sheet) && strlen(bare) > VALUE_BYTES_MOST;
        if (cut)
            memcpy(bare + VALUE_BYTES_MOST - 3, "...", 4);
        char *clean = utf8_clean(bare);
        free(bare);
        return clean;
    }
    case COLUMN_NUMBER:
        if (isnan(cell->number) || isinf(cell->number))
            return must_copy("");
        if (is_data(sheet) && fabs(cell->number) < 0x1p53 && floor(cell->number) == cell->number)
            return must_format("%.0f", cell->number);
        return must_format(sheet->format == FORMAT_JSON  ? "%.12g" /* as in JSON of a run */
                           : sheet->format == FORMAT_CSV ? "%.9g"
                                                         : "%.7g",
                           cell->number);
    case COLUMN_TIME: return time_cell(sheet, cell->number);
    }
    BUG("kind of column outside its enum");
}

static bool is_words(const struct column *column)
{
    return column->kind == COLUMN_TEXT || column->kind == COLUMN_VALUE;
}

static size_t wanted_width(const struct sheet *sheet, size_t i)
{
    const struct column *column = &sheet->columns[i];
    char *name = column_name(sheet, column);
    size_t wanted = utf8_width(name), least = column->width > 0 ? (size_t)column->width : 0;
    least = is_words(column) || least > 0 ? least : NUMBER_WIDTH;
    free(name);
    wanted = wanted > least ? wanted : least;
    size_t most = sheet->width > FURTHER ? sheet->width - FURTHER : 1;
    return is_words(column) && wanted > most ? most : wanted;
}

/* A row whose next column is wider than its place goes on in a further line. */
static void place_columns(struct sheet *sheet)
{
    sheet->places = must_alloc(sheet->column_count, sizeof *sheet->places);
    for (size_t i = 0, used = 0; i < sheet->column_count; i++) {
        size_t wanted = wanted_width(sheet, i);
        bool breaks = i > 0 && used + GAP + wanted > sheet->width;
        size_t at = i == 0 ? 0 : breaks ? FURTHER : used + GAP;
        sheet->places[i] = (struct column_place){wanted, at, breaks};
        used = at + wanted;
    }
}

/* What words may take in their line: all that the columns behind them there leave. */
static size_t place_of(const struct sheet *sheet, size_t i)
{
    const struct column_place *places = sheet->places;
    size_t used = places[i].at + sheet->pushed;
    for (size_t k = i + 1; k < sheet->column_count && !places[k].breaks; k++)
        used += GAP + places[k].wanted;
    return sheet->width > used ? sheet->width - used : 0;
}

/* Words that are too long, with a mark where they end, owned by the caller; NULL: they are not. */
static char *cut_words(const char *text, size_t place)
{
    if (utf8_width(text) <= place || place < sizeof CUT)
        return NULL;
    const char *rest;
    size_t bytes = utf8_wrap(text, place - strlen(CUT), &rest);
    return must_format("%.*s" CUT, (int)bytes, text);
}

/* In text: behind the one before, or in a further line. */
static void write_text_field(struct sheet *sheet, FILE *out, size_t i, const char *text)
{
    size_t wanted = sheet->places[i].wanted;
    bool breaks = sheet->places[i].breaks, words = is_words(&sheet->columns[i]);
    bool last = i + 1 == sheet->column_count || sheet->places[i + 1].breaks;
    if (i == 0 || breaks)
        sheet->pushed = 0;
    char *cut = words ? cut_words(text, place_of(sheet, i)) : NULL;
    const char *shown = cut != NULL ? cut : text;
    size_t width = utf8_width(shown);
    int pad = width < wanted ? (int)(wanted - width) : 0;
    int before = i == 0 ? 0 : breaks ? FURTHER : GAP;
    fprintf(out, "%s%*s%s%*s", breaks ? "\n" : "", before + (words ? 0 : pad), "", shown,
            words && !last ? pad : 0, "");
    sheet->pushed += width > wanted ? width - wanted : 0;
    free(cut);
}

/* One field as its format wants it: padded, with escapes, or in quotes. */
static void write_field(struct sheet *sheet, FILE *out, size_t i, const char *text)
{
    switch (sheet->format) {
    case FORMAT_TEXT: write_text_field(sheet, out, i, text); return;
    case FORMAT_MARKDOWN:
        fputs("| ", out);
        for (const char *c = text; *c != '\0'; c++)
            if (*c == '<' || *c == '&')
                fputs(*c == '<' ? "&lt;" : "&amp;", out);
            else
                fprintf(out, strchr("|\\`*_[", *c) ? "\\%c" : "%c", *c);
        fputc(' ', out);
        return;
    case FORMAT_CSV:
        fputs(i > 0 ? "," : "", out);
        if (strpbrk(text, ",\"\n") == NULL) {
            fputs(text, out);
            return;
        }
        fputc('"', out);
        for (const char *c = text; *c != '\0'; c++)
            fputs(*c == '"' ? "\"\"" : (char[]){*c, '\0'}, out);
        fputc('"', out);
        return;
    case FORMAT_JSON:
    case FORMAT_HGRM:
    case FORMAT_HLOG: return;
    }
}

static void end_line(const struct sheet *sheet, FILE *out)
{
    fputs(sheet->format == FORMAT_MARKDOWN ? "|\n" : "\n", out);
}

static char *without_end_blanks(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        if (*from == '\n')
            while (to > text && to[-1] == ' ')
                to--;
        *to++ = *from;
    }
    *to = '\0';
    return text;
}

/* A line of a row in which nothing is known is left out. */
static char *without_blank_lines(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++)
        if (*from != '\n' || (to > text && to[-1] != '\n'))
            *to++ = *from;
    *to = '\0';
    return text;
}

static FILE *open_text(char **text)
{
    size_t length;
    *text = NULL;
    FILE *out = open_memstream(text, &length);
    BUG_IF(out == NULL);
    return out;
}

static void write_head(struct sheet *sheet)
{
    char *text;
    FILE *out = open_text(&text);
    if (sheet->written)
        fputc('\n', out);
    if (sheet->format == FORMAT_TEXT)
        fprintf(out, "%s\n", sheet->table);
    if (sheet->format == FORMAT_MARKDOWN)
        fprintf(out, "**%s**\n\n", sheet->table);
    for (size_t i = 0; i < sheet->column_count; i++) {
        char *name = column_name(sheet, &sheet->columns[i]), *clean = utf8_clean(name);
        write_field(sheet, out, i, clean);
        free(name);
        free(clean);
    }
    end_line(sheet, out);
    for (size_t i = 0; i < sheet->column_count && sheet->format == FORMAT_MARKDOWN; i++)
        fputs(is_words(&sheet->columns[i]) ? "| :--- " : "| ---: ", out);
    if (sheet->format == FORMAT_MARKDOWN)
        end_line(sheet, out);
    fclose(out);
    put(sheet, without_end_blanks(text));
}

static void forget_table(struct sheet *sheet)
{
    for (size_t i = 0; i < sheet->column_count; i++)
        free((char *)(uintptr_t)sheet->columns[i].name);
    free(sheet->columns);
    free(sheet->places);
    free(sheet->table);
    sheet->columns = NULL;
    sheet->places = NULL;
    sheet->table = NULL;
    sheet->column_count = 0;
}

void sheet_table(struct sheet *sheet, const char *name, const struct column *columns, size_t count)
{
    forget_table(sheet);
    sheet->table = must_copy(name);
    sheet->columns = must_alloc(count, sizeof *columns);
    sheet->column_count = count;
    for (size_t i = 0; i < count; i++) {
        sheet->columns[i] = columns[i];
        sheet->columns[i].name = must_copy(columns[i].name);
    }
    place_columns(sheet);
    if (sheet->format != FORMAT_JSON)
        write_head(sheet);
}

/* JSON: numbers bare, unknown null, and a setting as the JSON text it is. */
static void write_json(const struct sheet *sheet, FILE *out, const struct cell_value *cells)
{
    fputs("{\"table\": ", out);
    json_write_string(out, sheet->table);
    for (size_t i = 0; i < sheet->column_count; i++) {
        const struct column *column = &sheet->columns[i];
        char *name = column_name(sheet, column), *text = cell_text(sheet, column->kind, &cells[i]);
        fputs(", ", out);
        json_write_string(out, name);
        fputs(": ", out);
        if (column->kind == COLUMN_VALUE)
            fputs(cells[i].text ? cells[i].text : "null", out);
        else if (column->kind == COLUMN_TEXT && cells[i].text)
            json_write_string(out, cells[i].text);
        else
            fputs(text[0] != '\0' ? text : "null", out);
        free(name);
        free(text);
    }
    fputs("}\n", out);
}

void sheet_row(struct sheet *sheet, const struct cell_value *cells)
{
    char *text;
    FILE *out = open_text(&text);
    if (sheet->format == FORMAT_JSON) {
        write_json(sheet, out, cells);
    } else {
        for (size_t i = 0; i < sheet->column_count; i++) {
            char *cell = cell_text(sheet, sheet->columns[i].kind, &cells[i]);
            write_field(sheet, out, i, cell);
            free(cell);
        }
        end_line(sheet, out);
    }
    fclose(out);
    put(sheet, sheet->format == FORMAT_TEXT ? without_blank_lines(without_end_blanks(text)) : text);
}

void sheet_find(struct sheet *sheet, const char *name, const char *value, const char *says)
{
    static const struct column columns[] = {
        {"finding", COLUMN_TEXT, 0}, {"value", COLUMN_VALUE, 0}, {"says", COLUMN_TEXT, 0}};
    bool open = sheet->table && strcmp(sheet->table, "findings") == 0;
    if (sheet->format == FORMAT_TEXT) {
        char *text, *bare = unquoted(value);
        FILE *out = open_text(&text);
        char *line = must_format("%s: %s%s%s", name, bare, bare[0] != '\0' ? "; " : "", says);
        if (!open && sheet->written)
            fputc('\n', out);
        paragraph_write(out, line, 0, sheet->width);
        fclose(out);
        put(sheet, text);
        free(bare);
        free(line);
        if (!open) {
            forget_table(sheet);
            sheet->table = must_copy("findings");
        }
        return;
    }
    if (!open)
        sheet_table(sheet, "findings", columns, FIELD_COUNT_OF(columns));
    struct decimal number;
    bool bare = decimal_parse(value, &number) && value[0] != '"';
    char *text = NULL;
    FILE *out = open_text(&text);
    json_write_string(out, value);
    fclose(out);
    sheet_row(sheet, (struct cell_value[]){{.text = name},
                                           {.text = value[0] == '\0'               ? NULL
                                                    : sheet->format != FORMAT_JSON ? value
                                                    : bare && !number.unit[0]      ? value
                                                                                   : text},
                                           {.text = says}});
    free(text);
}

void sheet_close(struct sheet *sheet)
{
    forget_table(sheet);
}
