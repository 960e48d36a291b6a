/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/interrupt.h"

void bench_open(struct bench *bench, const struct options *options, const struct source *source,
                const struct plan *plan, struct output *output, struct errors *errors)
{
    *bench = (struct bench){.options = options, .source = source, .plan = plan};
    bench->sheet = (struct sheet){.output = output,
                                  .errors = errors,
                                  .format = options->format,
                                  .width = session_style(options, true).width};
}

static void forget_ahead(struct bench *bench)
{
    ahead_free(bench->ahead);
    if (bench->ahead != NULL)
        progress_end(&bench->progress);
    bench->ahead = NULL;
    bench->ahead_left = 0;
    for (size_t i = 0; i < bench->announced_count; i++)
        free(bench->announced[i]);
    free(bench->announced);
    bench->announced = NULL;
    bench->announced_count = 0;
}

static void start_ahead(struct bench *bench, uint64_t count, struct run_cost cost,
                        void (*values)(const void *self, uint64_t point, const char **values),
                        const void *self)
{
    if (count == 0)
        return;
    progress_begin(&bench->progress, bench->source->file, cost);
    const struct ahead_points points = {.source = bench->source,
                                        .base = bench->plan,
                                        .knobs = bench->knobs,
                                        .knob_count = bench->knob_count,
                                        .count = count,
                                        .run = {.exact_limit = bench->options->exact_limit},
                                        .values = values,
                                        .self = self};
    bench->ahead_left = count;
    bench->ahead = ahead_new(&points, bench->options->threads, &bench->progress);
}

void bench_ahead(struct bench *bench, uint64_t count, struct run_cost cost,
                 void (*values)(const void *self, uint64_t point, const char **values),
                 const void *self)
{
    forget_ahead(bench);
    start_ahead(bench, count, cost, values, self);
}

static void announced_values(const void *self, uint64_t point, const char **values)
{
    const struct bench *bench = self;
    for (size_t i = 0; i < bench->knob_count; i++)
        values[i] = bench->announced[point * bench->knob_count + i];
}

void bench_announce(struct bench *bench, const char *const *values, size_t count)
{
    struct run_cost cost = run_estimate(bench->plan, bench->options->exact_limit);
    cost.requests *= (double)count;
    cost.time_ns *= (double)count;
    forget_ahead(bench);
    bench->announced_count = count * bench->knob_count;
    bench->announced = must_alloc(bench->announced_count, sizeof *bench->announced);
    for (size_t i = 0; i < bench->announced_count; i++)
        bench->announced[i] = values[i] != NULL ? must_copy(values[i]) : NULL;
    start_ahead(bench, count, cost, announced_values, bench);
}

void bench_close(struct bench *bench)
{
    forget_ahead(bench);
    sheet_close(&bench->sheet);
    free(bench->knobs);
}

void bench_knobs(struct bench *bench, const struct knob *knobs, size_t count)
{
    bench->knobs = must_grow(bench->knobs, count + 1, sizeof *knobs);
    memcpy(bench->knobs, knobs, count * sizeof *knobs);
    bench->knob_count = count;
}

#define COLUMNS_BESIDE 8 /* beside knobs and percentiles */

static int widest_recorder(const struct plan *plan)
{
    size_t width = 0;
    for (size_t i = 0; i < plan->recorder_count; i++)
        if (strlen(plan->recorders[i].name) > width)
            width = strlen(plan->recorders[i].name);
    return width < 40 ? (int)width : 40;
}

static void open_table(struct bench *bench, const struct ran *ran)
{
    const struct report_plan *report = &bench->plan->report;
    struct column *columns = must_alloc(
        COLUMNS_BESIDE + 1 + bench->knob_count + report->percentile_count, sizeof *columns);
    char **names = must_alloc(report->percentile_count, sizeof *names);
    size_t n = 0;
    columns[n++] = (struct column){"point", COLUMN_NUMBER, 5};
    if (bench->grouped)
        columns[n++] = (struct column){"group", COLUMN_TEXT, 12};
    for (size_t i = 0; i < bench->knob_count; i++)
        if (bench->knobs[i].path)
            columns[n++] = (struct column){bench->knobs[i].name, COLUMN_VALUE, 10};
    columns[n++] = (struct column){"recorder", COLUMN_TEXT, widest_recorder(bench->plan)};
    columns[n++] = (struct column){"offered per s", COLUMN_NUMBER, 0};
    columns[n++] = (struct column){"achieved per s", COLUMN_NUMBER, 0};
    columns[n++] = (struct column){"n", COLUMN_NUMBER, 8};
    columns[n++] = (struct column){"mean", COLUMN_TIME, 0};
    for (size_t i = 0; i < report->percentile_count; i++) {
        names[i] = must_format("p%s", report->percentiles[i].text);
        columns[n++] = (struct column){names[i], COLUMN_TIME, 0};
    }
    columns[n++] = (struct column){"checks", COLUMN_TEXT, 6};
    columns[n++] = (struct column){"gates", COLUMN_TEXT, 0};
    if (!bench->sheet.scale.name)
        bench->sheet.scale = ran->scale;
    sheet_table(&bench->sheet, "points", columns, n);
    for (size_t i = 0; i < report->percentile_count; i++)
        free(names[i]);
    free(names);
    free(columns);
    bench->told = true;
}

static void write_row(struct bench *bench, const char *group, const char *const *values,
                      const struct ran *ran, size_t k)
{
    size_t percentiles = bench->plan->report.percentile_count, n = 0;
    const struct seen *seen = &ran->seen;
    const struct seen_recorder *recorder = &seen->recorders[k];
    const struct seen_load *load = &seen->loads[bench->plan->recorders[k].load];
    struct cell_value *cells =
        must_alloc(COLUMNS_BESIDE + 1 + bench->knob_count + percentiles, sizeof *cells);
    cells[n++].number = (double)seen->number;
    if (bench->grouped)
        cells[n++].text = group;
    for (size_t i = 0; i < bench->knob_count; i++)
        if (bench->knobs[i].path)
            cells[n++].text = values[i];
    cells[n++].text = bench->plan->recorders[k].name;
    cells[n++].number = load->offered_per_s;
    cells[n++].number = load->achieved_per_s;
    cells[n++].number = (double)recorder->count;
    cells[n++].number = recorder->mean_ns;
    for (size_t i = 0; i < percentiles; i++)
        cells[n++].number = recorder->p_ns[i];
    cells[n++].text = ran->checks[k];
    cells[n++].text = recorder->gates;
    sheet_row(&bench->sheet, cells);
    free(cells);
}

static void write_rows(struct bench *bench, const char *group, size_t load,
                       const char *const *values, const struct ran *ran)
{
    if (!bench->told)
        open_table(bench, ran);
    for (size_t k = 0; k < bench->plan->recorder_count; k++)
        if (load == NO_INDEX || bench->plan->recorders[k].load == load)
            write_row(bench, group, values, ran, k);
}

static void worse(struct bench *bench, int status)
{
    bench->status = status > bench->status ? status : bench->status;
}

static void run_now(const struct bench *bench, const char *const *values, struct ran *ran,
                    int *status)
{
    struct plan *plan = point_plan(bench->source, bench->plan, bench->knobs, values,
                                   bench->knob_count, &ran->errors);
    if (plan == NULL)
        return;
    struct result *result = session_run(bench->options, plan, status);
    ran_keep(ran, result);
    if (result != NULL)
        result_free(result);
    plan_free(plan);
}

/* Writes what a point came to.  False: nothing more is to come. */
static bool show(struct bench *bench, const char *group, size_t load, const char *const *values,
                 const struct ran *ran)
{
    write_rows(bench, group, load, values, ran);
    if (ran->fails)
        worse(bench, EXIT_FAILS);
    return *interrupt_flag() == 0 && bench->sheet.output->state == OUTPUT_OPEN;
}

bool bench_point(struct bench *bench, const char *group, size_t load, const char *const *values,
                 struct seen *out)
{
    if (out)
        *out = (struct seen){0};
    bench->points++;
    bool is_ahead = bench->ahead_left > 0;
    int status = EXIT_HOLDS;
    struct ran own = {.end = RAN_UNREADABLE}, *ran = &own;
    if (is_ahead)
        ran = ahead_next(bench->ahead);
    else
        run_now(bench, values, ran, &status);
    ran->seen.number = bench->points;
    if (is_ahead) {
        bench->ahead_left--;
        ahead_quiet(bench->ahead);
    }
    bool whole = ran->end == RAN_WHOLE;
    if (ran->end == RAN_UNREADABLE)
        status = session_tell(&ran->errors);
    else if (is_ahead)
        whole = session_ran(whole, &ran->errors, &status);
    worse(bench, status);
    bool going = whole && show(bench, group, load, values, ran);
    if (is_ahead)
        ahead_loud(bench->ahead);
    if (out && whole) {
        *out = ran->seen;
        ran->seen = (struct seen){0};
    }
    ran_free(&own);
    return going;
}
