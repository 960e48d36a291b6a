/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "tools/command.h"
#include "tools/imports.h"
#include "tools/interrupt.h"
#include "tools/judged.h"
#include "tools/output.h"
#include "tools/session.h"
#include "tools/wanted.h"

struct importing {
    const struct options *options;
    struct imported all;
    char *files;
    int status;
};

/* Every file that can be read is; one that cannot is a fault, and the others go on. */
static bool read_all(struct importing *im, struct errors *errors)
{
    const struct options *options = im->options;
    ns_t unit_ns = wanted_unit(options, 0, errors);
    im->files = must_copy("");
    for (size_t i = 0; i < options->operand_count; i++) {
        struct imported one;
        size_t length;
        char *text = session_slurp(options->operands[i], &length, errors);
        bool good = text != NULL &&
                    imported_read(options->operands[i], text, length, unit_ns, &one, errors);
        free(text);
        if (!good)
            continue;
        if (!imported_merge(&im->all, &one))
            errors_add(errors, (struct place){.file = options->operands[i]},
                       "together there are 2^63 counts or more");
        imported_free(&one);
        char *names = must_format("%s%s%s", im->files, i > 0 ? " + " : "", options->operands[i]);
        free(im->files);
        im->files = names;
    }
    return errors->count == 0;
}

/* The verdict of `conform` on what the files say. */
static void judge(struct importing *im, const struct trial *trial, FILE *out)
{
    struct hearing hearing = {0};
    struct conformance verdict;
    import_report(&im->all, trial, &hearing.report, &hearing.declared);
    verdict_make(trial, &hearing.report, &hearing.declared, &verdict);
    struct heard heard = {im->files, trial, &hearing, &verdict};
    struct report_style style = session_style(im->options, true);
    if (style.format == FORMAT_TEXT)
        import_write_head(out, im->files, &im->all);
    if (style.format == FORMAT_JSON)
        judged_write_json(out, &heard);
    else
        judged_write(out, &heard, &style, false);
    im->status = verdict.conforms ? EXIT_HOLDS : EXIT_FAILS;
    verdict_free(&verdict);
    report_free(&hearing.report);
    declared_free(&hearing.declared);
}

static void write_verdict(struct importing *im, const char *scenario, FILE *out,
                          struct errors *errors)
{
    const struct options *options = im->options;
    size_t length;
    char *text = session_slurp(scenario, &length, errors);
    struct plan *plan = text != NULL ? plan_read(scenario, text, length, options->settings,
                                                 options->setting_count, errors)
                                     : NULL;
    free(text);
    struct run_options run = {.threads = options->threads, .stop = interrupt_flag()};
    size_t recorder = plan != NULL ? wanted_recorder(options, plan, errors) : NO_INDEX;
    struct trial trial;
    if (recorder != NO_INDEX && trial_run(plan, recorder, &run, &trial, errors)) {
        judge(im, &trial, out);
        trial_free(&trial);
    }
    plan_free(plan);
}

static void write_all(struct importing *im, FILE *out, struct errors *errors)
{
    const struct options *options = im->options;
    const char *scenario = option_value(options, OPTION_AGAINST);
    if (scenario != NULL)
        write_verdict(im, scenario, out, errors);
    else if (options->format == FORMAT_JSON)
        import_write_json(out, im->files, &im->all);
    else
        import_write_text(out, im->files, &im->all, session_style(options, true).width);
}

static void judge_options(const struct options *options, struct errors *errors)
{
    static const enum option_id of_against[] = {OPTION_RECORDER, OPTION_SET, OPTION_SEED};
    bool against = option_value(options, OPTION_AGAINST) != NULL;
    for (size_t i = 0; i < sizeof of_against / sizeof of_against[0] && !against; i++)
        if (options->given & OPTION_BIT(of_against[i]))
            errors_add(errors, (struct place){.file = "duetime"},
                       "--%s goes with --against SCENARIO", option_texts[of_against[i]].name);
    if (!against && options->format == FORMAT_MARKDOWN)
        errors_add(errors, (struct place){.file = "duetime"},
                   "--format markdown goes with --against SCENARIO");
}

static int run(const struct options *options)
{
    struct importing im = {.options = options};
    struct errors errors = {0};
    char *text = NULL;
    size_t length = 0;
    judge_options(options, &errors);
    wanted_spared(options, OPTION_AGAINST, &errors);
    if (errors.count == 0 && read_all(&im, &errors)) {
        FILE *out = open_memstream(&text, &length);
        if (out != NULL)
            write_all(&im, out, &errors);
        if (out == NULL || fclose(out) != 0)
            errors_add_machine(&errors, "duetime: no memory for the report");
    }
    struct output output;
    bool whole = errors.count == 0 && *interrupt_flag() == 0;
    if (whole && output_open(&output, options->output, &errors)) {
        output_write(&output, text, length, &errors);
        output_close(&output, true, &errors);
    }
    int status = session_tell(&errors);
    free(text);
    free(im.files);
    imported_free(&im.all);
    errors_free(&errors);
    if (*interrupt_flag() != 0)
        return EXIT_SIGNAL + (int)*interrupt_flag();
    return status != EXIT_HOLDS ? status : im.status;
}

const struct command command_import = {
    .name = "import",
    .operands = "FILE...",
    .says = "say what somebody's latencies or histogram tell, and judge them",
    .options = OPTION_BIT(OPTION_FORMAT) | OPTION_BIT(OPTION_SET) | OPTION_BIT(OPTION_SEED) |
               OPTION_BIT(OPTION_THREADS) | OPTION_BIT(OPTION_OUTPUT) |
               OPTION_BIT(OPTION_RECORDER) | OPTION_BIT(OPTION_UNIT) | OPTION_BIT(OPTION_AGAINST),
    .formats = 1u << FORMAT_TEXT | 1u << FORMAT_MARKDOWN | 1u << FORMAT_JSON,
    .operands_least = 1,
    .operands_most = SIZE_MAX,
    .run = run,
    .help = "Reads files of measurements and says what is known of each percentile under every "
            "rank rule: its value, the bucket it lies in, or that it is more than the last bound. "
            "A file is a list of times, one a line; a histogram as CSV (a line upper,count or "
            "upper,cumulative, then a bucket a line, +Inf the last) or JSON (upper, counts or "
            "cumulative, count, sum, min, max, unit); the percentile distribution text or the "
            "interval log of an HdrHistogram. Plain numbers are ns, those of a percentile "
            "distribution ms, or as --unit says. What contradicts itself is refused. Several "
            "files are one: counts are added, exactly. With --against they are judged as what a "
            "recorder of that scenario reports of one run: of the first where it has several "
            "replications, which export pools; --set /run/replications=1 makes them one.",
};
