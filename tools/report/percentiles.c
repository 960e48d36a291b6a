/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The rows of the table that show percentiles. */

#include <math.h>
#include <stdlib.h>

#include "tools/report/figures.h"
#include "tools/report/table.h"

bool percentile_is_max(const struct percentile *p)
{
    return p->p.num == p->p.den;
}

static char *percentile_label(const struct percentile *p)
{
    return percentile_is_max(p) ? must_copy("max") : must_format("p%s", p->text);
}

void percentile_set(struct table_cell *out, bool infinite, struct figure value,
                    struct figure at_least, struct scale scale)
{
    char text[FIGURE_TEXT];
    if (infinite) {
        table_set(&out->value, must_copy("inf"));
        return;
    }
    scale_write(scale, value, text);
    if (text[0] != '\0' || at_least.kind == FIGURE_UNKNOWN) {
        table_set(&out->value, must_copy(text));
        return;
    }
    scale_write(scale, at_least, text);
    table_set(&out->value, must_format(">= %s", text));
}

static void fill_cell(struct table_cell *out, const struct result *r, const struct cell *cell,
                      struct scale scale)
{
    char text[FIGURE_TEXT];
    if (r->law_only) {
        scale_write(scale, cell->law, text);
        table_set(&out->value, must_copy(text));
        scale_write(scale, cell->truth, text);
        table_set(&out->beside, must_copy(text));
        return;
    }
    percentile_set(out, cell->infinite, cell->value, cell->at_least, scale);
    plain_write(cell->ratio, 3, text);
    table_set(&out->beside, must_copy(text));
    table_mark(out, cell->check, cell->holds);
}

static bool any_statistical(const struct result *r, size_t percentile)
{
    for (size_t c = 0; c < r->plan->recorder_count; c++)
        if (r->recorders[c].cells[percentile].check == CHECK_STATISTICAL)
            return true;
    return false;
}

void table_add_detectable(struct table *t, const struct result *r)
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
                table_set(&row->cells[c].value,
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

static bool any_interval(const struct result *r, size_t percentile)
{
    for (size_t c = 0; c < r->plan->recorder_count; c++) {
        const struct cell *cell = &r->recorders[c].cells[percentile];
        if (cell->low.kind != FIGURE_UNKNOWN || cell->high.kind != FIGURE_UNKNOWN)
            return true;
    }
    return false;
}

/* "91.2 .. 93.4", or the end that is known.  Owned by the caller. */
static char *interval_words(const struct cell *cell, struct scale scale)
{
    char low[FIGURE_TEXT], high[FIGURE_TEXT];
    scale_write(scale, cell->low, low);
    scale_write(scale, cell->high, high);
    if (low[0] == '\0' || high[0] == '\0')
        return low[0] != '\0'    ? must_format("at least %s", low)
               : high[0] != '\0' ? must_format("at most %s", high)
                                 : must_copy("");
    return must_format("%s .. %s", low, high);
}

/* How far a percentile of so many samples lies from the law's, as a share of it. */
static void add_wander_row(struct table *t, const struct result *r, size_t percentile)
{
    bool any = false;
    for (size_t c = 0; c < t->columns; c++)
        any |= !isnan(r->recorders[c].cells[percentile].wander);
    if (!any)
        return;
    char *label = percentile_label(&r->plan->report.percentiles[percentile]);
    struct table_row *row = table_row(t, ROW_FIGURE, must_format("%s wanders", label));
    free(label);
    for (size_t c = 0; c < t->columns; c++) {
        char text[FIGURE_TEXT];
        plain_write(100 * r->recorders[c].cells[percentile].wander, 3, text);
        if (text[0] != '\0')
            table_set(&row->cells[c].value, must_format("%s %%", text));
    }
}

static void add_interval_row(struct table *t, const struct result *r, size_t percentile,
                             struct scale scale)
{
    if (r->law_only || !any_interval(r, percentile))
        return;
    char *label = percentile_label(&r->plan->report.percentiles[percentile]);
    struct table_row *row = table_row(t, ROW_TEXT, must_format("%s, 95 %%", label));
    free(label);
    for (size_t c = 0; c < t->columns; c++)
        table_set(&row->cells[c].value, interval_words(&r->recorders[c].cells[percentile], scale));
}

/* So that nobody takes it for a percentile. */
static void mark_averages(struct table_row *row, const struct result *r)
{
    for (size_t c = 0; c < r->plan->recorder_count; c++)
        if (r->plan->recorders[c].merge == MERGE_AVERAGE && !r->law_only)
            table_set(&row->cells[c].mark, must_copy("average"));
}

void table_add_percentiles(struct table *t, const struct result *r, struct scale scale)
{
    struct table_row *head = table_row(t, ROW_HEAD, must_format("times in %s", scale.name));
    for (size_t c = 0; c < t->columns; c++) {
        table_set(&head->cells[c].value, must_copy(r->law_only ? "law" : "value"));
        if (any_truth(r))
            table_set(&head->cells[c].beside, must_copy(r->law_only ? "truth" : "/truth"));
        table_set(&head->cells[c].mark, must_copy(r->law_only ? "" : "check"));
    }
    for (size_t i = 0; i < r->plan->report.percentile_count; i++) {
        const struct percentile *p = &r->plan->report.percentiles[i];
        struct table_row *row = table_row(t, ROW_FIGURE, percentile_label(p));
        for (size_t c = 0; c < t->columns; c++)
            fill_cell(&row->cells[c], r, &r->recorders[c].cells[i], scale);
        mark_averages(row, r);
        add_interval_row(t, r, i, scale);
    }
    for (size_t i = 0; r->law_only && i < r->plan->report.percentile_count; i++)
        add_wander_row(t, r, i);
}
