/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command.h"
#include "tools/comparison.h"
#include "tools/report/figures.h"
#include "tools/report/utf8.h"
#include "tools/session.h"
#include "tools/words.h"

#define DIGITS 6

struct compare_state {
    struct comparison comparison;
    size_t count; /* of sides that were run */
    const char **studied;
    size_t studied_count;
};

/* A plan of its own, which outlives the visit. */
static struct plan *copy_of(const struct plan *plan)
{
    char *text = NULL;
    size_t length = 0;
    struct errors errors = {0};
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    plan_write_json(plan, out);
    fclose(out);
    struct plan *copy = plan_read(plan->file, text, length, NULL, 0, &errors);
    session_tell(&errors);
    errors_free(&errors);
    free(text);
    return copy;
}

/* A figure of both sides in a line; nothing where neither has it. */
static void write_pair(FILE *out, const char *label, double a, double b)
{
    char texts[2][FIGURE_TEXT], ratio[FIGURE_TEXT];
    if (isnan(a) && isnan(b))
        return;
    real_write(a, DIGITS, texts[0]);
    real_write(b, DIGITS, texts[1]);
    real_write(a > 0.0 ? b / a : NAN, 4, ratio);
    fprintf(out, "    %-22s %14s %14s %10s\n", label, texts[0], texts[1], ratio);
}

/* A heading, its name free of what a terminal would obey. */
static void write_heading(FILE *out, const char *before, const char *name, const char *after)
{
    char *clean = utf8_clean(name);
    fprintf(out, "  %s \"%s\"%s\n", before, clean, after);
    free(clean);
}

static double figure_ms(const struct figure *f)
{
    switch (f->kind) {
    case FIGURE_UNKNOWN: return NAN;
    case FIGURE_EXACT: return ((double)f->exact.ns + f->exact.thousandths * 1e-3) / 1e6;
    case FIGURE_REAL: return f->real / 1e6;
    }
    BUG("figure outside its enum");
}

static size_t index_of_load(const struct plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->load_count; i++)
        if (strcmp(plan->loads[i].name, name) == 0)
            return i;
    return NO_INDEX;
}

static size_t index_of_recorder(const struct plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->recorder_count; i++)
        if (strcmp(plan->recorders[i].name, name) == 0)
            return i;
    return NO_INDEX;
}

static void write_load(FILE *out, const struct side *sides, size_t load)
{
    const char *name = sides[0].plan->loads[load].name;
    size_t other = index_of_load(sides[1].plan, name);
    if (other == NO_INDEX)
        return;
    const struct load_result *a = &sides[0].result->loads[load],
                             *b = &sides[1].result->loads[other];
    write_heading(out, "load", name, "");
    write_pair(out, "offered, /s", a->offered_per_s, b->offered_per_s);
    write_pair(out, "achieved, /s", a->achieved_per_s, b->achieved_per_s);
    write_pair(out, "answered", (double)a->answered, (double)b->answered);
    write_pair(out, "goodput, /s", a->goodput_per_s, b->goodput_per_s);
    write_pair(out, "failed", (double)(a->timed_out + a->refused),
               (double)(b->timed_out + b->refused));
    write_pair(out, "dropped", (double)a->dropped, (double)b->dropped);
}

static void write_recorder(FILE *out, const struct side *sides, size_t recorder)
{
    const char *name = sides[0].plan->recorders[recorder].name;
    size_t other = index_of_recorder(sides[1].plan, name);
    if (other == NO_INDEX)
        return;
    const struct report_plan *a = &sides[0].plan->report, *b = &sides[1].plan->report;
    const struct recorder_result *in_a = &sides[0].result->recorders[recorder];
    const struct recorder_result *in_b = &sides[1].result->recorders[other];
    write_heading(out, "recorder", name, ", in ms");
    write_pair(out, "n", (double)in_a->count, (double)in_b->count);
    write_pair(out, "mean", figure_ms(&in_a->mean), figure_ms(&in_b->mean));
    for (size_t i = 0; i < a->percentile_count; i++)
        for (size_t k = 0; k < b->percentile_count; k++)
            if (strcmp(a->percentiles[i].text, b->percentiles[k].text) == 0) {
                char *label = must_format("p%s", a->percentiles[i].text);
                write_pair(out, label, figure_ms(&in_a->cells[i].value),
                           figure_ms(&in_b->cells[k].value));
                free(label);
            }
}

/* One paragraph; frees the text. */
static void say(FILE *out, size_t width, char *text)
{
    paragraph_write(out, text, 0, width);
    free(text);
}

static void write_failed_gates(FILE *out, char letter, const struct result *result, size_t width)
{
    for (size_t i = 0; i < result->gate_count; i++) {
        const struct gate_result *gate = &result->gates[i];
        bool of_recorder = gate->recorder != NO_INDEX;
        if (!gate->passes)
            say(out, width,
                must_format("%c: gate %s FAILS, %s \"%s\": %s", letter, gate->name,
                            of_recorder ? "recorder" : "load",
                            of_recorder ? result->plan->recorders[gate->recorder].name
                                        : result->plan->loads[gate->load].name,
                            gate->reason));
    }
}

static void write_verdict(FILE *out, const struct comparison *c, size_t width)
{
    if (c->comparable) {
        say(out, width,
            must_copy("comparable: nothing differs but what is studied, and both pass "
                      "their gates"));
        return;
    }
    if (c->unstudied > 0)
        say(out, width,
            must_format("NOT comparable: %zu field%s that %s not studied", c->unstudied,
                        c->unstudied == 1 ? " differs" : "s differ",
                        c->unstudied == 1 ? "is" : "are"));
    for (size_t i = 0; i < 2; i++)
        if (c->standings[i] != STANDING_ELIGIBLE)
            say(out, width,
                must_format("NOT comparable: %c does not pass its gates: %s", 'A' + (int)i,
                            standing_name(c->standings[i])));
}

static void write_text(FILE *out, const struct comparison *c, size_t width)
{
    for (size_t i = 0; i < 2; i++) {
        say(out, width,
            must_format("%c: %s: %s", 'A' + (int)i, c->sides[i].plan->file,
                        standing_name(c->standings[i])));
        write_failed_gates(out, (char)('A' + (int)i), c->sides[i].result, width);
    }
    for (size_t i = 0; i < c->differ_count; i++)
        say(out, width,
            must_format("%s %s", c->studied[i] ? "studied:" : "DIFFERS:", c->differs[i]));
    for (size_t i = 0; i < c->warning_count; i++)
        say(out, width, must_format("warning: %s", c->warnings[i]));
    fprintf(out, "    %-22s %14s %14s %10s\n", "", "A", "B", "B / A");
    for (size_t i = 0; i < c->sides[0].plan->load_count; i++)
        write_load(out, c->sides, i);
    for (size_t i = 0; i < c->sides[0].plan->recorder_count; i++)
        write_recorder(out, c->sides, i);
    write_verdict(out, c, width);
}

static void write_strings(FILE *out, const char *key, char *const *texts, const bool *only,
                          bool wanted, size_t count)
{
    bool comma = false;
    fprintf(out, "\"%s\": [", key);
    for (size_t i = 0; i < count; i++) {
        if (only && only[i] != wanted)
            continue;
        fputs(comma ? ", " : "", out);
        json_write_string(out, texts[i]);
        comma = true;
    }
    fputs("], ", out);
}

static void write_json(FILE *out, const struct comparison *c)
{
    fputs("{\"duetime\": \"" DUETIME_VERSION "\", \"compare\": {", out);
    for (size_t i = 0; i < 2; i++) {
        const struct result *result = c->sides[i].result;
        char **failed = must_alloc(result->gate_count, sizeof *failed);
        size_t count = 0;
        for (size_t k = 0; k < result->gate_count; k++)
            if (!result->gates[k].passes)
                failed[count++] =
                    must_format("%s: %s", result->gates[k].name, result->gates[k].reason);
        fprintf(out, "\"%c\": {\"file\": ", 'a' + (int)i);
        json_write_string(out, c->sides[i].plan->file);
        fputs(", ", out);
        write_strings(out, "gates_failed", failed, NULL, true, count);
        fprintf(out, "\"standing\": \"%s\"}, ", standing_name(c->standings[i]));
        for (size_t k = 0; k < count; k++)
            free(failed[k]);
        free(failed);
    }
    write_strings(out, "studied", c->differs, c->studied, true, c->differ_count);
    write_strings(out, "differs", c->differs, c->studied, false, c->differ_count);
    write_strings(out, "warnings", c->warnings, NULL, true, c->warning_count);
    fprintf(out, "\"comparable\": %s}}\n", c->comparable ? "true" : "false");
}

static int visit(void *self, const struct options *options, const struct plan *plan, FILE *out,
                 bool first)
{
    struct compare_state *state = self;
    struct comparison *c = &state->comparison;
    int status = EXIT_MACHINE;
    (void)first;
    struct side *side = &c->sides[state->count];
    side->plan = copy_of(plan);
    side->result = side->plan ? session_run(options, side->plan, &status) : NULL;
    if (!side->result) {
        plan_free(side->plan);
        return status;
    }
    if (++state->count < 2)
        return EXIT_HOLDS;
    comparison_judge(c, state->studied, state->studied_count);
    if (options->format == FORMAT_JSON)
        write_json(out, c);
    else
        write_text(out, c, session_style(options, true).width);
    return c->comparable ? EXIT_HOLDS : EXIT_FAILS;
}

/* A path of at least one step: with the root everything would be meant to differ. */
static void read_studied(const struct options *options, struct compare_state *state,
                         struct errors *errors)
{
    state->studied = must_alloc(options->value_count, sizeof *state->studied);
    for (size_t i = 0; i < options->value_count; i++) {
        const char *path = options->values[i].value;
        if (options->values[i].id != OPTION_STUDIED)
            continue;
        if (path[0] != '/' || path[strspn(path, "/")] == '\0')
            errors_add(errors, (struct place){.file = "duetime"},
                       "--studied takes the path of a field, as /server/workers, not \"%s\"", path);
        state->studied[state->studied_count++] = path;
    }
}

static int run(const struct options *options)
{
    struct compare_state state = {0};
    struct errors errors = {0};
    read_studied(options, &state, &errors);
    int status = session_tell(&errors);
    errors_free(&errors);
    if (status == EXIT_HOLDS)
        status = session_each(options, &(struct visitor){.visit = visit, .self = &state});
    comparison_free(&state.comparison);
    for (size_t i = 0; i < state.count; i++) {
        result_free(state.comparison.sides[i].result);
        plan_free(state.comparison.sides[i].plan);
    }
    free(state.studied);
    return status;
}

const struct command command_compare = {
    .name = "compare",
    .operands = "A B",
    .says = "say whether the figures of two scenarios may be compared, and set them side by side",
    .options = OPTION_BIT(OPTION_FORMAT) | OPTION_BIT(OPTION_SEED) | OPTION_BIT(OPTION_THREADS) |
               OPTION_BIT(OPTION_OUTPUT) | OPTION_BIT(OPTION_SET) | OPTION_BIT(OPTION_STUDIED),
    .formats = 1u << FORMAT_TEXT | 1u << FORMAT_JSON,
    .operands_least = 2,
    .operands_most = 2,
    .run = run,
    .help = "Runs both scenarios. They are comparable when nothing that they declare differs but "
            "the fields that are --studied, and both pass their gates: status 0, else 1. --set and "
            "--seed change both. Each is called comparison-eligible where all its gates pass, "
            "exploratory where one fails, and descriptive-only where the gate \"closed\" fails: "
            "its latencies are those of a closed loop.",
};
