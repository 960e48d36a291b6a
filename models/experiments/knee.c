/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "models/experiments/rungs.h"

static const struct field fields[] = {
    {"rates", FIELD_VALUES, offsetof(struct ladder, rates), .says = "the rates per second, rising"},
    {"fractions", FIELD_VALUES, offsetof(struct ladder, fractions),
     .says = "instead of rates: fractions of the capacity"},
    {"of", FIELD_VALUES, offsetof(struct ladder, of),
     .says = "the capacity per second; of several the lowest"},
    {"whole", FIELD_BOOL, offsetof(struct ladder, whole),
     .says = "the capacity in whole numbers, and the rates rounded down to them"
             " as integer division does"},
    FIELD_OF_LOAD(ladder),
    FIELD_OF_PERCENTILE(ladder),
};

static const char *refuses(const void *params)
{
    const struct ladder *ladder = params;
    const char *why = ladder_refuses(params);
    if (why != NULL)
        return why;
    const struct value_list *list = ladder->rates.count > 0 ? &ladder->rates : &ladder->fractions;
    bool rising = list->count >= 3;
    struct decimal before, now;
    for (size_t i = 1; i < list->count; i++) {
        decimal_parse(list->texts[i - 1], &before);
        decimal_parse(list->texts[i], &now);
        rising &= decimal_compare(before, now) < 0;
    }
    return rising ? NULL : "a knee needs three rates at least, each above the one before";
}

/* How far below the chord from the first point to the last a point of the curve lies, both axes
   taken from 0 to 1. */
static double below_chord(const struct rungs *rungs, const double *p_ns, size_t i)
{
    size_t last = rungs->count - 1;
    double x = (rungs->items[i].rate_per_s - rungs->items[0].rate_per_s) /
               (rungs->items[last].rate_per_s - rungs->items[0].rate_per_s);
    double y = (p_ns[i] - p_ns[0]) / (p_ns[last] - p_ns[0]);
    return x - y;
}

static size_t by_chord(const struct rungs *rungs, const double *p_ns)
{
    size_t best = 0;
    for (size_t i = 1; i + 1 < rungs->count; i++)
        if (below_chord(rungs, p_ns, i) > below_chord(rungs, p_ns, best))
            best = i;
    return best;
}

static size_t by_doubling(const struct rungs *rungs, const double *p_ns)
{
    size_t i = 0;
    while (i < rungs->count && p_ns[i] < 2.0 * p_ns[0])
        i++;
    return i;
}

static char *of_capacity(const struct rung *rung)
{
    return isnan(rung->fraction) ? must_copy("")
                                 : must_format(" (%.4g of the capacity)", rung->fraction);
}

static void tell(const struct lab *lab, const struct rungs *rungs, const double *p_ns,
                 const char *name)
{
    size_t chord = by_chord(rungs, p_ns), twice = by_doubling(rungs, p_ns);
    const struct rung *items = rungs->items;
    char *text = of_capacity(&items[chord]);
    if (chord == 0)
        lab_find(lab, "knee by chord", "none",
                 "no rate lies below the line from the first %s to the last: the curve does not "
                 "bend upwards",
                 name);
    else
        lab_find(lab, "knee by chord", items[chord].rate,
                 "per second%s: here %s lies furthest below the line from the first point to the "
                 "last, both axes taken from 0 to 1; a rate between it and the next may be further",
                 text, name);
    free(text);
    if (twice == rungs->count) {
        lab_find(lab, "knee by doubling", "none", "%s nowhere doubles against the first rate",
                 name);
        return;
    }
    text = of_capacity(&items[twice]);
    lab_find(lab, "knee by doubling", items[twice].rate,
             "per second%s: the first rate at which %s is at least twice that of the first; it "
             "doubles between %s and %s",
             text, name, items[twice - (twice > 0)].rate, items[twice].rate);
    free(text);
}

static void curve(const struct lab *lab, const struct rungs *rungs, const double *p_ns)
{
    char *p = percentile_name(lab->plan, rungs->percentile);
    const struct column columns[] = {
        {"rate", COLUMN_VALUE, 10},         {"of capacity", COLUMN_NUMBER, 0}, {p, COLUMN_TIME, 12},
        {"of the first", COLUMN_NUMBER, 0}, {"below chord", COLUMN_NUMBER, 0},
    };
    lab->table(lab->self, "curve", columns, FIELD_COUNT_OF(columns));
    free(p);
    for (size_t i = 0; i < rungs->count; i++)
        lab->row(lab->self, (struct cell_value[]){{.text = rungs->items[i].rate},
                                                  {.number = rungs->items[i].fraction},
                                                  {.number = p_ns[i]},
                                                  {.number = p_ns[i] / p_ns[0]},
                                                  {.number = below_chord(rungs, p_ns, i)}});
}

static void run(const void *params, const struct lab *lab)
{
    struct rungs rungs;
    if (!rungs_run(params, lab, &rungs)) {
        rungs_free(&rungs);
        return;
    }
    double *p_ns = must_alloc(rungs.count, sizeof *p_ns);
    bool known = true;
    for (size_t i = 0; i < rungs.count; i++) {
        p_ns[i] = rungs.items[i].seen.recorders[rungs.recorder].p_ns[rungs.percentile];
        known &= !isnan(p_ns[i]);
    }
    char *name = percentile_name(lab->plan, rungs.percentile);
    if (!known)
        lab_find(lab, "knee", "none", "%s is unknown at one rate or more", name);
    else {
        curve(lab, &rungs, p_ns);
        tell(lab, &rungs, p_ns, name);
    }
    free(name);
    free(p_ns);
    rungs_free(&rungs);
}

const struct experiment_type experiment_knee = {
    .is = {"knee", "latency against load, and where the curve bends", fields,
           FIELD_COUNT_OF(fields), sizeof(struct ladder), refuses},
    .run = run,
};
