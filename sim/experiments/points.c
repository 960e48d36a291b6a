/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/experiments/points.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The settings of one kind of knob, behind those that are there.  Returns how many there are. */
static size_t settings_of(const struct knob *knobs, const char *const *values, size_t count,
                          bool written, struct setting *out, size_t n)
{
    for (size_t i = 0; i < count; i++)
        if (values[i] != NULL && knobs[i].written == written)
            out[n++] = (struct setting){knobs[i].path, values[i], NULL};
    return n;
}

static char *plan_text(const struct plan *plan, size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    BUG_IF(out == NULL);
    plan_write_json(plan, out);
    fclose(out);
    return text;
}

static void *field_of(const struct choice *choice, const char *key)
{
    for (size_t i = 0; i < choice->type->field_count; i++)
        if (strcmp(choice->type->fields[i].key, key) == 0)
            return (char *)choice->params + choice->type->fields[i].offset;
    return NULL;
}

/* A rate that is set takes the place of the interval that a load may have instead. */
static void make_room(struct plan *plan, const char *path)
{
    for (size_t i = 0; i < plan->load_count; i++) {
        const struct choice *kind = &plan->loads[i].kind;
        char *rate = load_path(plan, i, "rate");
        struct ratio *rate_per_s = field_of(kind, "rate");
        ns_t *every_ns = field_of(kind, "every");
        if (strcmp(path, rate) == 0 && rate_per_s != NULL && every_ns != NULL && *every_ns != 0) {
            *every_ns = 0;
            *rate_per_s = (struct ratio){1, 1};
        }
        free(rate);
    }
}

/* The plan as the source has it, with the knobs that turn what is written there. */
static struct plan *read_written(const struct source *source, const struct knob *knobs,
                                 const char *const *values, size_t count, struct setting *settings,
                                 struct errors *errors)
{
    size_t n = 0;
    for (size_t i = 0; i < source->setting_count && source->made == NULL; i++)
        settings[n++] = source->settings[i];
    n = settings_of(knobs, values, count, true, settings, n);
    return source->made != NULL
               ? template_read(source->made, settings, n, errors)
               : plan_try(source->file, source->text, source->length, settings, n, errors);
}

static struct plan *read_point(const struct source *source, const struct knob *knobs,
                               const char *const *values, size_t count, struct errors *errors)
{
    struct setting *settings = must_alloc(source->setting_count + count + 1, sizeof *settings);
    struct plan *plan = read_written(source, knobs, values, count, settings, errors);
    size_t n = plan == NULL ? 0 : settings_of(knobs, values, count, false, settings, 0);
    if (n > 0) {
        /* Knobs of experiments turn what the file may leave out or write in another way. */
        for (size_t i = 0; i < n; i++)
            make_room(plan, settings[i].path);
        size_t length;
        char *text = plan_text(plan, &length);
        char *file = must_format("%s (its full form, duetime explain --format json)", plan->file);
        plan_free(plan);
        plan = plan_try(file, text, length, settings, n, errors);
        if (plan != NULL) {
            free(plan->file);
            plan->file = must_copy(source->file);
        }
        free(file);
        free(text);
    }
    free(settings);
    return plan;
}

static bool same_shape(const struct plan *a, const struct plan *b)
{
    bool same = a->load_count == b->load_count && a->recorder_count == b->recorder_count &&
                a->report.percentile_count == b->report.percentile_count;
    for (size_t i = 0; same && i < a->recorder_count; i++)
        same = a->recorders[i].load == b->recorders[i].load &&
               strcmp(a->recorders[i].name, b->recorders[i].name) == 0;
    for (size_t i = 0; same && i < a->report.percentile_count; i++)
        same = strcmp(a->report.percentiles[i].text, b->report.percentiles[i].text) == 0;
    return same;
}

/* "/run/requests = 5, ...". */
static char *values_text(const struct knob *knobs, const char *const *values, size_t count)
{
    char *text = must_copy("");
    for (size_t i = 0; i < count; i++) {
        if (values[i] == NULL)
            continue;
        char *longer =
            must_format("%s%s%s = %s", text, text[0] != '\0' ? ", " : "", knobs[i].path, values[i]);
        free(text);
        text = longer;
    }
    return text;
}

struct plan *point_plan(const struct source *source, const struct plan *base,
                        const struct knob *knobs, const char *const *values, size_t count,
                        struct errors *errors)
{
    struct plan *plan = read_point(source, knobs, values, count, errors);
    if (plan == NULL || same_shape(plan, base))
        return plan;
    char *text = values_text(knobs, values, count);
    errors_add(errors, (struct place){.file = source->file},
               "the point of %s has other loads, recorders or percentiles than the scenario as it "
               "stands, and no table holds both",
               text);
    free(text);
    plan_free(plan);
    return NULL;
}

static double figure_ns(const struct figure *figure)
{
    switch (figure->kind) {
    case FIGURE_UNKNOWN: return NAN;
    case FIGURE_EXACT: return (double)figure->exact.ns + (double)figure->exact.thousandths / 1000.0;
    case FIGURE_REAL: return figure->real;
    }
    BUG("kind of figure outside its enum");
}

/* The failing gates of a recorder and of its load. */
static char *gates_of(const struct result *result, size_t recorder)
{
    char *names = must_copy("");
    size_t load = result->plan->recorders[recorder].load;
    for (size_t i = 0; i < result->gate_count; i++) {
        const struct gate_result *gate = &result->gates[i];
        bool ours =
            gate->recorder == recorder || (gate->recorder == NO_INDEX && gate->load == load);
        if (gate->passes || !ours || strcmp(gate->name, "closed") == 0 ||
            strstr(names, gate->name) != NULL)
            continue;
        char *longer = must_format("%s%s%s", names, names[0] != '\0' ? " " : "", gate->name);
        free(names);
        names = longer;
    }
    return names;
}

static void see_recorder(const struct result *result, size_t k, struct seen_recorder *out)
{
    const struct recorder_result *r = &result->recorders[k];
    const struct recorder_plan *plan = &result->plan->recorders[k];
    size_t n = result->plan->report.percentile_count;
    double *p_ns = must_alloc(3 * n, sizeof *p_ns);
    *out = (struct seen_recorder){.count = r->count,
                                  .mean_ns = figure_ns(&r->mean),
                                  .min_ns = figure_ns(&r->min),
                                  .max_ns = figure_ns(&r->max),
                                  .p_ns = p_ns,
                                  .low_ns = p_ns + n,
                                  .high_ns = p_ns + 2 * n,
                                  .gates = gates_of(result, k)};
    for (size_t p = 0; p < n; p++) {
        const struct cell *cell = &r->cells[p];
        bool random = result->loads[plan->load].random;
        out->p_ns[p] = figure_ns(&cell->value);
        out->low_ns[p] = random ? figure_ns(&cell->low) : out->p_ns[p];
        out->high_ns[p] = random ? figure_ns(&cell->high) : out->p_ns[p];
    }
}

struct seen seen_of(const struct result *result, size_t number)
{
    const struct plan *plan = result->plan;
    struct seen seen = {.number = number,
                        .load_count = plan->load_count,
                        .recorder_count = plan->recorder_count,
                        .loads = must_alloc(plan->load_count, sizeof *seen.loads),
                        .recorders = must_alloc(plan->recorder_count, sizeof *seen.recorders)};
    for (size_t i = 0; i < plan->load_count; i++)
        seen.loads[i] =
            (struct seen_load){result->loads[i].offered_per_s, result->loads[i].achieved_per_s};
    for (size_t i = 0; i < plan->recorder_count; i++)
        see_recorder(result, i, &seen.recorders[i]);
    return seen;
}

uint64_t sweep_points(const struct plan *plan)
{
    u128 points = 1;
    for (size_t i = 0; i < plan->sweep_count && points < UINT64_MAX; i++)
        points *= plan->sweeps[i].value_count;
    return points < UINT64_MAX ? (uint64_t)points : UINT64_MAX;
}

void sweep_values(const struct plan *plan, uint64_t point, const char **values)
{
    for (size_t i = plan->sweep_count; i-- > 0;) {
        const struct sweep *sweep = &plan->sweeps[i];
        values[i] = sweep->values[point % sweep->value_count];
        point /= sweep->value_count;
    }
}
