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

static void set(char **slot, char *text)
{
    free(*slot);
    *slot = clean_and_free(text);
}

static void set_count(char **slot, uint64_t count)
{
    set(slot, must_format("%llu", (unsigned long long)count));
}

static void set_mark(struct table_cell *cell, enum check check, enum verdict holds)
{
    static const char *const sign[] = {[CHECK_EXACT] = "=", [CHECK_STATISTICAL] = "~"};
    if (check == CHECK_NONE || check == CHECK_TOO_FEW) {
        set(&cell->mark, must_copy(check == CHECK_NONE ? "no law" : "too few"));
        return;
    }
    if (holds == VERDICT_UNKNOWN)
        return;
    bool good = holds == VERDICT_HOLDS;
    set(&cell->mark, must_format("%s %s", sign[check], good ? "holds" : "FAILS"));
    cell->tone = good ? TONE_GOOD : TONE_BAD;
}

static void add_load_rows(struct table *t, const struct result *r)
{
    struct table_row *name = table_row(t, ROW_TEXT, must_copy("load"));
    for (size_t c = 0; c < t->columns; c++)
        set(&name->cells[c].value, must_copy(r->plan->loads[r->plan->recorders[c].load].name));
    struct table_row *kind = table_row(t, ROW_TEXT, must_copy("sends"));
    for (size_t c = 0; c < t->columns; c++) {
        const char *text = r->loads[r->plan->recorders[c].load].text;
        set(&kind->cells[c].value, must_copy(text ? text : ""));
    }
    if (r->law_only)
        return;
    size_t first = t->row_count;
    table_row(t, ROW_FIGURE, must_copy("offered, per s"));
    table_row(t, ROW_FIGURE, must_copy("achieved, per s"));
    table_row(t, ROW_FIGURE, must_copy("in flight, mean"));
    table_row(t, ROW_FIGURE, must_copy("in flight, max"));
    for (size_t c = 0; c < t->columns; c++) {
        const struct load_result *load = &r->loads[r->plan->recorders[c].load];
        char text[FIGURE_TEXT];
        rate_write(load->offered_per_s, 3, text);
        set(&t->rows[first].cells[c].value, must_copy(text));
        rate_write(load->achieved_per_s, 3, text);
        set(&t->rows[first + 1].cells[c].value, must_copy(text));
        rate_write(load->in_flight_mean, 3, text);
        set(&t->rows[first + 2].cells[c].value, must_copy(text));
        set_count(&t->rows[first + 3].cells[c].value, load->in_flight_max);
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
        set(&t->rows[first].cells[c].value,
            must_format("%s to %s", instant_name(plan->from), instant_name(plan->to)));
        set(&t->rows[first + 1].cells[c].value,
            must_copy(rec->correction_text ? rec->correction_text : "none"));
        set(&t->rows[first + 2].cells[c].value, must_copy(rec->store_text ? rec->store_text : ""));
        set(&t->rows[first + 3].cells[c].value, must_copy(rec->rank_text ? rec->rank_text : ""));
        left_out = left_out || rec->excluded > 0;
    }
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

static bool is_max(const struct percentile *p)
{
    return p->p.num == p->p.den;
}

static char *percentile_label(const struct percentile *p)
{
    return is_max(p) ? must_copy("max") : must_format("p%s", p->text);
}

static void fill_value(struct table_cell *out, const struct cell *cell, struct scale scale)
{
    char text[FIGURE_TEXT];
    if (cell->infinite) {
        set(&out->value, must_copy("inf"));
        return;
    }
    scale_write(scale, cell->value, text);
    if (text[0] != '\0' || cell->at_least.kind == FIGURE_UNKNOWN) {
        set(&out->value, must_copy(text));
        return;
    }
    scale_write(scale, cell->at_least, text);
    set(&out->value, must_format(">= %s", text));
}

static void fill_cell(struct table_cell *out, const struct result *r, const struct cell *cell,
                      struct scale scale)
{
    char text[FIGURE_TEXT];
    if (r->law_only) {
        scale_write(scale, cell->law, text);
        set(&out->value, must_copy(text));
        scale_write(scale, cell->truth, text);
        set(&out->beside, must_copy(text));
        return;
    }
    fill_value(out, cell, scale);
    plain_write(cell->ratio, 3, text);
    set(&out->beside, must_copy(text));
    set_mark(out, cell->check, cell->holds);
}

static bool any_statistical(const struct result *r, size_t percentile)
{
    for (size_t c = 0; c < r->plan->recorder_count; c++)
        if (r->recorders[c].cells[percentile].check == CHECK_STATISTICAL)
            return true;
    return false;
}

static void add_detectable_rows(struct table *t, const struct result *r)
{
    for (size_t i = 0; i < r->plan->report.percentile_count; i++) {
        if (!any_statistical(r, i))
            continue;
        char *label = percentile_label(&r->plan->report.percentiles[i]);
        struct table_row *row = table_row(t, ROW_FIGURE, must_format("%s detects", label));
        free(label);
        for (size_t c = 0; c < t->columns; c++) {
            const struct cell *cell = &r->recorders[c].cells[i];
            char text[FIGURE_TEXT];
            plain_write(100 * cell->detectable, 3, text);
            if (cell->check == CHECK_STATISTICAL)
                set(&row->cells[c].value,
                    text[0] ? must_format("%s %%", text) : must_copy("none below 100 %"));
        }
    }
}

static bool any_truth(const struct result *r)
{
    for (size_t c = 0; c < r->plan->recorder_count; c++)
        for (size_t i = 0; i < r->plan->report.percentile_count; i++)
            if (r->recorders[c].cells[i].truth.kind != FIGURE_UNKNOWN)
                return true;
    return false;
}

static void add_percentile_rows(struct table *t, const struct result *r, struct scale scale)
{
    struct table_row *head = table_row(t, ROW_HEAD, must_format("times in %s", scale.name));
    for (size_t c = 0; c < t->columns; c++) {
        set(&head->cells[c].value, must_copy(r->law_only ? "law" : "value"));
        if (any_truth(r))
            set(&head->cells[c].beside, must_copy(r->law_only ? "truth" : "/truth"));
        set(&head->cells[c].mark, must_copy(r->law_only ? "" : "check"));
    }
    for (size_t i = 0; i < r->plan->report.percentile_count; i++) {
        const struct percentile *p = &r->plan->report.percentiles[i];
        struct table_row *row = table_row(t, ROW_FIGURE, percentile_label(p));
        for (size_t c = 0; c < t->columns; c++)
            fill_cell(&row->cells[c], r, &r->recorders[c].cells[i], scale);
    }
}

/* A whole-recorder figure; the check of count, sum, min, max and mean is one, and marks each. */
static void set_tally(struct table_cell *out, const struct recorder_result *rec, const char *text)
{
    set(&out->value, must_copy(text));
    bool checked = rec->tally_check == CHECK_EXACT || rec->tally_check == CHECK_STATISTICAL;
    if (text[0] != '\0' && checked)
        set_mark(out, rec->tally_check, rec->tally_holds);
}

static void add_tally_rows(struct table *t, const struct result *r, struct scale scale)
{
    bool has_max = false;
    for (size_t i = 0; i < r->plan->report.percentile_count; i++)
        has_max = has_max || is_max(&r->plan->report.percentiles[i]);
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
        set_tally(&mean->cells[c], rec, text);
        if (!has_max) {
            scale_write(scale, r->law_only ? rec->law_max : rec->max, text);
            set_tally(&max->cells[c], rec, text);
        }
        if (r->law_only)
            continue;
        scale_write(minima, rec->min, text);
        set_tally(&mean[1].cells[c], rec, text);
        scale_write_sum(sums, rec->sum, text);
        set_tally(&mean[2].cells[c], rec, text);
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
            set_mark(count, CHECK_EXACT, above->holds);
        if (!isnan(above->share))
            set(&t->rows[first + 1].cells[c].value, must_format("%.4f %%", 100 * above->share));
    }
}

static void add_law_rows(struct table *t, const struct result *r)
{
    size_t first = t->row_count;
    table_row(t, ROW_TEXT, must_copy("law"));
    table_row(t, ROW_TEXT, must_copy("truth"));
    for (size_t c = 0; c < t->columns; c++) {
        const struct recorder_result *rec = &r->recorders[c];
        set(&t->rows[first].cells[c].value, must_copy(rec->law_name ? rec->law_name : "none"));
        set(&t->rows[first + 1].cells[c].value,
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
    add_percentile_rows(t, r, scale);
    add_tally_rows(t, r, scale);
    for (size_t i = 0; i < plan->report.above_count; i++) {
        if (r->law_only)
            add_above_laws(t, r, i);
        else
            add_above_rows(t, r, i);
    }
    add_detectable_rows(t, r);
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
