/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/experiments/decimal.h"
#include "models/experiments/quarantine.h"
#include "models/experiments/spread.h"

#define PAIRS_FOR_A_VERDICT 3

enum mode { MODE_PAIRED, MODE_ISOLATED };
static const char *const mode_words[] = {
    [MODE_PAIRED] = "paired", [MODE_ISOLATED] = "isolated", NULL};

struct paired {
    struct value_list vary, values;
    uint64_t pairs;
    unsigned mode;
    struct value_list rates;
    struct value_list drift, start, step;
    struct ratio percentile;
    struct value_list load;
};

static const struct field fields[] = {
    {"vary", FIELD_VALUES, offsetof(struct paired, vary), .required = true,
     .says = "the path in which A and B differ"},
    {"values", FIELD_VALUES, offsetof(struct paired, values), .required = true,
     .says = "its two values: A and B"},
    {"pairs", FIELD_COUNT, offsetof(struct paired, pairs), .absent = "3", .min = 1, .max = 10000,
     .says = "lifetimes, each with both orders: A B, then B A"},
    {"mode", FIELD_WORD, offsetof(struct paired, mode), .absent = "\"paired\"", .words = mode_words,
     .says = "paired: all runs of a lifetime share its streams and its drift; isolated: each run "
             "is started anew"},
    {"rates", FIELD_VALUES, offsetof(struct paired, rates),
     .says = "rates per second that A and B are each driven at"},
    {"drift", FIELD_VALUES, offsetof(struct paired, drift),
     .says = "a path that drifts over a lifetime"},
    {"start", FIELD_VALUES, offsetof(struct paired, start), .says = "its value in the first run"},
    {"step", FIELD_VALUES, offsetof(struct paired, step),
     .says = "by how much each further run has more"},
    FIELD_OF_PERCENTILE(paired),
    FIELD_OF_LOAD(paired),
};

static bool is_path(const struct value_list *list)
{
    return list->count == 1 && strncmp(list->texts[0], "\"/", 2) == 0;
}

static const char *refuses(const void *params)
{
    const struct paired *p = params;
    struct decimal start, step;
    if (!is_path(&p->vary) || p->values.count != 2)
        return "vary is one path and values are two";
    for (size_t i = 0; i < p->rates.count; i++)
        if (!decimal_parse(p->rates.texts[i], &start) || start.unit[0] != '\0' || start.digits == 0)
            return "rates are numbers above 0";
    if (p->drift.count == 0 && p->start.count == 0 && p->step.count == 0)
        return NULL;
    if (!is_path(&p->drift) || p->start.count != 1 || p->step.count != 1 ||
        !decimal_parse(p->start.texts[0], &start) || !decimal_parse(p->step.texts[0], &step) ||
        !decimal_same_unit(start, step))
        return "drift is one path, with start and step in the same unit";
    return NULL;
}

enum { LEAVES = 4 }; /* of a pair at one rate: A B, B A */
static const size_t value_of_leaf[LEAVES] = {0, 1, 1, 0};

struct trial {
    const struct paired *paired;
    const struct lab *lab;
    size_t load, recorder, percentile, rates;
    double *p_ns, *mean_ns, *achieved; /* by pair, rate, leaf */
    struct quarantine groups;
};

static size_t place(const struct trial *t, uint64_t pair, size_t rate, size_t leaf)
{
    return (pair * t->rates + rate) * LEAVES + leaf;
}

static char *drifted(const struct paired *p, uint64_t position)
{
    struct decimal start, step;
    decimal_parse(p->start.texts[0], &start);
    decimal_parse(p->step.texts[0], &step);
    return decimal_text(decimal_steps(start, position, step));
}

static bool run_leaf(struct trial *t, uint64_t pair, size_t rate, size_t leaf)
{
    const struct paired *p = t->paired;
    bool isolated = p->mode == MODE_ISOLATED;
    uint64_t position = leaf * t->rates + rate;
    uint64_t further = isolated ? pair * t->rates * LEAVES + position : pair;
    char *seed = seed_text(t->lab->plan, further);
    char *drift = p->drift.count > 0 ? drifted(p, isolated ? 0 : position) : NULL;
    char *group = must_format("pair %llu", (unsigned long long)pair + 1);
    const char *values[] = {p->values.texts[value_of_leaf[leaf]], seed,
                            p->rates.count > 0 ? p->rates.texts[rate] : NULL, drift};
    struct seen seen;
    bool good = t->lab->point(t->lab->self, group, t->load, values, &seen);
    if (good) {
        size_t at = place(t, pair, rate, leaf);
        t->p_ns[at] = seen.recorders[t->recorder].p_ns[t->percentile];
        t->mean_ns[at] = seen.recorders[t->recorder].mean_ns;
        t->achieved[at] = seen.loads[t->load].achieved_per_s;
        quarantine_add(&t->groups, group, &seen, t->recorder);
    }
    seen_free(&seen);
    free(seed);
    free(drift);
    free(group);
    return good;
}

/* B less A in the two orders of a pair. */
static void differences(const struct trial *t, const double *of, uint64_t pair, size_t rate,
                        double out[2])
{
    const double *leaf = of + place(t, pair, rate, 0);
    out[0] = leaf[1] - leaf[0];
    out[1] = leaf[2] - leaf[3];
}

static void table(const struct trial *t)
{
    static const struct column columns[] = {
        {"pair", COLUMN_NUMBER, 6},        {"rate", COLUMN_VALUE, 10},
        {"B - A in A B", COLUMN_TIME, 14}, {"B - A in B A", COLUMN_TIME, 14},
        {"mean", COLUMN_TIME, 14},         {"stands", COLUMN_TEXT, 8},
    };
    t->lab->table(t->lab->self, "differences", columns, FIELD_COUNT_OF(columns));
    for (uint64_t pair = 0; pair < t->paired->pairs; pair++)
        for (size_t rate = 0; rate < t->rates; rate++) {
            double d[2];
            char *group = must_format("pair %llu", (unsigned long long)pair + 1);
            differences(t, t->p_ns, pair, rate, d);
            t->lab->row(
                t->lab->self,
                (struct cell_value[]){
                    {.number = (double)pair + 1.0},
                    {.text = t->paired->rates.count > 0 ? t->paired->rates.texts[rate] : NULL},
                    {.number = d[0]},
                    {.number = d[1]},
                    {.number = (d[0] + d[1]) / 2.0},
                    {.text = quarantine_stands(&t->groups, group) ? "yes" : "no"}});
            free(group);
        }
}

/* The difference at one rate over the pairs that stand. */
static void tell_rate(const struct trial *t, size_t rate)
{
    double *means = must_alloc(t->paired->pairs, sizeof *means);
    for (uint64_t pair = 0; pair < t->paired->pairs; pair++) {
        char *group = must_format("pair %llu", (unsigned long long)pair + 1);
        double d[2];
        differences(t, t->p_ns, pair, rate, d);
        means[pair] = quarantine_stands(&t->groups, group) ? (d[0] + d[1]) / 2.0 : NAN;
        free(group);
    }
    struct spread s = spread_of(means, t->paired->pairs);
    char *name =
        must_format("B - A of p%s%s%s", t->lab->plan->report.percentiles[t->percentile].text,
                    t->paired->rates.count > 0 ? " at " : "",
                    t->paired->rates.count > 0 ? t->paired->rates.texts[rate] : "");
    char *mean = time_text(s.mean), *low = time_text(s.min), *high = time_text(s.max);
    bool judged = s.count >= PAIRS_FOR_A_VERDICT;
    lab_find(t->lab, name, mean, "%s: from %s to %s over n = %zu pairs that stand; %s",
             mode_words[t->paired->mode], low, high, s.count,
             !judged         ? "too few for a verdict"
             : s.min > 0.0   ? "B is slower in every one"
             : s.max < 0.0   ? "B is faster in every one"
             : s.range > 0.0 ? "their signs differ, or it is nothing"
                             : "no difference");
    free(name);
    free(mean);
    free(low);
    free(high);
    free(means);
}

/* In a closed loop throughput and latency are one number: a gain in both is one gain. */
static void tell_one_number(const struct trial *t)
{
    if (strcmp(t->lab->plan->loads[t->load].kind.type->name, "closed") != 0)
        return;
    const double *mean = t->mean_ns, *achieved = t->achieved;
    bool up = achieved[1] > achieved[0] && mean[1] < mean[0];
    bool down = achieved[1] < achieved[0] && mean[1] > mean[0];
    if (up || down)
        lab_find(t->lab, "one number", up ? "B" : "A",
                 "at equal clients its throughput is higher and its latency lower: that is one "
                 "gain and not two, for the mean latency is clients / throughput (mean times "
                 "throughput %.7g and %.7g)",
                 mean[0] * achieved[0] / 1e9, mean[1] * achieved[1] / 1e9);
}

static void tell(const struct trial *t)
{
    table(t);
    for (size_t rate = 0; rate < t->rates; rate++)
        tell_rate(t, rate);
    tell_one_number(t);
    quarantine_tell(&t->groups, t->lab);
    lab_find(t->lab, "mode", mode_words[t->paired->mode],
             t->paired->mode == MODE_PAIRED
                 ? "all runs of a pair share its streams: the order A B, B A cancels what drifts "
                   "evenly, and the two orders are not independent repeats"
                 : "each run has streams of its own and no lifetime to share");
}

static bool prepare(struct trial *t)
{
    const struct paired *p = t->paired;
    t->load = lab_load(t->lab, &p->load, p->rates.count > 0 ? ROLE_RATE : ROLE_ANY);
    t->recorder = t->load == NO_INDEX ? NO_INDEX : lab_plain_recorder(t->lab, t->load);
    t->percentile = lab_percentile(t->lab, p->percentile);
    t->rates = p->rates.count > 0 ? p->rates.count : 1;
    return t->recorder != NO_INDEX && t->percentile != NO_INDEX;
}

static void run(const void *params, const struct lab *lab)
{
    struct trial t = {.paired = params, .lab = lab};
    if (!prepare(&t))
        return;
    size_t leaves = t.paired->pairs * t.rates * LEAVES;
    double *all = must_alloc(3 * leaves, sizeof *all);
    t.p_ns = all;
    t.mean_ns = all + leaves;
    t.achieved = all + 2 * leaves;
    char *vary = path_text(&t.paired->vary), *drift = path_text(&t.paired->drift);
    char *rate = t.paired->rates.count > 0 ? load_path(lab->plan, t.load, "rate") : NULL;
    lab->knobs(lab->self,
               (struct knob[]){{vary, vary, true},
                               {"seed", "/run/seed", false},
                               {rate != NULL ? "rate" : NULL, rate, false},
                               {drift, drift, true}},
               4);
    bool good = true;
    for (uint64_t pair = 0; pair < t.paired->pairs && good; pair++)
        for (size_t leaf = 0; leaf < LEAVES && good; leaf++)
            for (size_t i = 0; i < t.rates && good; i++)
                good = run_leaf(&t, pair, i, leaf);
    if (good)
        tell(&t);
    quarantine_free(&t.groups);
    free(vary);
    free(drift);
    free(rate);
    free(all);
}

const struct experiment_type experiment_paired = {
    .is = {"paired", "A against B in both orders, within one lifetime or each on its own", fields,
           FIELD_COUNT_OF(fields), sizeof(struct paired), refuses},
    .run = run,
};
