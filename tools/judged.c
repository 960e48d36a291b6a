/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/judged.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/registry.h"
#include "sim/start.h"
#include "tools/report/table.h"
#include "tools/report/utf8.h"
#include "tools/words.h"

#define COLUMNS 8
#define INDENT 2

/* One line of the table; all texts owned. */
struct line {
    char *cells[COLUMNS];
};

static const char *const heads[COLUMNS] = {
    "figure", "truth", "reported", "error", "error, %", "samples off", "", "right by rank rule",
};

bool judged_conforms(const struct heard *heard)
{
    return heard->hearing->problem == NULL && heard->verdict->conforms;
}

const char *judged_silence(const struct heard *heard)
{
    const struct conformance *v = heard->verdict;
    for (size_t i = 0; i < v->figure_count; i++)
        if (v->figures[i].judged == JUDGED_WRONG)
            return NULL;
    return v->conforms ? NULL : "it says none of the percentiles that were asked for";
}

char *judged_time(i128 milli, bool sign)
{
    char text[64];
    i128 size = milli < 0 ? -milli : milli;
    const char *before = milli < 0 ? "-" : sign && milli > 0 ? "+" : "";
    if (size % 1000 == 0 && size / 1000 < (i128)NS_LIMIT) {
        duration_format((ns_t)(size / 1000), text);
        return must_format("%s%s", before, text);
    }
    format_i128(size / 1000, text);
    if (size % 1000 == 0)
        return must_format("%s%sns", before, text);
    unsigned thousandths = (unsigned)(size % 1000);
    int decimals = thousandths % 100 == 0 ? 1 : thousandths % 10 == 0 ? 2 : 3;
    unsigned shown = decimals == 1   ? thousandths / 100
                     : decimals == 2 ? thousandths / 10
                                     : thousandths;
    return must_format("%s%s.%0*uns", before, text, decimals, shown);
}

char *judged_declared(const struct declared *declared)
{
    char *precision = NULL;
    switch (declared->precision) {
    case PRECISION_EXACT: precision = must_copy("exact values"); break;
    case PRECISION_RELATIVE:
        precision = must_format("values within %.6g %%", 100 * ratio_double(declared->relative));
        break;
    case PRECISION_DIGITS:
        precision =
            must_format("values to %u digits, in the cells of an HdrHistogram", declared->digits);
        break;
    case PRECISION_BOUNDS:
        precision = must_format("values in %zu buckets with given bounds", declared->bounds.count);
        break;
    }
    char *words = must_format("%s%s%s%s", precision, declared->interpolates ? ", interpolated" : "",
                              declared->rank != NULL ? ", rank rule " : "",
                              declared->rank != NULL ? declared->rank->name : "");
    free(precision);
    return words;
}

static const char *judged_word(enum judged judged)
{
    switch (judged) {
    case JUDGED_RIGHT: return "right";
    case JUDGED_WRONG: return "WRONG";
    case JUDGED_SILENT: return "not said";
    }
    BUG("a judgement outside its enum");
}

/* The count is no time. */
static char *amount(const struct figure_verdict *figure, struct said said, bool sign)
{
    char number[48];
    if (!said.known)
        return must_copy("");
    if (strcmp(figure->name, "count") != 0)
        return judged_time(said.milli, sign);
    format_i128(said.milli / 1000, number);
    return must_format("%s%s", sign && said.milli > 0 ? "+" : "", number);
}

/* Where every rule gives it, their names say nothing. */
static char *rank_words(const char *ranks)
{
    size_t count = ranks[0] != '\0';
    for (const char *at = ranks; *at != '\0'; at++)
        count += *at == ' ';
    return must_copy(count == set_ranks.count ? "all" : ranks);
}

static struct line line_of(const struct figure_verdict *figure)
{
    struct line line = {{0}};
    bool both = figure->said.known && figure->truth.known;
    bool is_percentile = figure->name[0] == 'p';
    struct said error = {both, figure->said.milli - figure->truth.milli};
    line.cells[0] = must_copy(figure->name);
    line.cells[1] = amount(figure, figure->truth, false);
    line.cells[2] = amount(figure, figure->said, false);
    line.cells[3] = both && error.milli == 0 ? must_copy("0") : amount(figure, error, true);
    line.cells[4] = both && !isnan(figure->error_percent)
                        ? must_format("%.3g", figure->error_percent)
                        : must_copy("");
    line.cells[5] =
        both && is_percentile ? must_format("%" PRId64, figure->rank_error) : must_copy("");
    line.cells[6] = must_copy(judged_word(figure->judged));
    line.cells[7] =
        both && is_percentile && figure->ranks ? rank_words(figure->ranks) : must_copy("");
    return line;
}

static bool is_left(size_t column)
{
    return column == 0 || column >= COLUMNS - 2;
}

/* No blanks at the end of a line of text. */
static size_t columns_shown(const char *const cells[COLUMNS], bool markdown)
{
    size_t columns = COLUMNS;
    while (!markdown && columns > 0 && cells[columns - 1][0] == '\0')
        columns--;
    return columns;
}

static void write_row(FILE *out, const char *const cells[COLUMNS], const size_t *widths,
                      bool markdown)
{
    size_t columns = columns_shown(cells, markdown);
    for (size_t c = 0; c < columns; c++) {
        size_t pad = widths[c] - utf8_width(cells[c]);
        bool last = c + 1 == columns && !markdown;
        fprintf(out, "%s%*s%s%*s", markdown ? "| " : "  ", is_left(c) ? 0 : (int)pad, "", cells[c],
                is_left(c) && !last ? (int)pad : 0, "");
        fputs(markdown ? " " : "", out);
    }
    fputs(markdown ? "|\n" : "\n", out);
}

static void write_rule(FILE *out)
{
    for (size_t c = 0; c < COLUMNS; c++)
        fputs(is_left(c) ? "| :--- " : "| ---: ", out);
    fputs("|\n", out);
}

static void write_table(FILE *out, const struct conformance *verdict, bool markdown)
{
    size_t widths[COLUMNS];
    struct line *lines = must_alloc(verdict->figure_count, sizeof *lines);
    for (size_t c = 0; c < COLUMNS; c++)
        widths[c] = strlen(heads[c]);
    for (size_t i = 0; i < verdict->figure_count; i++) {
        lines[i] = line_of(&verdict->figures[i]);
        for (size_t c = 0; c < COLUMNS; c++) {
            size_t width = utf8_width(lines[i].cells[c]);
            widths[c] = width > widths[c] ? width : widths[c];
        }
    }
    write_row(out, heads, widths, markdown);
    if (markdown)
        write_rule(out);
    for (size_t i = 0; i < verdict->figure_count; i++) {
        const char *cells[COLUMNS];
        for (size_t c = 0; c < COLUMNS; c++)
            cells[c] = lines[i].cells[c];
        write_row(out, cells, widths, markdown);
        for (size_t c = 0; c < COLUMNS; c++)
            free(lines[i].cells[c]);
    }
    fputc('\n', out);
    free(lines);
}

static void say(FILE *out, const struct report_style *style, const char *text)
{
    paragraph_write(out, text, style->format == FORMAT_MARKDOWN ? 0 : INDENT, style->width);
}

static void write_suspects(FILE *out, const struct suspect *suspects, size_t count,
                           const struct report_style *style)
{
    bool markdown = style->format == FORMAT_MARKDOWN;
    for (size_t i = 0; i < count; i++) {
        char *text = must_format("%s%s", suspects[i].text,
                                 suspects[i].whole ? "" : " - of the percentiles at least");
        if (markdown) {
            char *clean = utf8_clean(text);
            fprintf(out, "- %s\n", clean);
            free(clean);
        } else {
            paragraph_write(out, text, 2 * INDENT, style->width);
        }
        free(text);
    }
}

static const char *power_words(int power)
{
    static const char *const words[] = {"1", "1000", "1000000", "1000000000"};
    int size = power < 0 ? -power : power;
    return size < 4 ? words[size] : "a power of 1000";
}

static void write_diagnosis(FILE *out, const struct heard *heard, const struct report_style *style)
{
    const struct conformance *v = heard->verdict;
    if (judged_silence(heard) != NULL) {
        char *text = must_format("Nothing it says is wrong, but %s.", judged_silence(heard));
        say(out, style, text);
        free(text);
        return;
    }
    if (v->unit_power != 0) {
        char *text =
            must_format("Every time is the truth %s by %s: the answer is in another unit "
                        "than its \"unit\" says, which is ns where it is left out.",
                        v->unit_power < 0 ? "divided" : "multiplied", power_words(v->unit_power));
        say(out, style, text);
        free(text);
    }
    if (v->suspect_count == 0) {
        if (v->unit_power == 0)
            say(out, style, "No fault of the catalogue reports these figures.");
        return;
    }
    say(out, style,
        v->suspect_count == 1 ? "One fault of the catalogue reports just this:"
                              : "Faults of the catalogue that report just this, the most likely "
                                "first:");
    write_suspects(out, v->suspects, v->suspect_count, style);
}

/* The trial is one replication; said where a run of the scenario pools several.  Owned by the
   caller. */
static char *replication_text(const struct plan *plan, size_t load)
{
    uint64_t replications = load_replications(plan, load);
    return replications > 1 ? must_format(" in the first of %" PRIu64 " replications", replications)
                            : must_copy("");
}

static void write_head(FILE *out, const struct heard *j, const struct report_style *style)
{
    const struct plan *plan = j->trial->plan;
    const struct recorder_plan *r = &plan->recorders[j->trial->recorder];
    const struct asked *asked = &j->trial->asked;
    char *head = must_format("%s%s: %s", style->format == FORMAT_MARKDOWN ? "### " : "", plan->file,
                             judged_conforms(j) ? "conforms" : "DOES NOT CONFORM");
    char interval[32];
    duration_format(asked->interval_ns, interval);
    char *correction =
        asked->correction.type != NULL
            ? must_format("correction %s every %s", asked->correction.type->name, interval)
            : must_copy("no correction");
    char *replication = replication_text(plan, r->load);
    char *about =
        must_format("\"%s\": %zu requests of the load \"%s\"%s, from %s, %s, rank rule %s", r->name,
                    j->trial->requests.count, plan->loads[r->load].name, replication,
                    instant_name(asked->from), correction, asked->rank.type->name);
    free(replication);
    paragraph_write(out, head, 0, style->width);
    say(out, style, about);
    free(about);
    free(correction);
    free(head);
}

static void write_brief(FILE *out, const struct heard *j)
{
    size_t right = 0;
    for (size_t i = 0; i < j->verdict->figure_count; i++)
        right += j->verdict->figures[i].judged == JUDGED_RIGHT;
    char *file = utf8_clean(j->trial->plan->file);
    fprintf(out, "%s: conforms, %zu of %zu figures right%s\n", file, right,
            j->verdict->figure_count,
            right < j->verdict->figure_count ? ", the others not said" : "");
    free(file);
}

void judged_write(FILE *out, const struct heard *j, const struct report_style *style, bool brief)
{
    bool markdown = style->format == FORMAT_MARKDOWN;
    if (brief && !markdown && judged_conforms(j)) {
        write_brief(out, j);
        return;
    }
    write_head(out, j, style);
    if (j->hearing->problem != NULL) {
        char *text = must_format("There is no answer to judge: %s", j->hearing->problem);
        say(out, style, text);
        free(text);
        fputc('\n', out);
        return;
    }
    char *declared = judged_declared(&j->hearing->declared);
    char *text = must_format("it declares %s", declared);
    say(out, style, text);
    fputc('\n', out);
    write_table(out, j->verdict, markdown);
    if (!j->verdict->conforms)
        write_diagnosis(out, j, style);
    if (j->hearing->beside != NULL) {
        free(text);
        text = must_format("Beside that %s.", j->hearing->beside);
        say(out, style, text);
    }
    free(text);
    free(declared);
    if (!j->verdict->conforms || markdown)
        fputc('\n', out);
}

void judged_write_together(FILE *out, const struct judged_together *all,
                           const struct report_style *style)
{
    if (all->only_separation) {
        if (all->separation != NULL)
            say(out, style, all->separation);
        return;
    }
    char *text =
        must_format("%s%zu of %zu scenarios: the recorder %s",
                    style->format == FORMAT_MARKDOWN ? "### " : "", all->conforming, all->count,
                    all->conforming == all->count ? "conforms" : "DOES NOT CONFORM");
    paragraph_write(out, text, 0, style->width);
    free(text);
    if (all->conforming == all->count)
        return;
    if (all->beyond != NULL)
        say(out, style, all->beyond);
    else
        say(out, style,
            all->suspects->count == 1 ? "All of it together is this fault:"
                                      : "All of it together is one of these faults, the most "
                                        "likely first:");
    write_suspects(out, all->suspects->items, all->suspects->count, style);
    if (all->separation != NULL)
        say(out, style, all->separation);
}
