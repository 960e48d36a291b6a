/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "tools/report/report.h"
#include "tools/report/table.h"

/* Names come from scenarios: none of their characters may end a cell or begin markup. */
static void write_escaped(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else if (strchr("|\\`*_[", *text))
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    }
}

/* "100.0 (0.0006662; = holds)". */
static void write_cell(FILE *out, const struct table_cell *cell)
{
    bool beside = cell->beside[0] != '\0', mark = cell->mark[0] != '\0';
    fputc(' ', out);
    write_escaped(out, cell->value);
    if (beside || mark) {
        fputs(cell->value[0] != '\0' ? " (" : "(", out);
        write_escaped(out, cell->beside);
        fputs(beside && mark ? "; " : "", out);
        write_escaped(out, cell->mark);
        fputc(')', out);
    }
    fputs(" |", out);
}

static void write_rows(FILE *out, const struct table *t)
{
    fputs("| |", out);
    for (size_t c = 0; c < t->columns; c++) {
        fputc(' ', out);
        write_escaped(out, t->names[c]);
        fputs(" |", out);
    }
    fputs("\n| :--- |", out);
    for (size_t c = 0; c < t->columns; c++)
        fputs(" ---: |", out);
    fputc('\n', out);
    for (size_t i = 0; i < t->row_count; i++) {
        fputs("| ", out);
        write_escaped(out, t->rows[i].label);
        fputs(" |", out);
        for (size_t c = 0; c < t->columns; c++)
            write_cell(out, &t->rows[i].cells[c]);
        fputc('\n', out);
    }
}

static void write_groups(FILE *out, const struct result *result, size_t recorder)
{
    struct table t;
    table_build_groups(result, recorder, &t);
    fputc('\n', out);
    write_escaped(out, t.title);
    fputs("\n\n", out);
    write_rows(out, &t);
    for (size_t i = 0; i < t.note_count; i++) {
        fputc('\n', out);
        write_escaped(out, t.notes[i].text);
        fputc('\n', out);
    }
    table_free(&t);
}

void report_markdown(FILE *out, const struct result *result, const struct report_style *style)
{
    struct table t;
    table_build(result, &t);
    if (!style->first)
        fputc('\n', out);
    fputs("## ", out);
    write_escaped(out, t.title[0] != '\0' ? t.title : t.under);
    fputs("\n\n", out);
    if (t.title[0] != '\0') {
        write_escaped(out, t.under);
        fputs("\n\n", out);
    }
    write_rows(out, &t);
    for (size_t r = 0; r < result->plan->recorder_count; r++)
        if (table_has_groups(result, r))
            write_groups(out, result, r);
    fputc('\n', out);
    for (size_t i = 0; i < t.note_count; i++) {
        fputs("- ", out);
        write_escaped(out, t.notes[i].text);
        fputc('\n', out);
    }
    fputs(t.note_count > 0 ? "\n**" : "**", out);
    write_escaped(out, t.verdict.text);
    fputs("**\n", out);
    table_free(&t);
}
