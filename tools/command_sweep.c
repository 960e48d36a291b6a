/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/scan.h"
#include "tools/command.h"
#include "tools/points.h"
#include "tools/readable.h"

static void values_of(const void *plan, uint64_t point, const char **values)
{
    sweep_values(plan, point, values);
}

/* All combinations are read before the first one runs: an impossible value at the end must not
   cost the hours before it. */
static int run_points(struct bench *bench, const struct plan *plan)
{
    struct readable readable = {.source = bench->source,
                                .plan = plan,
                                .knobs = bench->knobs,
                                .exact_limit = bench->options->exact_limit};
    if (!readable_all(&readable, bench->options->threads, bench->sheet.errors))
        return EXIT_REQUEST;
    uint64_t points = sweep_points(plan);
    const char **values = must_alloc(plan->sweep_count, sizeof *values);
    bench_ahead(bench, points, readable.cost, values_of, plan);
    bool going = true;
    for (uint64_t i = 0; i < points && going; i++) {
        sweep_values(plan, i, values);
        going = bench_point(bench, NULL, NO_INDEX, values, NULL);
    }
    free(values);
    return bench->status;
}

static int visit(void *self, const struct options *options, const struct source *source,
                 const struct plan *plan, struct output *output, struct errors *errors)
{
    (void)self;
    if (plan->sweep_count == 0) {
        errors_add(errors, (struct place){.file = source->file},
                   "there is nothing to sweep: the scenario has no \"sweep\", and the command line "
                   "no --vary");
        return EXIT_REQUEST;
    }
    struct knob *knobs = must_alloc(plan->sweep_count, sizeof *knobs);
    for (size_t i = 0; i < plan->sweep_count; i++)
        knobs[i] = (struct knob){plan->sweeps[i].path, plan->sweeps[i].path, true};
    struct source made = *source;
    struct template *scanned = template_new(source->file, source->text, source->length,
                                            source->settings, source->setting_count);
    made.made = scanned;
    struct bench bench;
    bench_open(&bench, options, &made, plan, output, errors);
    bench_knobs(&bench, knobs, plan->sweep_count);
    int status = run_points(&bench, plan);
    bench_close(&bench);
    template_free(scanned);
    free(knobs);
    return status;
}

/* A JSON string of a text.  Owned by the caller. */
static char *json_quoted(const char *text)
{
    char *json = NULL;
    size_t length;
    FILE *out = open_memstream(&json, &length);
    BUG_IF(!out);
    json_write_string(out, text);
    fclose(out);
    return json;
}

/* JSON as it is, anything else as a string: what --set makes of a value.  Owned by the caller. */
static char *setting_json(const char *text)
{
    struct scan scan;
    scan_text(&scan, text, strlen(text));
    bool json = (scan.whole && scan.fault_count == 0) || strchr("{[\"", text[0]);
    scan_free(&scan);
    return json ? must_copy(text) : json_quoted(text);
}

/* FROM..TO..STEP as the range it is, V1,V2,... as a list; commas within brackets and quotes are the
   value's own. */
static char *values_json(const char *text)
{
    const char *first = strstr(text, ".."), *second = first ? strstr(first + 2, "..") : NULL;
    if (second && strpbrk(text, ",{[\"") == NULL) {
        bool unit = strpbrk(text, "nums") != NULL;
        const char *quote = unit ? "\"" : "";
        return must_format("{\"from\": %s%.*s%s, \"to\": %s%.*s%s, \"step\": %s%s%s}", quote,
                           (int)(first - text), text, quote, quote, (int)(second - first) - 2,
                           first + 2, quote, quote, second + 2, quote);
    }
    char *list = NULL;
    size_t length;
    FILE *out = open_memstream(&list, &length);
    BUG_IF(!out);
    fputc('[', out);
    for (bool more = true; more;) {
        unsigned depth = 0;
        bool quoted = false;
        const char *end = text;
        for (; *end && (depth > 0 || quoted || *end != ','); end++) {
            quoted ^= *end == '"' && (end == text || end[-1] != '\\');
            if (!quoted && strchr("[{", *end))
                depth++;
            if (!quoted && strchr("]}", *end) && depth > 0)
                depth--;
        }
        char *one = must_format("%.*s", (int)(end - text), text), *json = setting_json(one);
        fputs(json, out);
        free(one);
        free(json);
        more = *end == ',';
        if (more)
            fputs(", ", out);
        text = end + 1;
    }
    fputc(']', out);
    fclose(out);
    return list;
}

/* FROM..TO, which looks like a range and is none. */
static bool lacks_step(const char *text)
{
    const char *dots = strstr(text, "..");
    return strchr("0123456789", text[0]) && dots && dots[2] != '\0' &&
           strchr("0123456789", dots[2]) && !strstr(dots + 2, "..") && !strchr(text, ',');
}

/* Whether an earlier --vary has the path of this one. */
static bool is_varied_already(const struct options *options, size_t index)
{
    const char *value = options->values[index].value;
    size_t path = (size_t)(strchr(value, '=') - value) + 1;
    for (size_t i = 0; i < index; i++)
        if (options->values[i].id == OPTION_VARY &&
            strncmp(options->values[i].value, value, path) == 0)
            return true;
    return false;
}

/* Every --vary together as the scenario's sweep.  NULL: there is none, or *errors. */
static char *sweep_json(const struct options *options, struct errors *errors)
{
    char *json = NULL;
    for (size_t i = 0; i < options->value_count; i++) {
        const char *value = options->values[i].value, *equals = strchr(value, '=');
        if (options->values[i].id != OPTION_VARY)
            continue;
        if (!equals || equals == value || equals[1] == '\0') {
            errors_add(errors, (struct place){.file = "duetime"},
                       "--vary takes PATH=V1,V2,... or PATH=FROM..TO..STEP, not %s", value);
            continue;
        }
        if (lacks_step(equals + 1)) {
            errors_add(errors, (struct place){.file = "duetime"},
                       "--vary %s: the step is missing; a range is FROM..TO..STEP", value);
            continue;
        }
        char *path = must_format("%.*s", (int)(equals - value), value);
        if (is_varied_already(options, i))
            errors_add(errors, (struct place){.file = "duetime"},
                       "--vary %s: the path is varied already; give all its values at once", path);
        char *quoted = json_quoted(path), *values = values_json(equals + 1);
        char *longer =
            must_format("%s%s%s: %s", json ? json : "", json ? ", " : "", quoted, values);
        free(path);
        free(quoted);
        free(values);
        free(json);
        json = longer;
    }
    return json;
}

static int run(const struct options *options)
{
    struct errors errors = {0};
    struct options with = *options;
    char *members = sweep_json(options, &errors), *sweep = NULL;
    if (members) {
        sweep = must_format("{%s}", members);
        with.settings = must_alloc(options->setting_count + 1, sizeof *with.settings);
        for (size_t i = 0; i < options->setting_count; i++)
            with.settings[i] = options->settings[i];
        with.settings[with.setting_count++] = (struct setting){"/sweep", sweep, "--vary"};
    }
    int status = session_tell(&errors);
    if (status == EXIT_HOLDS)
        status = session_each(&with, &(struct visitor){.stream = visit});
    if (members)
        free(with.settings);
    free(members);
    free(sweep);
    errors_free(&errors);
    return status;
}

const struct command command_sweep = {
    .name = "sweep",
    .operands = "FILE",
    .says = "run a scenario under every combination of settings; a row a point and recorder",
    .options = OPTION_BIT(OPTION_FORMAT) | OPTION_BIT(OPTION_SET) | OPTION_BIT(OPTION_VARY) |
               OPTION_BIT(OPTION_SEED) | OPTION_BIT(OPTION_THREADS) |
               OPTION_BIT(OPTION_EXACT_LIMIT) | OPTION_BIT(OPTION_OUTPUT),
    .formats = 1u << FORMAT_TEXT | 1u << FORMAT_MARKDOWN | 1u << FORMAT_CSV | 1u << FORMAT_JSON,
    .operands_least = 1,
    .operands_most = 1,
    .run = run,
    .help =
        "Runs the scenario FILE (- is standard input) once for every combination of the values "
        "under its \"sweep\", or of those that --vary gives instead. Each point is a row for "
        "each recorder, written when it is done: what was varied, rates offered and achieved, "
        "samples, percentiles, checks, and the gates that fail; of a closed load that it is one "
        "is not among them, as it is at every point.",
};
