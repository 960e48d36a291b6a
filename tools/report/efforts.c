/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a load cost beside its answers: rows that stand only where there is something to tell. */

#include <math.h>
#include <stdlib.h>

#include "models/policies/resend.h"
#include "tools/report/figures.h"
#include "tools/report/table.h"

static const struct load_result *load_of(const struct result *r, size_t recorder)
{
    return &r->loads[r->plan->recorders[recorder].load];
}

bool load_tells_copies(const struct result *r, size_t load)
{
    const struct load_result *l = &r->loads[load];
    const struct load_plan *plan = &r->plan->loads[load];
    bool failed = l->timed_out > 0 || l->withheld > 0 || plan->timeout_cancel != CANCEL_NONE;
    return plan->resend.type != NULL && l->attempts > 0 && failed;
}

bool load_tells_stage(const struct result *r, size_t load, enum stage stage)
{
    const struct load_result *l = &r->loads[load];
    bool several = !isnan(l->utilisation[STAGE_GENERATOR]) ||
                   !isnan(l->utilisation[STAGE_BEHIND]) || l->periods > 0;
    return several && !isnan(l->utilisation[stage]);
}

/* A row of all recorders; text(load, out) writes the empty text where there is nothing to tell. */
static void add_row(struct table *t, const struct result *r, const char *label,
                    void (*write)(const struct result *r, size_t load, char out[FIGURE_TEXT]))
{
    struct table_row *row = NULL;
    for (size_t c = 0; c < t->columns; c++) {
        char text[FIGURE_TEXT] = "";
        write(r, r->plan->recorders[c].load, text);
        if (text[0] == '\0')
            continue;
        if (row == NULL)
            row = table_row(t, ROW_FIGURE, must_copy(label));
        table_set(&row->cells[c].value, must_copy(text));
    }
}

static void write_goodput(const struct result *r, size_t load, char out[FIGURE_TEXT])
{
    if (load_tells_copies(r, load))
        rate_write(r->loads[load].goodput_per_s, 3, out);
}

static void write_amplification(const struct result *r, size_t load, char out[FIGURE_TEXT])
{
    if (load_tells_copies(r, load))
        rate_write(r->loads[load].amplification, 3, out);
}

static void add_stage_row(struct table *t, const struct result *r, enum stage stage)
{
    struct table_row *row = NULL;
    for (size_t c = 0; c < t->columns; c++) {
        char text[FIGURE_TEXT];
        if (!load_tells_stage(r, r->plan->recorders[c].load, stage))
            continue;
        if (row == NULL)
            row = table_row(t, ROW_FIGURE, must_format("%s busy", stage_name(stage)));
        rate_write(100.0 * load_of(r, c)->utilisation[stage], 1, text);
        table_set(&row->cells[c].value, must_format("%s %%", text));
    }
}

void table_add_efforts(struct table *t, const struct result *r)
{
    add_row(t, r, "goodput, per s", write_goodput);
    add_row(t, r, "copies a request", write_amplification);
    for (size_t s = 0; s < STAGE_COUNT; s++)
        add_stage_row(t, r, (enum stage)s);
}
