/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/report/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/report/figures.h"
#include "tools/report/utf8.h"

const char *instant_name(enum instant instant)
{
    switch (instant) {
    case INSTANT_DUE: return "due";
    case INSTANT_ACQUIRED: return "acquired";
    case INSTANT_SENT: return "sent";
    case INSTANT_STARTED: return "started";
    case INSTANT_FINISHED: return "finished";
    }
    BUG("instant outside its enum");
}

const char *part_name(enum part part)
{
    switch (part) {
    case PART_NONE: return NULL;
    case PART_QUEUE: return "queue";
    case PART_STALL: return "stall";
    case PART_SERVICE: return "service";
    }
    BUG("part outside its enum");
}

const char *stage_name(enum stage stage)
{
    switch (stage) {
    case STAGE_GENERATOR: return "generator";
    case STAGE_NETWORK: return "network";
    case STAGE_SERVER: return "server";
    case STAGE_BEHIND: return "behind";
    case STAGE_CLIENT: return "client";
    }
    BUG("stage outside its enum");
}

char *stopwatch_words(const struct recorder_plan *plan)
{
    const char *part = part_name(plan->part);
    return part ? must_format("in %s", plan->part == PART_STALL ? "stalls" : part)
                : must_format("%s to %s", instant_name(plan->from), instant_name(plan->to));
}

static char *clean_and_free(char *text)
{
    char *clean = utf8_clean(text);
    free(text);
    return clean;
}

struct table_row *table_row(struct table *table, enum row_kind kind, char *label)
{
    if (table->row_count == table->row_capacity) {
        table->row_capacity = table->row_capacity ? 2 * table->row_capacity : 32;
        table->rows = must_grow(table->rows, table->row_capacity, sizeof *table->rows);
    }
    struct table_row *row = &table->rows[table->row_count++];
    *row = (struct table_row){.kind = kind, .label = clean_and_free(label)};
    row->cells = must_alloc(table->columns + 1, sizeof *row->cells);
    for (size_t c = 0; c < table->columns; c++)
        row->cells[c] = (struct table_cell){
            .value = must_copy(""), .beside = must_copy(""), .mark = must_copy("")};
    return row;
}

void table_set(char **slot, char *text)
{
    free(*slot);
    *slot = clean_and_free(text);
}

static void set_count(char **slot, uint64_t count)
{
    table_set(slot, must_format("%llu", (unsigned long long)count));
}

void table_mark(struct table_cell *cell, enum check check, enum verdict holds)
{
    static const char *const sign[] = {[CHECK_EXACT] = "=", [CHECK_STATISTICAL] = "~"};
    if (check == CHECK_NONE || check == CHECK_TOO_FEW) {
        table_set(&cell->mark, must_copy(check == CHECK_NONE ? "no law" : "too few"));
        return;
    }
    if (holds == VERDICT_UNKNOWN)
        return;
    bool good = holds == VERDICT_HOLDS;
    table_set(&cell->mark, must_format("%s %s", sign[check], good ? "holds" : "FAILS"));
    cell->tone = good ? TONE_GOOD : TONE_BAD;
}

/* Where the heading counts replications, a load in which nothing is random has but one. */
static void add_runs_row(struct table *t, const struct result *r)
{
    struct table_row *row = NULL;
    for (size_t c = 0; c < t->columns && r->replications > 1; c++) {
        if (r->loads[r->plan->recorders[c].load].random)
            continue;
        if (row == NULL)
            row = table_row(t, ROW_TEXT, must_copy("runs"));
        table_set(&row->cells[c].value, must_copy("1, nothing in it is random"));
    }
    for (size_t c = 0; c < t->columns && row != NULL; c++)
        if (r->loads[r->plan->recorders[c].load].random)
            table_set(&row->cells[c].value,
                      must_format("%llu", (unsigned long long)r->replications));
}

static void add_load_rows(struct table *t, const struct result *r)
{
    struct table_row *name = table_row(t, ROW_TEXT, must_copy("load"));
    for (size_t c = 0; c < t->columns; c++)
        table_set(&name->cells[c].value,
                  must_copy(r->plan->loads[r->plan->recorders[c].load].name));
    struct table_row *kind = table_row(t, ROW_TEXT, must_copy("sends"));
    for (size_t c = 0; c < t->columns; c++) {
        const char *text = r->loads[r->plan->recorders[c].load].text;
        table_set(&kind->cells[c].value, must_copy(text ? text : ""));
    }
    if (r->law_only)
        return;
    add_runs_row(t, r);
    size_t first = t->row_count;
    table_row(t, ROW_FIGURE, must_copy("offered, per s"));
    table_row(t, ROW_FIGURE, must_copy("achieved, per s"));
    table_row(t, ROW_FIGURE, must_copy("in flight, mean"));
    table_row(t, ROW_FIGURE, must_copy("in flight, max"));
    for (size_t c = 0; c < t->columns; c++) {
        const struct load_result *load = &r->loads[r->plan->recorders[c].load];
        char text[FIGURE_TEXT];
        rate_write(load->offered_per_s, 3, text);
        table_set(&t->rows[first].cells[c].value, must_copy(text));
        rate_write(load->achieved_per_s, 3, text);
        table_set(&t->rows[first + 1].cells[c].value, must_copy(text));
        rate_write(load->in_flight_mean, 3, text);
        table_set(&t->rows[first + 2].cells[c].value, must_copy(text));
        set_count(&t->rows[first + 3].cells[c].value, load->in_flight_max);
    }
    table_add_efforts(t, r);
}

/* Which recorders keep their samples apart, and in how many groups. */
static void add_group_row(struct table *t, const struct result *r)
{
    struct table_row *row = NULL;
    for (size_t c = 0; c < t->columns; c++) {
        const struct recorder_result *rec = &r->recorders[c];
        if (rec->group_text == NULL)
            continue;
        if (row == NULL)
            row = table_row(t, ROW_TEXT, must_copy("groups"));
        table_set(&row->cells[c].value, must_format("%zu, %s", rec->group_count, rec->group_text));
    }
}

static void add_recorder_rows(struct table *t, const struct result *r)
{
    size_t first = t->row_count;
    static const char *const labels[] = {"stopwatch", "correction", "store", "rank rule"};
    for (size_t i = 0; i < 4; i++)
        table_row(t, ROW_TEXT, must_copy(labels[i]));
    bool left_out = false;
    for (size_t c = 0; c < t->columns; c++) {
        const struct recorder_plan *plan = &r->plan->recorders[c];
        const struct recorder_result *rec = &r->recorders[c];
        table_set(&t->rows[first].cells[c].value, stopwatch_words(plan));
        table_set(&t->rows[first + 1].cells[c].value,
                  must_copy(rec->correction_text ? rec->correction_text : "none"));
        table_set(&t->rows[first + 2].cells[c].value,
                  must_copy(rec->store_text ? rec->store_text : ""));
        table_set(&t->rows[first + 3].cells[c].value,
                  must_copy(rec->rank_text ? rec->rank_text : ""));
        left_out = left_out || rec->excluded > 0;
    }
    add_group_row(t, r);
    if (r->law_only)
        return;
    first = t->row_count;
    table_row(t, ROW_FIGURE, must_copy("n real"));
    table_row(t, ROW_FIGURE, must_copy("n added"));
    if (left_out)
        table_row(t, ROW_FIGURE, must_copy("n left out"));
    for (size_t c = 0; c < t->columns; c++) {
        const struct recorder_result *rec = &r->recorders[c];
        set_count(&t->rows[first].cells[c].value, rec->count - rec->added);
        set_count(&t->rows[first + 1].cells[c].value, rec->added);
        if (left_out)
            set_count(&t->rows[first + 2].cells[c].value, rec->excluded);
    }
}

/* A whole-recorder figure; the check of count, sum, min, max and mean is one, and marks each. */
static void set_tally(struct table_cell *out, const struct recorder_result *rec, bool from_below,
                      const char *text)
{
    table_set(&out->value, must_format("%s%s", from_below && text[0] != '\0' ? ">= " : "", text));
    bool checked = rec->tally_check == CHECK_EXACT || rec->tally_check == CHECK_STATISTICAL;
    if (text[0] != '\0' && checked)
        table_mark(out, rec->tally_check, rec->tally_holds);
}

static void add_tally_rows(struct table *t, const struct result *r, struct scale scale)
{
    bool has_max = false;
    for (size_t i = 0; i < r->plan->report.percentile_count; i++)
        has_max = has_max || percentile_is_max(&r->plan->report.percentiles[i]);
    struct scale minima = scale_of_minima(r), sums = scale_of_sums(r);
    if (!has_max)
        table_row(t, ROW_FIGURE, must_copy("max"));
    size_t first = t->row_count;
    table_row(t, ROW_FIGURE, must_copy("mean"));
    if (!r->law_only) {
        table_row(t, ROW_FIGURE, must_format("min, %s", minima.name));
        table_row(t, ROW_FIGURE, must_format("sum, %s", sums.name));
    }
    struct table_row *mean = &t->rows[first], *max = &t->rows[first - 1];
    for (size_t c = 0; c < t->columns; c++) {
        const struct recorder_result *rec = &r->recorders[c];
        char text[FIGURE_TEXT];
        scale_write(scale, r->law_only ? rec->law_mean : rec->mean, text);
        bool below = !r->law_only && rec->from_below > 0;
        set_tally(&mean->cells[c], rec, below, text);
        if (!has_max) {
            scale_write(scale, r->law_only ? rec->law_max : rec->max, text);
            set_tally(&max->cells[c], rec, below, text);
        }
        if (r->law_only)
            continue;
        scale_write(minima, rec->min, text);
        set_tally(&mean[1].cells[c], rec, rec->min_from_below, text);
        scale_write_sum(sums, rec->sum, text);
        set_tally(&mean[2].cells[c], rec, below, text);
    }
}

static void add_above_laws(struct table *t, const struct result *r, size_t index)
{
    struct table_row *row =
        table_row(t, ROW_FIGURE, must_format("above %s", r->plan->report.above[index].text));
    for (size_t c = 0; c < t->columns; c++) {
        const struct figure *count = &r->recorders[c].above[index].law_count;
        if (count->kind == FIGURE_EXACT)
            set_count(&row->cells[c].value, count->exact.ns);
    }
}

static void add_above_rows(struct table *t, const struct result *r, size_t index)
{
    size_t first = t->row_count;
    const char *threshold = r->plan->report.above[index].text;
    table_row(t, ROW_FIGURE, must_format("above %s", threshold));
    table_row(t, ROW_FIGURE, must_format("share above %s", threshold));
    for (size_t c = 0; c < t->columns; c++) {
        const struct above_result *above = &r->recorders[c].above[index];
        struct table_cell *count = &t->rows[first].cells[c];
        set_count(&count->value, above->count);
        if (above->holds != VERDICT_UNKNOWN)
            table_mark(count, CHECK_EXACT, above->holds);
        if (!isnan(above->share))
            table_set(&t->rows[first + 1].cells[c].value,
                      must_format("%.4f %%", 100 * above->share));
    }
}

static void add_law_rows(struct table *t, const struct result *r)
{
    size_t first = t->row_count;
    table_row(t, ROW_TEXT, must_copy("law"));
    table_row(t, ROW_TEXT, must_copy("truth"));
    for (size_t c = 0; c < t->columns; c++) {
        const struct recorder_result *rec = &r->recorders[c];
        table_set(&t->rows[first].cells[c].value,
                  must_copy(rec->law_name ? rec->law_name : "none"));
        table_set(&t->rows[first + 1].cells[c].value,
                  must_copy(rec->truth_name ? rec->truth_name : "none"));
    }
}

void table_build(const struct result *r, struct table *t)
{
    const struct plan *plan = r->plan;
    *t = (struct table){.columns = plan->recorder_count};
    t->title = utf8_clean(plan->title ? plan->title : "");
    t->under =
        r->law_only
            ? must_format("%s: laws alone, nothing was run", plan->file)
            : must_format("%s, seed %llu, %llu replication%s, start %s", plan->file,
                          (unsigned long long)plan->run.seed, (unsigned long long)r->replications,
                          r->replications == 1 ? "" : "s", r->start ? r->start : "unknown");
    t->under = clean_and_free(t->under);
    t->names = must_alloc(t->columns + 1, sizeof *t->names);
    for (size_t c = 0; c < t->columns; c++)
        t->names[c] = utf8_clean(plan->recorders[c].name);
    struct scale scale = scale_of(r);
    add_load_rows(t, r);
    add_recorder_rows(t, r);
    table_add_percentiles(t, r, scale);
    add_tally_rows(t, r, scale);
    for (size_t i = 0; i < plan->report.above_count; i++) {
        if (r->law_only)
            add_above_laws(t, r, i);
        else
            add_above_rows(t, r, i);
    }
    table_add_detectable(t, r);
    add_law_rows(t, r);
    table_add_notes(t, r);
}

void table_free(struct table *t)
{
    for (size_t i = 0; i < t->row_count; i++) {
        for (size_t c = 0; c < t->columns; c++) {
            free(t->rows[i].cells[c].value);
            free(t->rows[i].cells[c].beside);
            free(t->rows[i].cells[c].mark);
        }
        free(t->rows[i].cells);
        free(t->rows[i].label);
    }
    for (size_t c = 0; c < t->columns; c++)
        free(t->names[c]);
    for (size_t i = 0; i < t->note_count; i++)
        free(t->notes[i].text);
    free(t->names);
    free(t->rows);
    free(t->notes);
    free(t->title);
    free(t->under);
    free(t->verdict.text);
    *t = (struct table){0};
}

void table_note(struct table *table, enum tone tone, char *text)
{
    if (table->note_count == table->note_capacity) {
        table->note_capacity = table->note_capacity ? 2 * table->note_capacity : 16;
        table->notes = must_grow(table->notes, table->note_capacity, sizeof *table->notes);
    }
    table->notes[table->note_count++] = (struct note){clean_and_free(text), tone};
}
