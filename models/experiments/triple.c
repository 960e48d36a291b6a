/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/experiments/rungs.h"

struct triple {
    struct value_list fractions, closed, open;
};

static const struct field fields[] = {
    {"fractions", FIELD_VALUES, offsetof(struct triple, fractions),
     .says = "the open rate as fractions of the measured throughput of the closed loop; by default "
             "the rate that is there"},
    {"closed", FIELD_VALUES, offsetof(struct triple, closed),
     .says = "the load that waits for answers, closed or paced; by default the first"},
    {"open", FIELD_VALUES, offsetof(struct triple, open),
     .says = "the load that does not; by default the first that is open"},
};

static const char *refuses(const void *params)
{
    const struct value_list *fractions = &((const struct triple *)params)->fractions;
    for (size_t i = 0; i < fractions->count; i++) {
        struct decimal d;
        if (!decimal_parse(fractions->texts[i], &d) || d.unit[0] != '\0' || d.digits == 0)
            return "fractions are decimals above 0 and below 10^18, of at most 18 digits";
    }
    return NULL;
}

/* The three recorders and the loads under them. */
struct three {
    size_t closed, open;                      /* loads */
    size_t from_closed, from_open, corrected; /* recorders; the last may be NO_INDEX */
};

static size_t first_of(const struct plan *plan, const char *kind)
{
    for (size_t i = 0; i < plan->load_count; i++)
        if (strcmp(plan->loads[i].kind.type->name, kind) == 0)
            return i;
    return NO_INDEX;
}

/* The load that is named waits for answers; refused where it does not. */
static size_t waiting_load(const struct triple *triple, const struct lab *lab)
{
    size_t load = lab_load(lab, &triple->closed, ROLE_ANY);
    if (load == NO_INDEX)
        return NO_INDEX;
    const struct load_plan *plan = &lab->plan->loads[load];
    const char *kind = plan->kind.type->name;
    if (strcmp(kind, "closed") == 0 || strcmp(kind, "paced") == 0)
        return load;
    lab_refuse(lab, "load \"%s\" is %s, not closed or paced", plan->name,
               strcmp(kind, "open") == 0 ? "open" : "one of sessions");
    return NO_INDEX;
}

static bool find_three(const struct triple *triple, const struct lab *lab, struct three *out)
{
    out->closed = first_of(lab->plan, "closed");
    if (out->closed == NO_INDEX)
        out->closed = first_of(lab->plan, "paced");
    if (triple->closed.count > 0)
        out->closed = waiting_load(triple, lab);
    else if (out->closed == NO_INDEX)
        lab_refuse(lab, "the scenario has no load that is closed or paced");
    out->open = triple->open.count > 0 ? NO_INDEX : first_of(lab->plan, "open");
    if (out->open == NO_INDEX)
        out->open = lab_load(lab, &triple->open, ROLE_RATE);
    if (out->closed == NO_INDEX || out->open == NO_INDEX)
        return false;
    out->from_closed = lab_plain_recorder(lab, out->closed);
    out->from_open = lab_plain_recorder(lab, out->open);
    out->corrected = lab_recorder(lab, out->closed, true);
    return out->from_closed != NO_INDEX && out->from_open != NO_INDEX;
}

static double figure_of(const struct seen *seen, size_t recorder, size_t figure)
{
    if (recorder == NO_INDEX)
        return NAN;
    const struct seen_recorder *r = &seen->recorders[recorder];
    return figure == 0 ? r->mean_ns : r->p_ns[figure - 1];
}

static void rows(const struct lab *lab, const struct three *three, const char *rate,
                 const struct seen *seen)
{
    for (size_t f = 0; f <= lab->plan->report.percentile_count; f++) {
        char *name = f == 0 ? must_copy("mean") : percentile_name(lab->plan, f - 1);
        double closed = figure_of(seen, three->from_closed, f);
        double open = figure_of(seen, three->from_open, f);
        double corrected = figure_of(seen, three->corrected, f);
        lab->row(lab->self, (struct cell_value[]){{.text = rate},
                                                  {.text = name},
                                                  {.number = closed},
                                                  {.number = open},
                                                  {.number = corrected},
                                                  {.number = open / closed},
                                                  {.number = open / corrected}});
        free(name);
    }
}

static void tell_loads(const struct lab *lab, const struct three *three, const char *fraction,
                       const struct seen *seen)
{
    const struct seen_load *closed = &seen->loads[three->closed];
    const struct seen_load *open = &seen->loads[three->open];
    const char *gates = seen->recorders[three->from_open].gates;
    char *offered = number_text(open->offered_per_s), *achieved = number_text(open->achieved_per_s);
    char *throughput = number_text(closed->achieved_per_s);
    char *paced = number_text(closed->offered_per_s);
    char *value = must_format("%s of %s", offered, throughput);
    lab_find(lab, "open offered of closed achieved", value,
             "per second%s%s; the open load achieved %s; the other %s%s; gates that fail on the "
             "open one: %s",
             fraction != NULL ? ", fraction " : "", fraction != NULL ? fraction : "", achieved,
             paced[0] != '\0' ? "offered " : "offers no rate that it could be held to", paced,
             gates[0] != '\0' ? gates : "none");
    if (isnan(closed->offered_per_s) && open->offered_per_s >= closed->achieved_per_s)
        lab_find(lab, "at saturation", offered,
                 "per second is all that the closed loop got out of the server, so that nothing is "
                 "left to work off a backlog with: these percentiles are set by the length of the "
                 "run");
    free(value);
    free(offered);
    free(achieved);
    free(throughput);
    free(paced);
}

/* One point of the three: its rate (NULL: as it stands), and what it showed. */
struct shown {
    char *rate;
    const char *fraction;
    struct seen seen;
};

static void tell(const struct lab *lab, const struct three *three, const struct shown *points,
                 size_t count)
{
    static const struct column columns[] = {
        {"open rate", COLUMN_VALUE, 10},
        {"figure", COLUMN_TEXT, 8},
        {"closed", COLUMN_TIME, 12},
        {"open", COLUMN_TIME, 12},
        {"corrected", COLUMN_TIME, 12},
        {"open / closed", COLUMN_NUMBER, 0},
        {"open / corrected", COLUMN_NUMBER, 0},
    };
    lab->table(lab->self, "three", columns, FIELD_COUNT_OF(columns));
    for (size_t i = 0; i < count; i++)
        rows(lab, three, points[i].rate, &points[i].seen);
    for (size_t i = 0; i < count; i++)
        tell_loads(lab, three, points[i].fraction, &points[i].seen);
    char *differ = lab->differences(lab->self, three->closed, three->open);
    lab_find(lab, "fields in which the loads differ", differ,
             "so that the figures compare two drivers and not one");
    free(differ);
    if (three->corrected == NO_INDEX)
        lab_find(lab, "corrected", "none", "no recorder with a correction watches the closed load");
}

static bool run_one(const struct lab *lab, struct shown *point)
{
    const char *value = point->rate;
    return lab->point(lab->self, value == NULL ? "as it stands" : "fractions", NO_INDEX, &value,
                      &point->seen);
}

/* The scenario as it stands, which shows what the closed loop gets, then the fractions of that. */
static void run_all(const struct triple *triple, const struct lab *lab, const struct three *three)
{
    const struct value_list *fractions = &triple->fractions;
    struct shown *points = must_alloc(1 + fractions->count, sizeof *points);
    bool good = run_one(lab, &points[0]);
    double throughput = good ? points[0].seen.loads[three->closed].achieved_per_s : NAN;
    if (good && fractions->count > 0 && !(throughput > 0.0)) {
        lab_refuse(lab, "the closed load achieved nothing that a rate could be a fraction of");
        good = false;
    }
    char **rates = good ? fraction_rates(fractions, decimal_of_double(throughput), false) : NULL;
    for (size_t i = 0; rates != NULL && i < fractions->count; i++) {
        points[1 + i].rate = rates[i];
        points[1 + i].fraction = fractions->texts[i];
        good = good && run_one(lab, &points[1 + i]);
    }
    if (good && fractions->count > 0)
        tell(lab, three, points + 1, fractions->count);
    else if (good)
        tell(lab, three, points, 1);
    for (size_t i = 0; i <= fractions->count; i++) {
        free(points[i].rate);
        seen_free(&points[i].seen);
    }
    free(rates);
    free(points);
}

static void run(const void *params, const struct lab *lab)
{
    const struct triple *triple = params;
    struct three three;
    if (!find_three(triple, lab, &three))
        return;
    char *path = load_path(lab->plan, three.open, "rate");
    lab->knobs(lab->self, &(struct knob){"rate", path, false}, 1);
    run_all(triple, lab, &three);
    free(path);
}

const struct experiment_type experiment_triple = {
    .is = {"triple", "one server under a closed load, an open one and a correction of the first",
           fields, FIELD_COUNT_OF(fields), sizeof(struct triple), refuses},
    .run = run,
};
