/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "models/experiments/quarantine.h"
#include "models/experiments/rungs.h"

static const struct field fields[] = {
    {"rates", FIELD_VALUES, offsetof(struct ladder, rates),
     .says = "the rates per second, in the order in which they are run"},
    {"fractions", FIELD_VALUES, offsetof(struct ladder, fractions),
     .says = "instead of rates: fractions of the capacity"},
    {"of", FIELD_VALUES, offsetof(struct ladder, of),
     .says = "the capacity per second; of several the lowest"},
    {"whole", FIELD_BOOL, offsetof(struct ladder, whole),
     .says = "the capacity in whole numbers, and the rates rounded down to them"
             " as integer division does"},
    {"vary", FIELD_VALUES, offsetof(struct ladder, vary),
     .says = "a path that has another value at each rung"},
    {"values", FIELD_VALUES, offsetof(struct ladder, values),
     .says = "of vary, one a rung: a stall that is there at some of them, say"},
    FIELD_OF_LOAD(ladder),
    FIELD_OF_PERCENTILE(ladder),
};

static void tell_rungs(const struct lab *lab, const struct rungs *rungs)
{
    char *p = percentile_name(lab->plan, rungs->percentile);
    const struct column columns[] = {
        {"rate", COLUMN_VALUE, 10},           {"of capacity", COLUMN_NUMBER, 0},
        {"achieved share", COLUMN_NUMBER, 0}, {p, COLUMN_TIME, 12},
        {"of the first", COLUMN_NUMBER, 0},   {"gates", COLUMN_TEXT, 20},
    };
    lab->table(lab->self, "rungs", columns, FIELD_COUNT_OF(columns));
    free(p);
    double first_ns = NAN;
    for (size_t i = 0; i < rungs->count; i++) {
        const struct rung *rung = &rungs->items[i];
        const struct seen_load *load = &rung->seen.loads[rungs->load];
        const struct seen_recorder *recorder = &rung->seen.recorders[rungs->recorder];
        double p_ns = recorder->p_ns[rungs->percentile];
        first_ns = i == 0 ? p_ns : first_ns;
        lab->row(lab->self,
                 (struct cell_value[]){{.text = rung->rate},
                                       {.number = rung->fraction},
                                       {.number = load->achieved_per_s / load->offered_per_s},
                                       {.number = p_ns},
                                       {.number = p_ns / first_ns},
                                       {.text = recorder->gates}});
    }
}

static void tell_shape(const struct lab *lab, const struct rungs *rungs, size_t percentile)
{
    double *low = must_alloc(rungs->count, sizeof *low);
    double *high = must_alloc(rungs->count, sizeof *high), most = 0.0, least = INFINITY;
    for (size_t i = 0; i < rungs->count; i++) {
        const struct seen_recorder *seen = &rungs->items[i].seen.recorders[rungs->recorder];
        low[i] = seen->low_ns[percentile];
        high[i] = seen->high_ns[percentile];
        most = seen->p_ns[percentile] > most ? seen->p_ns[percentile] : most;
        least = seen->p_ns[percentile] < least ? seen->p_ns[percentile] : least;
    }
    size_t falls_at;
    enum ladder_shape shape = ladder_shape(low, high, rungs->count, &falls_at);
    char *name = must_format("shape of p%s", lab->plan->report.percentiles[percentile].text);
    if (shape == LADDER_UNKNOWN)
        lab_find(lab, name, ladder_shape_words(shape),
                 "it or its interval is unknown at one rate or more");
    else if (falls_at > 0)
        lab_find(lab, name, ladder_shape_words(shape),
                 "it falls at %s per second, %zu. in the ladder: a server that only ran out of "
                 "capacity would not recover at a higher rate; the largest is %.4g times the "
                 "smallest",
                 rungs->items[falls_at].rate, falls_at + 1, most / least);
    else
        lab_find(lab, name, ladder_shape_words(shape),
                 "over all rates, where 95 %% intervals that overlap are no step; the "
                 "largest is %.4g times the smallest",
                 most / least);
    free(name);
    free(low);
    free(high);
}

static void run(const void *params, const struct lab *lab)
{
    struct rungs rungs;
    if (rungs_run(params, lab, &rungs)) {
        struct quarantine groups = {0};
        tell_rungs(lab, &rungs);
        for (size_t i = 0; i < lab->plan->report.percentile_count; i++)
            tell_shape(lab, &rungs, i);
        for (size_t i = 0; i < rungs.count; i++)
            quarantine_add(&groups, "ladder", &rungs.items[i].seen, rungs.recorder);
        quarantine_tell(&groups, lab);
        quarantine_free(&groups);
    }
    rungs_free(&rungs);
}

const struct experiment_type experiment_ladder = {
    .is = {"ladder", "open rates one after another, judged as a whole and not rung by rung", fields,
           FIELD_COUNT_OF(fields), sizeof(struct ladder), ladder_refuses},
    .run = run,
};
