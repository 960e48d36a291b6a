/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/figures.h"
#include "tools/report/findings.h"
#include "tools/report/report.h"
#include "tools/report/table.h"
#include "tools/report/utf8.h"

/* Long format: one row a figure, so that no column depends on what a scenario names.  Quoting as
   RFC 4180; lines end in LF, which every reader of it takes. */

struct csv_row {
    const char *recorder, *load, *figure, *unit;
    const char *value, *law, *check, *holds, *detectable, *truth, *ratio;
};

void csv_write_field(FILE *out, const char *text)
{
    if (!text)
        return;
    bool quoted = strpbrk(text, ",\"\r\n") || text[0] == ' ';
    fputs(quoted ? "\"" : "", out);
    while (*text) {
        uint32_t point;
        size_t length = utf8_next(text, &point);
        if (point == '"')
            fputc('"', out);
        bool line_end = point == '\n' || point == '\r'; /* inside quotes it is data */
        if (utf8_is_hidden(point) && !line_end)
            fprintf(out, "\\u%04x", (unsigned)point);
        else
            fwrite(text, 1, length, out);
        text += length;
    }
    fputs(quoted ? "\"" : "", out);
}

static bool is_filled(const char *text)
{
    return text && text[0] != '\0';
}

/* Laws alone have no counts and no values: a row of nothing else is no row.  A check says even of a
   percentile without a law that there is none. */
static bool says_nothing(const struct result *r, const struct csv_row *row)
{
    return r->law_only && !is_filled(row->value) && !is_filled(row->law) &&
           !is_filled(row->truth) && !is_filled(row->check);
}

static void write_row(FILE *out, const struct result *r, const struct csv_row *row)
{
    if (says_nothing(r, row))
        return;
    const char *fields[] = {r->plan->file, row->recorder,   row->load,  row->figure,
                            row->unit,     row->value,      row->law,   row->check,
                            row->holds,    row->detectable, row->truth, row->ratio};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (i > 0)
            fputc(',', out);
        csv_write_field(out, fields[i]);
    }
    fputc('\n', out);
}

static const char *holds_text(enum verdict holds)
{
    switch (holds) {
    case VERDICT_UNKNOWN: return "";
    case VERDICT_HOLDS: return "true";
    case VERDICT_FAILS: return "false";
    }
    BUG("verdict outside its enum");
}

static void write_count(FILE *out, const struct result *r, struct csv_row row, uint64_t count)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)count);
    row.value = r->law_only ? "" : text;
    write_row(out, r, &row);
}

static void write_real(FILE *out, const struct result *r, struct csv_row row, double value)
{
    char text[FIGURE_TEXT];
    real_write(value, 12, text);
    row.value = r->law_only ? "" : text;
    write_row(out, r, &row);
}

/* What a load cost beside its answers, where there is something to tell. */
static void write_efforts(FILE *out, const struct result *r, struct csv_row row, size_t index)
{
    const struct load_result *l = &r->loads[index];
    if (load_tells_copies(r, index)) {
        row.unit = "copies";
        row.figure = "withheld";
        write_count(out, r, row, l->withheld);
        row.figure = "cancelled";
        write_count(out, r, row, l->cancelled);
        row.figure = "wasted";
        write_count(out, r, row, l->wasted);
        row.figure = "copies a request";
        row.unit = "ratio";
        write_real(out, r, row, l->amplification);
        row.figure = "goodput";
        row.unit = "per s";
        write_real(out, r, row, l->goodput_per_s);
        row.figure = "answered per second of answering";
        write_real(out, r, row, l->answered_per_s);
    }
    row.unit = "periods";
    row.figure = "throttled";
    if (l->periods > 0)
        write_count(out, r, row, l->throttled);
    row.figure = "quota periods";
    if (l->periods > 0)
        write_count(out, r, row, l->periods);
    row.unit = "share";
    for (size_t s = 0; s < STAGE_COUNT; s++) {
        char *name = must_format("%s busy", stage_name((enum stage)s));
        row.figure = name;
        if (load_tells_stage(r, index, (enum stage)s))
            write_real(out, r, row, l->utilisation[s]);
        free(name);
    }
}

static void write_load(FILE *out, const struct result *r, size_t index)
{
    const struct load_result *l = &r->loads[index];
    const struct {
        const char *figure;
        uint64_t count;
    } counts[] = {
        {"sent", l->sent},
        {"attempts", l->attempts},
        {"answered", l->answered},
        {"timed out", l->timed_out},
        {"refused", l->refused},
        {"dropped", l->dropped},
        {"in flight at end", l->in_flight_at_end},
        {"stalls", l->stalls},
        {"in flight max", l->in_flight_max},
    };
    struct csv_row row = {.load = r->plan->loads[index].name, .unit = "per s"};
    row.figure = "offered";
    write_real(out, r, row, l->offered_per_s);
    row.figure = "achieved";
    write_real(out, r, row, l->achieved_per_s);
    row.unit = "requests";
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        row.figure = counts[i].figure;
        if (strcmp(row.figure, "stalls") == 0)
            row.unit = "stalls";
        else
            row.unit = "requests";
        write_count(out, r, row, counts[i].count);
    }
    write_efforts(out, r, row, index);
    row.unit = "requests";
    row.figure = "in flight mean";
    write_real(out, r, row, l->in_flight_mean);
    char last[32] = "";
    if (l->has_answer)
        snprintf(last, sizeof last, "%llu", (unsigned long long)l->last_answer_ns);
    row.figure = "last answer";
    row.unit = "ns";
    row.value = last;
    write_row(out, r, &row);
}

/* What belongs to a percentile and is no figure of its column, where it is known: "p99 low". */
static void write_beside(FILE *out, const struct result *r, struct csv_row row, size_t index,
                         const char *what, struct figure figure)
{
    char name[FIGURE_TEXT], value[FIGURE_TEXT];
    if (figure.kind == FIGURE_UNKNOWN)
        return;
    snprintf(name, sizeof name, "p%.80s %s", r->plan->report.percentiles[index].text, what);
    figure_write_ns(figure, 12, value);
    row.figure = name;
    row.value = value;
    write_row(out, r, &row);
}

static void write_percentile(FILE *out, const struct result *r, struct csv_row row, size_t recorder,
                             size_t index)
{
    const struct cell *cell = &r->recorders[recorder].cells[index];
    char figure[FIGURE_TEXT], value[FIGURE_TEXT], law[FIGURE_TEXT], truth[FIGURE_TEXT],
        ratio[FIGURE_TEXT], detectable[FIGURE_TEXT];
    bool average = r->plan->recorders[recorder].merge == MERGE_AVERAGE;
    snprintf(figure, sizeof figure, "%sp%.70s", average ? "average of " : "",
             r->plan->report.percentiles[index].text);
    figure_write_ns(cell->value, 12, value);
    figure_write_ns(cell->law, 9, law);
    figure_write_ns(cell->truth, 9, truth);
    real_write(cell->ratio, 9, ratio);
    real_write(cell->detectable, 3, detectable);
    row.figure = figure;
    row.unit = "ns";
    row.value = cell->infinite ? "inf" : value;
    row.law = law;
    row.check = check_name(cell->check);
    row.holds = holds_text(cell->holds);
    row.detectable = detectable;
    row.truth = truth;
    row.ratio = ratio;
    write_row(out, r, &row);
    struct csv_row more = {.recorder = row.recorder, .load = row.load, .unit = "ns"};
    write_beside(out, r, more, index, "at least", cell->at_least);
    write_beside(out, r, more, index, "low", cell->low);
    write_beside(out, r, more, index, "high", cell->high);
    if (isnan(cell->wander))
        return;
    more.unit = "share";
    write_beside(out, r, more, index, "wanders",
                 (struct figure){.kind = FIGURE_REAL, .real = cell->wander});
}

static void write_tally(FILE *out, const struct result *r, struct csv_row row, const char *name,
                        struct figure found, struct figure wanted)
{
    char value[FIGURE_TEXT], law[FIGURE_TEXT];
    figure_write_ns(found, 12, value);
    figure_write_ns(wanted, 9, law);
    row.figure = name;
    row.unit = "ns";
    row.value = value;
    row.law = law;
    write_row(out, r, &row);
}

static void write_counted(FILE *out, const struct result *r, struct csv_row row, const char *name,
                          uint64_t found, struct figure wanted)
{
    char law[FIGURE_TEXT];
    figure_write_ns(wanted, 9, law);
    row.figure = name;
    row.unit = "samples";
    row.law = law;
    write_count(out, r, row, found);
}

/* Figures of the whole recorder, which share one check. */
static void write_tallies(FILE *out, const struct result *r, struct csv_row row,
                          const struct recorder_result *rec)
{
    if (!r->law_only) {
        row.check = check_name(rec->tally_check);
        row.holds = holds_text(rec->tally_holds);
    }
    write_counted(out, r, row, "count", rec->count, rec->law_count);
    write_counted(out, r, row, "added", rec->added, rec->law_added);
    bool below = rec->from_below > 0;
    write_tally(out, r, row, rec->min_from_below ? "min at least" : "min", rec->min, rec->law_min);
    write_tally(out, r, row, below ? "max at least" : "max", rec->max, rec->law_max);
    write_tally(out, r, row, below ? "mean at least" : "mean", rec->mean, rec->law_mean);
    char sum[48] = "", law[48] = "";
    if (rec->sum.known)
        format_i128((i128)rec->sum.ns, sum);
    if (rec->law_sum.known)
        format_i128((i128)rec->law_sum.ns, law);
    row.figure = below ? "sum at least" : "sum";
    row.unit = "ns";
    row.value = sum;
    row.law = law;
    write_row(out, r, &row);
}

static void write_above(FILE *out, const struct result *r, struct csv_row row, size_t recorder,
                        size_t index)
{
    const struct above_result *above = &r->recorders[recorder].above[index];
    char *figure = must_format("above %s", r->plan->report.above[index].text);
    char law[FIGURE_TEXT];
    figure_write_ns(above->law_count, 9, law);
    row.figure = figure;
    row.law = law;
    bool exact = above->law_count.kind == FIGURE_EXACT;
    row.check = exact ? "exact" : r->law_only ? NULL : "none";
    row.holds = holds_text(above->holds);
    row.unit = "samples";
    write_count(out, r, row, above->count);
    const struct figure *all = &r->recorders[recorder].law_count;
    law[0] = '\0';
    if (exact && all->kind == FIGURE_EXACT && all->exact.ns > 0)
        real_write((double)above->law_count.exact.ns / (double)all->exact.ns, 9, law);
    row.unit = "share";
    write_real(out, r, row, above->share);
    free(figure);
}

/* The groups by themselves: "p99, 1s to 2s" beside the whole's p99. */
static void write_group(FILE *out, const struct result *r, struct csv_row row,
                        const struct group_result *group)
{
    char *name = must_format("count, %s", group->label);
    row.figure = name;
    row.unit = "samples";
    write_count(out, r, row, group->count);
    free(name);
    row.unit = "ns";
    for (size_t i = 0; i < r->plan->report.percentile_count; i++) {
        const struct group_cell *cell = &group->cells[i];
        bool known = cell->infinite || cell->value.kind != FIGURE_UNKNOWN;
        char value[FIGURE_TEXT];
        figure_write_ns(known ? cell->value : cell->at_least, 12, value);
        name = must_format("p%s%s, %s", r->plan->report.percentiles[i].text,
                           known ? "" : " at least", group->label);
        row.figure = name;
        row.value = cell->infinite ? "inf" : value;
        write_row(out, r, &row);
        free(name);
    }
}

static void write_recorder(FILE *out, const struct result *r, size_t index)
{
    const struct recorder_result *rec = &r->recorders[index];
    const struct recorder_plan *plan = &r->plan->recorders[index];
    struct csv_row row = {.recorder = plan->name, .load = r->plan->loads[plan->load].name};
    for (size_t i = 0; i < r->plan->report.percentile_count; i++)
        write_percentile(out, r, row, index, i);
    write_tallies(out, r, row, rec);
    struct csv_row above = {.recorder = row.recorder, .load = row.load};
    for (size_t i = 0; i < r->plan->report.above_count; i++)
        write_above(out, r, above, index, i);
    for (size_t i = 0; i < rec->group_count; i++)
        write_group(out, r, above, &rec->groups[i]);
}

void report_csv(FILE *out, const struct result *r, const struct report_style *style)
{
    if (style->first)
        fputs("scenario,recorder,load,figure,unit,value,law,check,holds,detectable,truth,ratio\n",
              out);
    for (size_t i = 0; i < r->plan->load_count; i++)
        write_load(out, r, i);
    for (size_t i = 0; i < r->plan->recorder_count; i++)
        write_recorder(out, r, i);
}
