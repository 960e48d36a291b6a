/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "tools/report/report.h"
#include "tools/report/table.h"
#include "tools/report/utf8.h"

#define LABEL_MOST 24  /* columns; longer labels wrap */
#define TEXT_WISHED 22 /* columns that words get before figures need more */
#define GAP 2
#define GAP_MARK 1 /* before the mark, which is of the figure */

/* Columns of one recorder: value, ratio and mark side by side, all of them together at least as
   wide as its words want to be. */
struct column {
    size_t value, beside, mark, total;
    size_t words; /* the longest of its texts, on one line */
};

struct layout {
    size_t label;
    struct column *columns;
};

/* Writes left to right; blanks are held back so that no line ends in them. */
struct pen {
    FILE *out;
    size_t pending;
    bool colour;
};

static void pen_write(struct pen *pen, const char *text, size_t length, enum tone tone)
{
    static const char *const codes[] = {
        [TONE_PLAIN] = "", [TONE_GOOD] = "\033[32m", [TONE_BAD] = "\033[31m"};
    if (length == 0)
        return;
    fprintf(pen->out, "%*s", (int)pen->pending, "");
    pen->pending = 0;
    bool paint = pen->colour && tone != TONE_PLAIN;
    fprintf(pen->out, "%s%.*s%s", paint ? codes[tone] : "", (int)length, text,
            paint ? "\033[0m" : "");
}

static void pen_line(struct pen *pen)
{
    fputc('\n', pen->out);
    pen->pending = 0;
}

static size_t width_of(const char *text, size_t length)
{
    char *copy = must_format("%.*s", (int)length, text);
    size_t width = utf8_width(copy);
    free(copy);
    return width;
}

/* A text of at most `width` columns, then blanks up to it. */
static void pen_padded(struct pen *pen, const char *text, size_t length, size_t width, bool right,
                       enum tone tone)
{
    size_t used = width_of(text, length);
    size_t blanks = used < width ? width - used : 0;
    if (right)
        pen->pending += blanks;
    if (length == 0)
        pen->pending += right ? 0 : blanks;
    else {
        pen_write(pen, text, length, tone);
        pen->pending += right ? 0 : blanks;
    }
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static struct layout layout_of(const struct table *t, size_t width)
{
    struct layout l = {0};
    l.columns = must_alloc(t->columns + 1, sizeof *l.columns);
    for (size_t c = 0; c < t->columns; c++)
        l.columns[c] = (struct column){.words = utf8_width(t->names[c])};
    for (size_t i = 0; i < t->row_count; i++) {
        const struct table_row *row = &t->rows[i];
        l.label = larger(l.label, smaller(utf8_width(row->label), LABEL_MOST));
        for (size_t c = 0; c < t->columns; c++) {
            struct column *column = &l.columns[c];
            if (row->kind == ROW_TEXT) {
                column->words = larger(column->words, utf8_width(row->cells[c].value));
                continue;
            }
            column->value = larger(column->value, utf8_width(row->cells[c].value));
            column->beside = larger(column->beside, utf8_width(row->cells[c].beside));
            column->mark = larger(column->mark, utf8_width(row->cells[c].mark));
        }
    }
    size_t most = width > l.label + GAP + 1 ? width - l.label - GAP : 1;
    for (size_t c = 0; c < t->columns; c++) {
        struct column *column = &l.columns[c];
        size_t figures = column->value + (column->beside ? GAP + column->beside : 0) +
                         (column->mark ? GAP_MARK + column->mark : 0);
        column->total = larger(figures, smaller(smaller(column->words, TEXT_WISHED), most));
    }
    return l;
}

/* How many recorders from `first` fit side by side; at least one.  What is left of the width goes
   to words that would wrap. */
static size_t fit(const struct table *t, struct layout *l, size_t first, size_t width)
{
    size_t used = l->label, count = 0;
    while (first + count < t->columns) {
        size_t next = GAP + l->columns[first + count].total;
        if (count > 0 && used + next > width)
            break;
        used += next;
        count++;
    }
    for (size_t c = first; c < first + count && used < width; c++) {
        struct column *column = &l->columns[c];
        size_t share = (width - used) / (first + count - c);
        size_t more = column->words > column->total ? column->words - column->total : 0;
        column->total += smaller(share, more);
        used += smaller(share, more);
    }
    return count;
}

/* One row whose label and words wrap, each inside its column. */
static void print_words(struct pen *pen, const struct layout *l, const char *label,
                        const char **cells, size_t first, size_t count)
{
    bool more = true;
    while (more) {
        const char *next;
        size_t length = utf8_wrap(label, l->label, &next);
        pen_padded(pen, label, length, l->label, false, TONE_PLAIN);
        label = next;
        more = *label != '\0';
        for (size_t c = 0; c < count; c++) {
            size_t width = l->columns[first + c].total;
            length = utf8_wrap(cells[c], width, &next);
            pen->pending += GAP;
            pen_padded(pen, cells[c], length, width, false, TONE_PLAIN);
            cells[c] = next;
            more = more || *next != '\0';
        }
        pen_line(pen);
    }
}

static void print_figures(struct pen *pen, const struct layout *l, const struct table_row *row,
                          size_t first, size_t count)
{
    const char *label = row->label, *next;
    size_t length = utf8_wrap(label, l->label, &next);
    while (*next) { /* the figures stand on the last line of a long label */
        pen_padded(pen, label, length, l->label, false, TONE_PLAIN);
        pen_line(pen);
        label = next;
        length = utf8_wrap(label, l->label, &next);
    }
    pen_padded(pen, label, length, l->label, false, TONE_PLAIN);
    for (size_t c = first; c < first + count; c++) {
        const struct table_cell *cell = &row->cells[c];
        const struct column *column = &l->columns[c];
        size_t used = column->value;
        pen->pending += GAP;
        pen_padded(pen, cell->value, strlen(cell->value), column->value, true, TONE_PLAIN);
        if (column->beside) {
            pen->pending += GAP;
            pen_padded(pen, cell->beside, strlen(cell->beside), column->beside, true, TONE_PLAIN);
            used += GAP + column->beside;
        }
        if (column->mark) {
            pen->pending += GAP_MARK;
            pen_padded(pen, cell->mark, strlen(cell->mark), column->mark, false, cell->tone);
            used += GAP_MARK + column->mark;
        }
        pen->pending += column->total - used;
    }
    pen_line(pen);
}

static void print_rule(struct pen *pen, const struct layout *l, size_t first, size_t count)
{
    size_t width = l->label;
    for (size_t c = first; c < first + count; c++)
        width += GAP + l->columns[c].total;
    for (size_t i = 0; i < width; i++)
        fputc('-', pen->out);
    pen_line(pen);
}

static void print_block(struct pen *pen, const struct table *t, const struct layout *l,
                        size_t first, size_t count)
{
    const char **cells = must_alloc(count + 1, sizeof *cells);
    for (size_t c = 0; c < count; c++)
        cells[c] = t->names[first + c];
    print_words(pen, l, "", cells, first, count);
    print_rule(pen, l, first, count);
    for (size_t i = 0; i < t->row_count; i++) {
        const struct table_row *row = &t->rows[i];
        if (row->kind != ROW_TEXT) {
            if (row->kind == ROW_HEAD)
                print_rule(pen, l, first, count);
            print_figures(pen, l, row, first, count);
            continue;
        }
        bool empty = true; /* of these recorders: others may have it */
        for (size_t c = 0; c < count; c++) {
            cells[c] = row->cells[first + c].value;
            empty = empty && cells[c][0] == '\0';
        }
        if (!empty)
            print_words(pen, l, row->label, cells, first, count);
    }
    print_rule(pen, l, first, count);
    free(cells);
}

/* A paragraph; its later lines stand two columns in. */
static void print_paragraph(struct pen *pen, const char *text, size_t width, enum tone tone)
{
    size_t indent = 0;
    while (*text) {
        const char *next;
        size_t length = utf8_wrap(text, width - indent, &next);
        pen->pending = indent;
        pen_write(pen, text, length, tone);
        pen_line(pen);
        text = next;
        indent = 2;
    }
}

static bool marked(const struct table *t, const char *sign)
{
    for (size_t i = 0; i < t->row_count; i++)
        for (size_t c = 0; c < t->columns; c++)
            if (strncmp(t->rows[i].cells[c].mark, sign, strlen(sign)) == 0)
                return true;
    return false;
}

static bool labelled(const struct table *t, const char *end)
{
    for (size_t i = 0; i < t->row_count; i++) {
        size_t length = strlen(t->rows[i].label), tail = strlen(end);
        if (length > tail && strcmp(t->rows[i].label + length - tail, end) == 0)
            return true;
    }
    return false;
}

static bool has_ratio(const struct table *t)
{
    for (size_t i = 0; i < t->row_count; i++)
        for (size_t c = 0; c < t->columns; c++)
            if (t->rows[i].kind == ROW_FIGURE && t->rows[i].cells[c].beside[0] != '\0')
                return true;
    return false;
}

static void print_legend(struct pen *pen, const struct table *t, bool law_only, size_t width)
{
    char *text = must_format(
        "%s%s%s%s%s%s", has_ratio(t) && !law_only ? "/truth: the ratio to the user's truth. " : "",
        marked(t, "= ") ? "=: checked exactly against the law. " : "",
        marked(t, "~ ") ? "~: checked statistically; detects: the smallest relative error of the "
                          "percentile that this run would have rejected with 99 % probability. "
                        : "",
        labelled(t, ", 95 %")
            ? "95 %: where the percentile of an endless run lies, with that confidence, by the "
              "spread between replications. "
            : "",
        labelled(t, " wanders") ? "wanders: the standard error, by the law, of the percentile that "
                                  "a run of this length reports. "
                                : "",
        marked(t, "average") ? "average: the mean of the groups' percentiles, which is no "
                               "percentile. "
                             : "");
    print_paragraph(pen, text, width, TONE_PLAIN);
    free(text);
}

/* As many columns beside one another as there is room for, then the next ones. */
static void print_blocks(struct pen *pen, const struct table *t, size_t width)
{
    struct layout l = layout_of(t, width);
    for (size_t first = 0, count; first < t->columns; first += count) {
        pen_line(pen);
        count = fit(t, &l, first, width);
        print_block(pen, t, &l, first, count);
    }
    free(l.columns);
}

static void print_groups(struct pen *pen, const struct result *result, size_t recorder,
                         size_t width)
{
    struct table t;
    table_build_groups(result, recorder, &t);
    pen_line(pen);
    print_paragraph(pen, t.title, width, TONE_PLAIN);
    print_blocks(pen, &t, width);
    for (size_t i = 0; i < t.note_count; i++)
        print_paragraph(pen, t.notes[i].text, width, TONE_PLAIN);
    table_free(&t);
}

void report_text(FILE *out, const struct result *result, const struct report_style *style)
{
    size_t width = larger(style->width, 40);
    struct table t;
    table_build(result, &t);
    struct pen pen = {.out = out, .colour = style->colour};
    if (!style->first)
        pen_line(&pen);
    print_paragraph(&pen, t.title, width, TONE_PLAIN);
    print_paragraph(&pen, t.under, width, TONE_PLAIN);
    print_blocks(&pen, &t, width);
    print_legend(&pen, &t, result->law_only, width);
    for (size_t r = 0; r < result->plan->recorder_count; r++)
        if (table_has_groups(result, r))
            print_groups(&pen, result, r, width);
    pen_line(&pen);
    for (size_t i = 0; i < t.note_count; i++)
        print_paragraph(&pen, t.notes[i].text, width, t.notes[i].tone);
    print_paragraph(&pen, t.verdict.text, width, t.verdict.tone);
    table_free(&t);
}
