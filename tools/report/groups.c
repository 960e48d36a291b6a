/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of a recorder's windows, clients or replicas, under the one of all recorders. */

#include <stdlib.h>
#include <string.h>

#include "tools/report/figures.h"
#include "tools/report/table.h"
#include "tools/report/utf8.h"

static bool same_figure(struct figure a, struct figure b)
{
    return a.kind == b.kind &&
           (a.kind != FIGURE_EXACT ||
            (a.exact.ns == b.exact.ns && a.exact.thousandths == b.exact.thousandths)) &&
           (a.kind != FIGURE_REAL || (a.real <= b.real && a.real >= b.real));
}

static bool same_group(const struct group_result *a, const struct group_result *b, size_t cells)
{
    bool same = a->count == b->count && strcmp(a->label, b->label) == 0;
    for (size_t i = 0; i < cells && same; i++)
        same = a->cells[i].infinite == b->cells[i].infinite &&
               same_figure(a->cells[i].value, b->cells[i].value) &&
               same_figure(a->cells[i].at_least, b->cells[i].at_least);
    return same;
}

static bool same_groups(const struct result *r, size_t first, size_t second)
{
    const struct recorder_result *a = &r->recorders[first], *b = &r->recorders[second];
    bool same = a->group_count == b->group_count && strcmp(a->group_text, b->group_text) == 0;
    for (size_t g = 0; g < a->group_count && same; g++)
        same = same_group(&a->groups[g], &b->groups[g], r->plan->report.percentile_count);
    return same;
}

/* A table that is there already is not printed again: its title names all whose it is. */
bool table_has_groups(const struct result *r, size_t recorder)
{
    if (r->recorders[recorder].group_count == 0)
        return false;
    for (size_t i = 0; i < recorder; i++)
        if (r->recorders[i].group_count > 0 && same_groups(r, i, recorder))
            return false;
    return true;
}

/* `recorder "a"`, or `recorders "a", "b"` that have the same groups; owned by the caller. */
static char *whose(const struct result *r, size_t recorder)
{
    size_t count = 1;
    char *names = must_format("\"%s\"", r->plan->recorders[recorder].name);
    for (size_t i = recorder + 1; i < r->plan->recorder_count; i++) {
        if (r->recorders[i].group_count == 0 || !same_groups(r, recorder, i))
            continue;
        char *longer = must_format("%s, \"%s\"", names, r->plan->recorders[i].name);
        free(names);
        names = longer;
        count++;
    }
    char *text = must_format("recorder%s %s", count > 1 ? "s" : "", names);
    free(names);
    return text;
}

static void add_group(struct table *t, const struct group_result *group, struct scale scale)
{
    struct table_row *row = table_row(t, ROW_FIGURE, must_copy(group->label));
    table_set(&row->cells[0].value, must_format("%llu", (unsigned long long)group->count));
    for (size_t i = 0; i + 1 < t->columns; i++)
        percentile_set(&row->cells[i + 1], group->cells[i].infinite, group->cells[i].value,
                       group->cells[i].at_least, scale);
}

void table_build_groups(const struct result *r, size_t recorder, struct table *t)
{
    const struct recorder_result *rec = &r->recorders[recorder];
    const struct report_plan *report = &r->plan->report;
    struct scale scale = scale_of_groups(r, recorder);
    *t = (struct table){.columns = report->percentile_count + 1};
    char *who = whose(r, recorder);
    char *title = must_format("%s, %s, times in %s", who, rec->group_text, scale.name);
    t->title = utf8_clean(title);
    free(who);
    free(title);
    t->under = must_copy("");
    t->names = must_alloc(t->columns, sizeof *t->names);
    t->names[0] = must_copy("n");
    for (size_t i = 0; i < report->percentile_count; i++)
        t->names[i + 1] = percentile_is_max(&report->percentiles[i])
                              ? must_copy("max")
                              : must_format("p%s", report->percentiles[i].text);
    for (size_t g = 0; g < rec->group_count && g < GROUPS_SHOWN; g++)
        add_group(t, &rec->groups[g], scale);
    if (rec->group_count > GROUPS_SHOWN)
        table_note(t, TONE_PLAIN,
                   must_format("... and %zu more: --format csv or json has them all",
                               rec->group_count - GROUPS_SHOWN));
    t->verdict.text = must_copy("");
}
