/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "models/experiments/decimal.h"
#include "models/experiments/experiment.h"

struct durations_series {
    struct value_list lengths;
    struct ratio percentile;
    struct value_list load;
};

static const struct field fields[] = {
    {"lengths", FIELD_VALUES, offsetof(struct durations_series, lengths), .required = true,
     .says = "how long each run is, rising: durations, or numbers of requests"},
    FIELD_OF_PERCENTILE(durations_series),
    FIELD_OF_LOAD(durations_series),
};

/* In ns, or in requests. */
static double length_of(const char *text)
{
    struct decimal d;
    ns_t ns;
    if (text[0] != '"')
        return decimal_parse(text, &d) ? decimal_double(d) : NAN;
    size_t end = 1;
    while (text[end] != '\0' && text[end] != '"')
        end++;
    return duration_parse(text + 1, end - 1, &ns) == DURATION_OK ? (double)ns : NAN;
}

static const char *refuses(const void *params)
{
    const struct value_list *lengths = &((const struct durations_series *)params)->lengths;
    if (lengths->count < 2)
        return "two lengths at least show whether anything grows";
    for (size_t i = 0; i < lengths->count; i++) {
        double length = length_of(lengths->texts[i]);
        if (!(length > 0.0))
            return "lengths are durations or numbers of requests, above 0";
        if ((lengths->texts[i][0] == '"') != (lengths->texts[0][0] == '"'))
            return "lengths are either all durations or all numbers of requests";
        if (i > 0 && length <= length_of(lengths->texts[i - 1]))
            return "each length is above the one before";
    }
    return NULL;
}

/* The figures of one percentile (or of the mean) at all lengths. */
struct series {
    const char *name;
    double *ns;
};

static void tell(const struct lab *lab, const struct value_list *lengths, struct series series)
{
    size_t last = lengths->count - 1;
    double longer = length_of(lengths->texts[last]) / length_of(lengths->texts[last - 1]);
    double larger = series.ns[last] / series.ns[last - 1];
    char *ratio = must_format("%.4g", larger);
    if (isnan(larger))
        lab_find(lab, series.name, "unknown", "at the last length or the one before");
    /* In a queue below capacity it settles, above it grows as the run does, and just at capacity
       as the root of it: the root parts the two. */
    else if (larger > sqrt(longer))
        lab_find(lab, series.name, "past capacity",
                 "it grows with the run: %s times as large in the last run, which is %.4g times as "
                 "long; more than the root, %.4g, says that there is no such figure",
                 ratio, longer, sqrt(longer));
    else
        lab_find(lab, series.name, "settles",
                 "%s times as large in the last run, which is %.4g times as long; past capacity it "
                 "would grow by more than the root, %.4g",
                 ratio, longer, sqrt(longer));
    free(ratio);
}

static void table(const struct lab *lab, const struct value_list *lengths, struct series a,
                  struct series b)
{
    const struct column columns[] = {
        {"length", COLUMN_VALUE, 10},      {a.name, COLUMN_TIME, 12},
        {"p of last", COLUMN_NUMBER, 0},   {b.name, COLUMN_TIME, 12},
        {"max of last", COLUMN_NUMBER, 0},
    };
    lab->table(lab->self, "growth", columns, FIELD_COUNT_OF(columns));
    for (size_t i = 0; i < lengths->count; i++)
        lab->row(lab->self, (struct cell_value[]){{.text = lengths->texts[i]},
                                                  {.number = a.ns[i]},
                                                  {.number = i > 0 ? a.ns[i] / a.ns[i - 1] : NAN},
                                                  {.number = b.ns[i]},
                                                  {.number = i > 0 ? b.ns[i] / b.ns[i - 1] : NAN}});
}

static void run(const void *params, const struct lab *lab)
{
    const struct durations_series *d = params;
    size_t load = lab_load(lab, &d->load, ROLE_RATE);
    size_t recorder = load == NO_INDEX ? NO_INDEX : lab_plain_recorder(lab, load);
    size_t percentile = lab_percentile(lab, d->percentile);
    if (recorder == NO_INDEX || percentile == NO_INDEX)
        return;
    bool time = d->lengths.texts[0][0] == '"';
    if (time ? lab->plan->run.requests != 0 : lab->plan->run.duration_ns != 0) {
        lab_refuse(lab, time ? "the run ends after so many requests: give numbers of requests"
                             : "the run ends after so much time: give durations");
        return;
    }
    char *name = percentile_name(lab->plan, percentile);
    struct series p = {name, must_alloc(d->lengths.count, sizeof(double))};
    struct series max = {"max", must_alloc(d->lengths.count, sizeof(double))};
    lab->knobs(lab->self, &(struct knob){"length", time ? "/run/duration" : "/run/requests", false},
               1);
    bool good = true;
    lab_ahead(lab, (const char *const *)d->lengths.texts, d->lengths.count);
    for (size_t i = 0; i < d->lengths.count && good; i++) {
        const char *value = d->lengths.texts[i];
        struct seen seen;
        good = lab->point(lab->self, "lengths", load, &value, &seen);
        if (good) {
            p.ns[i] = seen.recorders[recorder].p_ns[percentile];
            max.ns[i] = seen.recorders[recorder].max_ns;
        }
        seen_free(&seen);
    }
    if (good) {
        table(lab, &d->lengths, p, max);
        tell(lab, &d->lengths, p);
    }
    free(name);
    free(p.ns);
    free(max.ns);
}

const struct experiment_type experiment_durations = {
    .is = {"durations", "the same run longer and longer: does a figure settle or grow with it",
           fields, FIELD_COUNT_OF(fields), sizeof(struct durations_series), refuses},
    .run = run,
};
