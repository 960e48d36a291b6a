/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/difference.h"
#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/points.h"

static void knobs(void *self, const struct knob *all, size_t count)
{
    bench_knobs(self, all, count);
}

static bool point(void *self, const char *group, size_t load, const char *const *values,
                  struct seen *out)
{
    return bench_point(self, group, load, values, out);
}

static void ahead(void *self, const char *const *values, size_t count)
{
    bench_announce(self, values, count);
}

static void table(void *self, const char *name, const struct column *columns, size_t count)
{
    struct bench *bench = self;
    bench->told = false;
    sheet_table(&bench->sheet, name, columns, count);
}

static void row(void *self, const struct cell_value *cells)
{
    sheet_row(&((struct bench *)self)->sheet, cells);
}

static void find(void *self, const char *name, const char *value, const char *says)
{
    struct bench *bench = self;
    bench->told = false;
    sheet_find(&bench->sheet, name, value, says);
}

static void refuse(void *self, const char *why)
{
    struct bench *bench = self;
    errors_add(bench->sheet.errors,
               (struct place){.file = bench->source->file, .path = "/experiment"},
               "impossible \"%s\": %s", bench->plan->experiment.type->name, why);
    bench->status = EXIT_REQUEST;
}

static char *differences(void *self, size_t a, size_t b)
{
    const struct bench *bench = self;
    size_t count;
    char **paths = load_differences(bench->plan, a, b, &count), *text = must_copy("");
    for (size_t i = 0; i < count; i++) {
        char *longer = must_format("%s%s%s", text, i > 0 ? " " : "", paths[i]);
        free(text);
        text = longer;
    }
    differences_free(paths, count);
    return text;
}

static int visit(void *self, const struct options *options, const struct source *source,
                 const struct plan *plan, struct output *output, struct errors *errors)
{
    (void)self;
    if (!plan->experiment.type) {
        errors_add(errors, (struct place){.file = source->file},
                   "the scenario has no \"experiment\"; duetime list experiments names them");
        return EXIT_REQUEST;
    }
    struct source made = *source;
    struct template *scanned = template_new(source->file, source->text, source->length,
                                            source->settings, source->setting_count);
    made.made = scanned;
    struct bench bench;
    bench_open(&bench, options, &made, plan, output, errors);
    bench.grouped = true;
    experiment(plan->experiment)
        ->run(plan->experiment.params, &(struct lab){.plan = plan,
                                                     .self = &bench,
                                                     .knobs = knobs,
                                                     .point = point,
                                                     .ahead = ahead,
                                                     .table = table,
                                                     .row = row,
                                                     .find = find,
                                                     .refuse = refuse,
                                                     .differences = differences});
    bench_close(&bench);
    template_free(scanned);
    return bench.status;
}

static int run(const struct options *options)
{
    return session_each(options, &(struct visitor){.stream = visit});
}

const struct command command_experiment = {
    .name = "experiment",
    .operands = "FILE",
    .says = "run a scenario several times as its experiment says, and tell what that shows",
    .options = OPTION_BIT(OPTION_FORMAT) | OPTION_BIT(OPTION_SET) | OPTION_BIT(OPTION_SEED) |
               OPTION_BIT(OPTION_THREADS) | OPTION_BIT(OPTION_OUTPUT),
    .formats = 1u << FORMAT_TEXT | 1u << FORMAT_MARKDOWN | 1u << FORMAT_CSV | 1u << FORMAT_JSON,
    .operands_least = 1,
    .operands_most = 1,
    .run = run,
    .help =
        "Runs the scenario FILE (- is standard input) as often as its \"experiment\" asks, each "
        "time with other settings; prints a row for each run and recorder, and then what all "
        "of them together say. duetime list experiments names what there is.",
};
