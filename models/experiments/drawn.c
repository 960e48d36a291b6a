/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/distributions/distribution.h"
#include "models/experiments/experiment.h"
#include "models/experiments/spread.h"
#include "models/registry.h"

/* The streams of this draw are none that a run has: those are of runs 0 and 1. */
#define DRAWN_RUN UINT32_MAX

struct drawn {
    struct value_list path, values;
    struct choice from;
    uint64_t runs, again, times;
    struct value_list load;
};

static const struct field fields[] = {
    {"path", FIELD_VALUES, offsetof(struct drawn, path), .required = true,
     .says = "the setting that is drawn once a run, as \"/server/service/constant\""},
    {"values", FIELD_VALUES, offsetof(struct drawn, values),
     .says = "what it is drawn from, each alike"},
    {"from", FIELD_VARIANT, offsetof(struct drawn, from), .set = &set_distributions,
     .says = "or the distribution of durations that it is drawn from"},
    {"runs", FIELD_COUNT, offsetof(struct drawn, runs), .min = 2, .max = 10000, .absent = "10",
     .says = "how many runs, each with a draw of its own"},
    {"again", FIELD_COUNT, offsetof(struct drawn, again), .min = 2, .max = 10000, .absent = "4",
     .says = "figures taken in each run, one after another under the same draw"},
    {"times", FIELD_COUNT, offsetof(struct drawn, times), .min = 2, .max = 1000000, .absent = "10",
     .says = "runs so many times longer are weighed against so many runs"},
    FIELD_OF_LOAD(drawn),
};

static const char *refuses(const void *params)
{
    const struct drawn *d = params;
    if ((d->values.count > 0) == (d->from.type != NULL))
        return "give either values or from";
    if (d->path.count != 1 || strncmp(d->path.texts[0], "\"/", 2) != 0)
        return "path is one path, as \"/server/service/constant\"";
    return NULL;
}

/* The value of a run: an index or a duration, from a stream of the run's own. */
static char *draw(const struct drawn *d, const struct plan *plan, uint64_t run)
{
    struct stream stream = stream_open(plan->run.seed, DRAWN_RUN, (uint32_t)run, PURPOSE_START);
    if (d->values.count > 0)
        return must_copy(d->values.texts[below(stream_word(stream, 0), d->values.count)]);
    ns_t ns;
    char text[32];
    distribution(d->from)->draw(d->from.params, stream, 0, &ns, 1);
    duration_format(ns, text);
    return must_format("\"%s\"", text);
}

/* All figures of one recorder, by percentile (the mean first), run and place in the run. */
struct figures {
    size_t count;
    double *ns;
};

static bool run_all(const struct drawn *d, const struct lab *lab, size_t load, size_t recorder,
                    struct figures *out)
{
    const struct plan *plan = lab->plan;
    size_t each = d->runs * d->again;
    bool good = true;
    const char **values = must_alloc(each, 2 * sizeof *values);
    char **owned = must_alloc(each, 2 * sizeof *owned);
    for (uint64_t i = 0; i < each; i++) {
        values[2 * i] = owned[2 * i] = draw(d, plan, i / d->again);
        values[2 * i + 1] = owned[2 * i + 1] = seed_text(plan, i);
    }
    lab_ahead(lab, values, each);
    for (uint64_t i = 0; i < each && good; i++) {
        char *group = must_format("run %llu", (unsigned long long)(i / d->again + 1));
        struct seen seen;
        good = lab->point(lab->self, group, load, values + 2 * i, &seen);
        if (good)
            for (size_t f = 0; f < out->count; f++)
                out->ns[f * each + i] = f == 0 ? seen.recorders[recorder].mean_ns
                                               : seen.recorders[recorder].p_ns[f - 1];
        seen_free(&seen);
        free(group);
    }
    for (size_t i = 0; i < 2 * each; i++)
        free(owned[i]);
    free(owned);
    free(values);
    return good;
}

static void components_row(const struct lab *lab, const char *name, struct components c)
{
    lab->row(lab->self, (struct cell_value[]){{.text = name},
                                              {.number = c.mean},
                                              {.number = sqrt(c.between)},
                                              {.number = sqrt(c.within)},
                                              {.number = c.single},
                                              {.number = c.longer},
                                              {.number = c.restarts},
                                              {.number = c.within_low},
                                              {.number = c.within_high},
                                              {.number = c.between_low},
                                              {.number = c.between_high}});
}

static void verdict(const struct drawn *d, const struct lab *lab, const char *name,
                    struct components c)
{
    char *single = time_text(c.single), *longer = time_text(c.longer);
    char *restarts = time_text(c.restarts);
    bool helps = c.within >= c.between;
    lab_find(lab, name,
             isnan(c.single) ? "unknown"
             : helps         ? "longer helps"
                             : "restart",
             "%s: one run is off by %s; one %llu times longer by %s, and %llu runs by %s",
             helps ? "most of the variance lies within a run"
                   : "most of the variance lies between "
                     "runs, where no length reaches it",
             single, (unsigned long long)d->times, longer, (unsigned long long)d->times, restarts);
    free(single);
    free(longer);
    free(restarts);
}

/* The longest of all grows with their number: no length settles it, so that neither helps. */
static bool is_maximum(const struct plan *plan, size_t figure)
{
    return figure > 0 &&
           plan->report.percentiles[figure - 1].p.num == plan->report.percentiles[figure - 1].p.den;
}

static void tell(const struct drawn *d, const struct lab *lab, const struct figures *figures)
{
    static const struct column columns[] = {
        {"figure", COLUMN_TEXT, 8},      {"mean", COLUMN_TIME, 12},
        {"sd between", COLUMN_TIME, 12}, {"sd within", COLUMN_TIME, 12},
        {"one run", COLUMN_TIME, 12},    {"longer", COLUMN_TIME, 12},
        {"restarts", COLUMN_TIME, 12},   {"run 1 low", COLUMN_TIME, 12},
        {"run 1 high", COLUMN_TIME, 12}, {"runs low", COLUMN_TIME, 12},
        {"runs high", COLUMN_TIME, 12},
    };
    size_t each = d->runs * d->again;
    lab->table(lab->self, "components", columns, FIELD_COUNT_OF(columns));
    for (size_t f = 0; f < figures->count; f++) {
        char *name = f == 0 ? must_copy("mean") : percentile_name(lab->plan, f - 1);
        components_row(lab, name,
                       components_of(figures->ns + f * each, d->runs, d->again, (double)d->times));
        free(name);
    }
    for (size_t f = 0; f < figures->count; f++) {
        char *name = f == 0 ? must_copy("mean") : percentile_name(lab->plan, f - 1);
        if (is_maximum(lab->plan, f))
            lab_find(lab, name, "no verdict",
                     "a maximum grows with the number of requests and settles at no length");
        else
            verdict(d, lab, name,
                    components_of(figures->ns + f * each, d->runs, d->again, (double)d->times));
        free(name);
    }
    lab_find(lab, "n counts", "runs",
             "%llu runs that each drew for themselves; the %llu figures within one share its draw, "
             "and their interval (run 1 low to high) is only a part of the uncertainty",
             (unsigned long long)d->runs, (unsigned long long)d->again);
}

static void run(const void *params, const struct lab *lab)
{
    const struct drawn *d = params;
    size_t load = 0, recorder = 0;
    if (d->load.count > 0) {
        load = lab_load(lab, &d->load, ROLE_ANY);
        recorder = load == NO_INDEX ? NO_INDEX : lab_plain_recorder(lab, load);
        if (recorder == NO_INDEX)
            return;
    }
    load = lab->plan->recorders[recorder].load;
    struct figures figures = {1 + lab->plan->report.percentile_count, NULL};
    figures.ns = must_alloc(figures.count * d->runs * d->again, sizeof(double));
    char *path = path_text(&d->path);
    lab->knobs(lab->self, (struct knob[]){{path, path, true}, {"seed", "/run/seed", false}}, 2);
    if (run_all(d, lab, load, recorder, &figures))
        tell(d, lab, &figures);
    free(path);
    free(figures.ns);
}

const struct experiment_type experiment_drawn = {
    .is = {"drawn", "a setting drawn once a run: what longer runs cannot average out", fields,
           FIELD_COUNT_OF(fields), sizeof(struct drawn), refuses},
    .run = run,
};
