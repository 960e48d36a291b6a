/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/experiments/experiment.h"
#include "models/experiments/quarantine.h"
#include "models/experiments/spread.h"

#define RUNS_FOR_A_VERDICT 3

struct repeats {
    uint64_t runs, warmup;
    struct value_list vary, values;
};

static const struct field fields[] = {
    {"runs", FIELD_COUNT, offsetof(struct repeats, runs), .required = true, .min = 1, .max = 100000,
     .says = "how often, each with a seed of its own; a run is what the scenario says, all its "
             "replications together"},
    {"warmup", FIELD_COUNT, offsetof(struct repeats, warmup), .max = 1000,
     .says = "so many runs before them are thrown away"},
    {"vary", FIELD_VALUES, offsetof(struct repeats, vary),
     .says = "a path that takes each of values, so that they can be compared"},
    {"values", FIELD_VALUES, offsetof(struct repeats, values), .says = "of vary"},
};

static const char *refuses(const void *params)
{
    const struct repeats *r = params;
    if ((r->vary.count > 0) != (r->values.count > 0))
        return "vary and values go together";
    if (r->vary.count > 1 || (r->vary.count == 1 && strncmp(r->vary.texts[0], "\"/", 2) != 0))
        return "vary is one path, as \"/loads/open/open/rate\"";
    return NULL;
}

enum { MEAN, MAX, PERCENTILES }; /* figures: the mean, the max, then each percentile */

/* All figures of all runs: by group, recorder, figure, run. */
struct cube {
    const struct repeats *repeats;
    const struct lab *lab;
    size_t groups, recorders, figures;
    double *figures_ns, *counts, *achieved; /* the last two by group, recorder, run */
};

static double *runs_of(const struct cube *cube, size_t group, size_t recorder, size_t figure)
{
    return cube->figures_ns +
           ((group * cube->recorders + recorder) * cube->figures + figure) * cube->repeats->runs;
}

static size_t row_of(const struct cube *cube, size_t group, size_t recorder)
{
    return (group * cube->recorders + recorder) * cube->repeats->runs;
}

static const char *group_name(const struct cube *cube, size_t group)
{
    return cube->repeats->values.count > 0 ? cube->repeats->values.texts[group] : "all";
}

static void keep(struct cube *cube, size_t group, uint64_t run, const struct seen *seen)
{
    for (size_t k = 0; k < cube->recorders; k++) {
        const struct seen_recorder *recorder = &seen->recorders[k];
        runs_of(cube, group, k, MEAN)[run] = recorder->mean_ns;
        runs_of(cube, group, k, MAX)[run] = recorder->max_ns;
        for (size_t p = PERCENTILES; p < cube->figures; p++)
            runs_of(cube, group, k, p)[run] = recorder->p_ns[p - PERCENTILES];
        size_t load = cube->lab->plan->recorders[k].load;
        cube->counts[row_of(cube, group, k) + run] = (double)recorder->count;
        cube->achieved[row_of(cube, group, k) + run] = seen->loads[load].achieved_per_s;
    }
}

static bool run_group(struct cube *cube, size_t group, struct quarantine *gates)
{
    uint64_t warmup = cube->repeats->warmup, all = warmup + cube->repeats->runs;
    const struct plan *plan = cube->lab->plan;
    const char *varied =
        cube->repeats->values.count > 0 ? cube->repeats->values.texts[group] : NULL;
    bool good = true;
    const char **values = must_alloc(all, 2 * sizeof *values);
    char **seeds = must_alloc(all, sizeof *seeds);
    for (uint64_t i = 0; i < all; i++) {
        values[2 * i] = seeds[i] = seed_text(plan, i);
        values[2 * i + 1] = varied;
    }
    lab_ahead(cube->lab, values, all);
    for (uint64_t i = 0; i < all && good; i++) {
        struct seen seen;
        good = cube->lab->point(cube->lab->self, i < warmup ? "warm-up" : group_name(cube, group),
                                NO_INDEX, values + 2 * i, &seen);
        if (good && i >= warmup) {
            keep(cube, group, i - warmup, &seen);
            for (size_t k = 0; k < cube->recorders; k++)
                quarantine_add(gates, group_name(cube, group), &seen, k);
        }
        seen_free(&seen);
    }
    for (uint64_t i = 0; i < all; i++)
        free(seeds[i]);
    free(seeds);
    free(values);
    return good;
}

static char *figure_name(const struct plan *plan, size_t figure)
{
    if (figure < PERCENTILES)
        return must_copy(figure == MEAN ? "mean" : "max");
    return percentile_name(plan, figure - PERCENTILES);
}

static void spread_row(const struct lab *lab, const char *group, const char *recorder,
                       const char *figure, struct spread s)
{
    lab->row(lab->self, (struct cell_value[]){{.text = group},
                                              {.text = recorder},
                                              {.text = figure},
                                              {.number = (double)s.count},
                                              {.number = s.min},
                                              {.number = s.median},
                                              {.number = s.max},
                                              {.number = s.mean},
                                              {.number = s.range},
                                              {.number = s.cv}});
}

static void tables(const struct cube *cube)
{
    struct column columns[] = {
        {"group", COLUMN_TEXT, 10}, {"recorder", COLUMN_TEXT, 20}, {"figure", COLUMN_TEXT, 8},
        {"runs", COLUMN_NUMBER, 6}, {"min", COLUMN_TIME, 12},      {"median", COLUMN_TIME, 12},
        {"max", COLUMN_TIME, 12},   {"mean", COLUMN_TIME, 12},     {"range", COLUMN_TIME, 12},
        {"cv", COLUMN_NUMBER, 12},
    };
    const struct lab *lab = cube->lab;
    uint64_t runs = cube->repeats->runs;
    lab->table(lab->self, "times", columns, FIELD_COUNT_OF(columns));
    for (size_t g = 0; g < cube->groups; g++)
        for (size_t k = 0; k < cube->recorders; k++)
            for (size_t f = 0; f < cube->figures; f++) {
                char *name = figure_name(lab->plan, f);
                spread_row(lab, group_name(cube, g), lab->plan->recorders[k].name, name,
                           spread_of(runs_of(cube, g, k, f), runs));
                free(name);
            }
    for (size_t i = 4; i < 9; i++)
        columns[i].kind = COLUMN_NUMBER;
    lab->table(lab->self, "counts", columns, FIELD_COUNT_OF(columns));
    for (size_t g = 0; g < cube->groups; g++)
        for (size_t k = 0; k < cube->recorders; k++) {
            const char *recorder = lab->plan->recorders[k].name;
            spread_row(lab, group_name(cube, g), recorder, "n",
                       spread_of(cube->counts + row_of(cube, g, k), runs));
            spread_row(lab, group_name(cube, g), recorder, "achieved",
                       spread_of(cube->achieved + row_of(cube, g, k), runs));
        }
}

/* Two groups of one recorder: do the runs of one all lie beyond those of the other? */
static void compare(const struct cube *cube, size_t group, size_t recorder, size_t figure)
{
    const struct lab *lab = cube->lab;
    const double *a = runs_of(cube, group, recorder, figure);
    const double *b = runs_of(cube, group + 1, recorder, figure);
    uint64_t runs = cube->repeats->runs;
    struct spread sa = spread_of(a, runs), sb = spread_of(b, runs);
    size_t inverted = 0;
    for (uint64_t i = 0; i < runs; i++)
        for (uint64_t k = 0; k < runs; k++)
            inverted += (sa.median < sb.median) ? b[k] < a[i] : b[k] > a[i];
    char *figure_text = figure_name(lab->plan, figure);
    char *name = must_format("%s, %s: %s against %s", lab->plan->recorders[recorder].name,
                             figure_text, group_name(cube, group), group_name(cube, group + 1));
    char *low_a = time_text(sa.min), *high_a = time_text(sa.max);
    char *low_b = time_text(sb.min), *high_b = time_text(sb.max);
    bool apart = sa.max < sb.min || sb.max < sa.min;
    bool judged = sa.count >= RUNS_FOR_A_VERDICT && sb.count >= RUNS_FOR_A_VERDICT;
    lab_find(lab, name,
             !judged ? "no verdict"
             : apart ? "apart"
                     : "overlap",
             "%s to %s against %s to %s, n = %zu each%s; %zu of %llu pairs of runs say the "
             "opposite of the medians",
             low_a, high_a, low_b, high_b, sa.count,
             judged ? "" : ", too few to tell a difference from the spread of runs", inverted,
             (unsigned long long)(runs * runs));
    free(figure_text);
    free(name);
    free(low_a);
    free(high_a);
    free(low_b);
    free(high_b);
}

/* Which figure of a recorder strays most from run to run. */
static void noisiest(const struct cube *cube, size_t group, size_t recorder)
{
    const struct lab *lab = cube->lab;
    double most = -1.0;
    size_t which = 0;
    for (size_t f = 0; f < cube->figures; f++) {
        double cv = spread_of(runs_of(cube, group, recorder, f), cube->repeats->runs).cv;
        if (!isnan(cv) && cv > most) {
            most = cv;
            which = f;
        }
    }
    char *figure = figure_name(lab->plan, which);
    char *name = must_format("%s, %s: noisiest figure", lab->plan->recorders[recorder].name,
                             group_name(cube, group));
    if (cube->repeats->runs < RUNS_FOR_A_VERDICT)
        lab_find(lab, name, "no verdict", "n = %llu: a range, and no more",
                 (unsigned long long)cube->repeats->runs);
    else if (most <= 0.0)
        lab_find(lab, name, "none", "every run gives the same figures");
    else
        lab_find(lab, name, figure, "its coefficient of variation from run to run is %.4g", most);
    free(figure);
    free(name);
}

static void tell(const struct cube *cube, const struct quarantine *gates)
{
    tables(cube);
    for (size_t g = 0; g < cube->groups; g++)
        for (size_t k = 0; k < cube->recorders; k++)
            noisiest(cube, g, k);
    for (size_t g = 0; g + 1 < cube->groups; g++)
        for (size_t k = 0; k < cube->recorders; k++)
            for (size_t f = PERCENTILES; f < cube->figures; f++)
                compare(cube, g, k, f);
    quarantine_tell(gates, cube->lab);
    lab_find(cube->lab, "n counts", "independent runs",
             "each run has streams of its own; a further run of the same seed would repeat it");
}

static void run(const void *params, const struct lab *lab)
{
    const struct repeats *r = params;
    struct cube cube = {r,
                        lab,
                        r->values.count > 0 ? r->values.count : 1,
                        lab->plan->recorder_count,
                        PERCENTILES + lab->plan->report.percentile_count,
                        NULL,
                        NULL,
                        NULL};
    size_t rows = cube.groups * cube.recorders * r->runs;
    cube.figures_ns = must_alloc(rows * cube.figures, sizeof(double));
    cube.counts = must_alloc(rows, sizeof(double));
    cube.achieved = must_alloc(rows, sizeof(double));
    char *path = path_text(&r->vary);
    struct quarantine gates = {0};
    lab->knobs(lab->self, (struct knob[]){{"seed", "/run/seed", false}, {path, path, true}}, 2);
    bool good = true;
    for (size_t g = 0; g < cube.groups && good; g++)
        good = run_group(&cube, g, &gates);
    if (good)
        tell(&cube, &gates);
    quarantine_free(&gates);
    free(path);
    free(cube.figures_ns);
    free(cube.counts);
    free(cube.achieved);
}

const struct experiment_type experiment_repeats = {
    .is = {"repeats", "the same run with other seeds: min, median, max and how far they stray",
           fields, FIELD_COUNT_OF(fields), sizeof(struct repeats), refuses},
    .run = run,
};
