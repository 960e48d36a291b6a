/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "models/experiments/rungs.h"

struct capacity {
    struct value_list clients;
    struct ratio gain;
    uint64_t most;
    bool whole;
    struct value_list fractions, closed, open;
    struct ratio percentile;
};

static const struct field fields[] = {
    {"clients", FIELD_VALUES, offsetof(struct capacity, clients),
     .says = "the numbers of clients; by default 1, 2, 4 and so on until throughput gains too "
             "little"},
    {"gain", FIELD_RATIO, offsetof(struct capacity, gain), .max = 1, .absent = "0.05",
     .above_min = true,
     .says = "doubling ends when it gains less than this share; mean times throughput is taken to "
             "be the number of clients within it"},
    {"most", FIELD_COUNT, offsetof(struct capacity, most), .absent = "1024", .min = 1,
     .says = "the most clients that doubling goes to"},
    {"whole", FIELD_BOOL, offsetof(struct capacity, whole),
     .says = "the capacity in whole numbers, and the rates rounded down to them"
             " as integer division does"},
    {"fractions", FIELD_VALUES, offsetof(struct capacity, fractions),
     .says = "then open rates at these fractions of the capacity"},
    {"closed", FIELD_VALUES, offsetof(struct capacity, closed),
     .says = "the closed load; by default the first"},
    {"open", FIELD_VALUES, offsetof(struct capacity, open),
     .says = "the load of the open rates; by default the first that has one"},
    FIELD_OF_PERCENTILE(capacity),
};

static const char *refuses(const void *params)
{
    const struct capacity *c = params;
    struct decimal d;
    for (size_t i = 0; i < c->clients.count; i++)
        if (!decimal_parse(c->clients.texts[i], &d) || d.places != 0 || d.unit[0] != '\0' ||
            d.digits == 0)
            return "numbers of clients are whole, from 1 and below 10^18";
    for (size_t i = 0; i < c->fractions.count; i++)
        if (!decimal_parse(c->fractions.texts[i], &d) || d.unit[0] != '\0' || d.digits == 0)
            return "fractions are decimals above 0 and below 10^18, of at most 18 digits";
    return NULL;
}

/* One number of clients. */
struct step {
    double clients, achieved_per_s, mean_ns, p_ns;
};

struct climb {
    const struct capacity *capacity;
    const struct lab *lab;
    size_t load, recorder, percentile; /* the closed ones */
    struct step *steps;
    size_t count;
    size_t best; /* index of the highest throughput */
};

static bool step_up(struct climb *climb, const char *clients)
{
    const char *values[] = {clients, NULL};
    struct seen seen;
    struct decimal d;
    if (!climb->lab->point(climb->lab->self, "clients", climb->load, values, &seen))
        return false;
    decimal_parse(clients, &d);
    climb->steps = must_grow(climb->steps, climb->count + 1, sizeof *climb->steps);
    climb->steps[climb->count] =
        (struct step){decimal_double(d), seen.loads[climb->load].achieved_per_s,
                      seen.recorders[climb->recorder].mean_ns,
                      seen.recorders[climb->recorder].p_ns[climb->percentile]};
    if (!(climb->steps[climb->count].achieved_per_s <= climb->steps[climb->best].achieved_per_s))
        climb->best = climb->count;
    climb->count++;
    seen_free(&seen);
    return true;
}

static bool gains(const struct climb *climb)
{
    if (climb->count < 2)
        return true;
    const struct step *last = &climb->steps[climb->count - 1];
    return last[0].achieved_per_s >
           last[-1].achieved_per_s * (1.0 + ratio_double(climb->capacity->gain));
}

static bool climb_up(struct climb *climb)
{
    const struct value_list *list = &climb->capacity->clients;
    bool good = true;
    for (size_t i = 0; i < list->count && good; i++)
        good = step_up(climb, list->texts[i]);
    for (uint64_t n = 1; list->count == 0 && n <= climb->capacity->most && good && gains(climb);
         n *= 2) {
        char *text = must_format("%llu", (unsigned long long)n);
        good = step_up(climb, text);
        free(text);
    }
    return good;
}

/* The first point whose throughput is within `gain` of the highest: the server is busy from here
   on. */
static size_t busy_from(const struct climb *climb)
{
    double least =
        climb->steps[climb->best].achieved_per_s * (1.0 - ratio_double(climb->capacity->gain));
    size_t i = 0;
    while (climb->steps[i].achieved_per_s < least)
        i++;
    return i;
}

static double in_flight(const struct step *step)
{
    return step->mean_ns * step->achieved_per_s / 1e9;
}

static void table(const struct climb *climb)
{
    char *p = percentile_name(climb->lab->plan, climb->percentile);
    const struct column columns[] = {
        {"clients", COLUMN_NUMBER, 0},    {"achieved per s", COLUMN_NUMBER, 0},
        {"mean", COLUMN_TIME, 12},        {"mean x achieved", COLUMN_NUMBER, 0},
        {"of clients", COLUMN_NUMBER, 0}, {p, COLUMN_TIME, 0},
        {"of mean", COLUMN_NUMBER, 0},
    };
    climb->lab->table(climb->lab->self, "clients", columns, FIELD_COUNT_OF(columns));
    free(p);
    for (size_t i = 0; i < climb->count; i++) {
        const struct step *step = &climb->steps[i];
        climb->lab->row(climb->lab->self,
                        (struct cell_value[]){{.number = step->clients},
                                              {.number = step->achieved_per_s},
                                              {.number = step->mean_ns},
                                              {.number = in_flight(step)},
                                              {.number = in_flight(step) / step->clients},
                                              {.number = step->p_ns},
                                              {.number = step->p_ns / step->mean_ns}});
    }
}

static void tell_one_number(const struct climb *climb)
{
    double gain = ratio_double(climb->capacity->gain);
    size_t busy = busy_from(climb), off = 0;
    for (size_t i = busy; i < climb->count; i++)
        off += fabs(in_flight(&climb->steps[i]) / climb->steps[i].clients - 1.0) > gain;
    if (off == 0)
        lab_find(climb->lab, "latency is clients / throughput", "yes",
                 "from %.0f client%s on mean times throughput is the number of clients, within "
                 "%.4g: the two are one number, and rise or fall together; where a report shows "
                 "this, it is of a closed loop",
                 climb->steps[busy].clients, climb->steps[busy].clients > 1.0 ? "s" : "", gain);
    else
        lab_find(climb->lab, "latency is clients / throughput", "no",
                 "from %.0f client%s on mean times throughput is off the number of clients by more "
                 "than %.4g at %zu of %zu points: clients think, or the run is short",
                 climb->steps[busy].clients, climb->steps[busy].clients > 1.0 ? "s" : "", gain, off,
                 climb->count - busy);
}

static void tell_clients(const struct climb *climb)
{
    table(climb);
    tell_one_number(climb);
}

static void tell_capacity(const struct climb *climb, struct decimal capacity)
{
    const struct step *best = &climb->steps[climb->best];
    char *text = decimal_text(capacity);
    lab_find(climb->lab, "capacity", text,
             "answers per second with %.0f client%s: the most of %zu points; where they are drawn "
             "the most of several is biased upwards",
             best->clients, best->clients > 1.0 ? "s" : "", climb->count);
    free(text);
}

/* The open rates, if any are asked for, and then what all of it shows. */
static void ladder(const struct climb *climb, size_t open)
{
    const struct value_list *fractions = &climb->capacity->fractions;
    struct decimal capacity = decimal_of_double(climb->steps[climb->best].achieved_per_s);
    if (climb->capacity->whole)
        capacity = decimal_round(capacity);
    char **rates = fraction_rates(fractions, capacity, climb->capacity->whole);
    bool good = true;
    for (size_t i = 0; i < fractions->count; i++) {
        const char *values[] = {NULL, rates[i]};
        struct seen seen = {0};
        good = good && climb->lab->point(climb->lab->self, "ladder", open, values, &seen);
        seen_free(&seen);
    }
    if (good) {
        tell_clients(climb);
        tell_capacity(climb, capacity);
    }
    for (size_t i = 0; i < fractions->count; i++) {
        if (good)
            lab_find(climb->lab, "rate", rates[i], "per second: %s of the capacity",
                     fractions->texts[i]);
        free(rates[i]);
    }
    free(rates);
}

static void run(const void *params, const struct lab *lab)
{
    struct climb climb = {.capacity = params, .lab = lab};
    bool ladders = climb.capacity->fractions.count > 0;
    climb.load = lab_load(lab, &climb.capacity->closed, ROLE_CLOSED);
    size_t open = ladders ? lab_load(lab, &climb.capacity->open, ROLE_RATE) : 0;
    climb.recorder = climb.load == NO_INDEX ? NO_INDEX : lab_plain_recorder(lab, climb.load);
    climb.percentile = lab_percentile(lab, climb.capacity->percentile);
    if (climb.recorder == NO_INDEX || open == NO_INDEX || climb.percentile == NO_INDEX)
        return;
    char *clients = load_path(lab->plan, climb.load, "clients");
    char *rate = ladders ? load_path(lab->plan, open, "rate") : NULL;
    lab->knobs(lab->self, (struct knob[]){{"clients", clients, false}, {"rate", rate, false}},
               ladders ? 2 : 1);
    if (climb_up(&climb)) {
        if (isnan(climb.steps[climb.best].achieved_per_s))
            lab_find(lab, "capacity", "unknown", "nothing was answered with %.0f client%s",
                     climb.steps[climb.best].clients,
                     climb.steps[climb.best].clients > 1.0 ? "s" : "");
        else
            ladder(&climb, open);
    }
    free(climb.steps);
    free(clients);
    free(rate);
}

const struct experiment_type experiment_capacity = {
    .is = {"capacity", "clients up until throughput peaks, then open rates at fractions of that",
           fields, FIELD_COUNT_OF(fields), sizeof(struct capacity), refuses},
    .run = run,
};
