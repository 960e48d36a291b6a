/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "tools/baseline.h"
#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/output.h"
#include "tools/session.h"
#include "tools/wanted.h"

static int visit(void *self, const struct options *options, const struct plan *plan, FILE *out,
                 bool first)
{
    (void)out;
    (void)first;
    int status;
    struct result *result = session_run(options, plan, &status);
    if (result == NULL)
        return status;
    baseline_add(self, result);
    result_free(result);
    return EXIT_HOLDS;
}

static bool read_base(const char *file, struct baseline *was, struct errors *errors)
{
    size_t length;
    char *text = session_slurp(file, &length, errors);
    bool good = text != NULL && baseline_read(file, text, length, was, errors);
    free(text);
    return good;
}

/* Everything whole, or nothing. */
static int write_out(const struct options *options, const struct baseline *was,
                     const struct baseline *is)
{
    struct errors errors = {0};
    struct output output;
    char *text = NULL;
    size_t length = 0, differ = 0;
    FILE *out = open_memstream(&text, &length);
    if (out != NULL && was != NULL)
        differ = baseline_compare(out, was, is);
    else if (out != NULL)
        baseline_write(out, is);
    if (out == NULL || fclose(out) != 0)
        errors_add_machine(&errors, "duetime: no memory for the output");
    else if (output_open(&output, options->output, &errors)) {
        output_write(&output, text, length, &errors);
        output_close(&output, true, &errors);
    }
    free(text);
    int status = session_tell(&errors);
    errors_free(&errors);
    return status != EXIT_HOLDS ? status : differ > 0 ? EXIT_FAILS : EXIT_HOLDS;
}

static int run(const struct options *options)
{
    const char *base = option_value(options, OPTION_COMPARE);
    struct baseline was = {0}, is = {0};
    struct errors errors = {0};
    wanted_spared(options, OPTION_COMPARE, &errors);
    if (base != NULL)
        read_base(base, &was, &errors);
    int status = session_tell(&errors);
    errors_free(&errors);
    if (status == EXIT_HOLDS) {
        struct options quiet = *options;
        quiet.output = NULL; /* nothing is written before all of it is known */
        status = session_each(&quiet, &(struct visitor){.visit = visit, .self = &is});
    }
    if (status == EXIT_HOLDS && *interrupt_flag() == 0)
        status = write_out(options, base != NULL ? &was : NULL, &is);
    baseline_free(&was);
    baseline_free(&is);
    return status;
}

const struct command command_baseline = {
    .name = "baseline",
    .operands = "FILE...",
    .says = "pin the results of scenarios, or compare them with pinned ones",
    .options = OPTION_BIT(OPTION_SET) | OPTION_BIT(OPTION_SEED) | OPTION_BIT(OPTION_THREADS) |
               OPTION_BIT(OPTION_OUTPUT) | OPTION_BIT(OPTION_COMPARE),
    .operands_least = 1,
    .operands_most = SIZE_MAX,
    .run = run,
    .help = "Runs the scenarios and writes every figure of their results as JSON, a figure a line: "
            "what recorders and loads show, what was judged, what the gates say. With --compare "
            "it says instead which of them differ from that baseline, what each was and is; any "
            "difference makes the exit status 1. Keep the file beside the scenarios, and let it "
            "change only with what changes the results.",
};
