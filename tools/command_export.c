/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/detect.h"
#include "sim/formats/sampled.h"
#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/report/utf8.h"
#include "tools/session.h"
#include "tools/wanted.h"

static ns_t wanted_window(const struct options *options, struct errors *errors)
{
    const char *text = option_value(options, OPTION_WINDOW);
    ns_t window_ns = NS_PER_S;
    bool is_log = options->format == FORMAT_HLOG;
    if (text != NULL &&
        (duration_parse(text, strlen(text), &window_ns) != DURATION_OK || window_ns == 0))
        errors_add(errors, (struct place){.file = "duetime"},
                   "--window is a duration such as 500ms, not %s", text);
    else if (text != NULL && !is_log)
        errors_add(errors, (struct place){.file = "duetime"},
                   "--window is of --format hlog; hgrm has one histogram of the whole run");
    return is_log ? window_ns : 0;
}

static unsigned wanted_digits(const struct options *options, struct errors *errors)
{
    const char *text = option_value(options, OPTION_DIGITS);
    uint64_t digits = 0;
    if (text != NULL && (!option_count(text, 5, &digits) || digits == 0))
        errors_add(errors, (struct place){.file = "duetime"}, "--digits is 1 to 5, not %s", text);
    return (unsigned)digits;
}

static void write_log(const struct sampled *sampled, const struct plan *plan, size_t recorder,
                      FILE *out)
{
    char *about =
        must_format("duetime %s, recorder %s", DUETIME_VERSION, plan->recorders[recorder].name);
    char *clean = utf8_clean(about);
    hlog_write_head(clean, out);
    free(clean);
    free(about);
    for (size_t i = 0; i < sampled->count; i++)
        hlog_write(&sampled->windows[i], out);
}

static void warn(const struct sampled *sampled, const struct plan *plan)
{
    char *clean = utf8_clean(plan->file);
    if (sampled->left_out > 0)
        fprintf(stderr,
                "%s: warning: %" PRIu64 " sample%s left out, beyond the recorder's "
                "range or counted as infinite: the file has no place for them\n",
                clean, sampled->left_out, sampled->left_out == 1 ? " is" : "s are");
    free(clean);
}

/* The plan of the length that `run` would choose. */
static bool size_plan(struct plan *sized, const struct options *options, struct errors *errors)
{
    struct run_options run = {.threads = options->threads, .stop = interrupt_flag()};
    struct plan_sizing sizing;
    bool interrupted = false;
    if (sized->run.detect_p.num == 0)
        return true;
    if (!detect_size(sized, &run, &sizing, &interrupted, errors) || interrupted)
        return false;
    sized->run.requests = sizing.requests;
    return true;
}

static int visit(void *self, const struct options *options, const struct plan *plan, FILE *out,
                 bool first)
{
    (void)self;
    (void)first;
    struct errors errors = {0};
    struct plan sized = *plan;
    struct run_options run = {.threads = options->threads, .stop = interrupt_flag()};
    ns_t unit_ns = wanted_unit(options, NS_PER_MS, &errors);
    struct sample_request request = {.plan = &sized,
                                     .recorder = wanted_recorder(options, plan, &errors),
                                     .digits = wanted_digits(options, &errors),
                                     .window_ns = wanted_window(options, &errors),
                                     .options = &run};
    bool is_log = options->format == FORMAT_HLOG;
    if (is_log && option_value(options, OPTION_UNIT) != NULL)
        errors_add(&errors, (struct place){.file = "duetime"},
                   "--unit is of --format hgrm; hlog has ns inside, and its maximum in ms");
    struct sampled sampled = {0};
    bool good = errors.count == 0 && size_plan(&sized, options, &errors) &&
                sample_recorder(&request, &sampled, &errors);
    if (good && *interrupt_flag() == 0) {
        warn(&sampled, plan);
        if (is_log)
            write_log(&sampled, plan, request.recorder, out);
        else
            hgrm_write(&sampled.windows[0], unit_ns, out);
    }
    sampled_free(&sampled);
    int status = session_tell(&errors);
    errors_free(&errors);
    if (*interrupt_flag() != 0)
        return EXIT_SIGNAL + (int)*interrupt_flag();
    return status;
}

static int run(const struct options *options)
{
    return session_each(options, &(struct visitor){.visit = visit});
}

const struct command command_export = {
    .name = "export",
    .operands = "FILE",
    .says = "write a recorder's histogram as other tools read it",
    .options = OPTION_BIT(OPTION_FORMAT) | OPTION_BIT(OPTION_SET) | OPTION_BIT(OPTION_SEED) |
               OPTION_BIT(OPTION_THREADS) | OPTION_BIT(OPTION_OUTPUT) |
               OPTION_BIT(OPTION_RECORDER) | OPTION_BIT(OPTION_UNIT) | OPTION_BIT(OPTION_WINDOW) |
               OPTION_BIT(OPTION_DIGITS),
    .formats = 1u << FORMAT_HGRM | 1u << FORMAT_HLOG,
    .operands_least = 1,
    .operands_most = 1,
    .run = run,
    .help = "Runs the scenario FILE and writes the samples of one recorder as an HdrHistogram: "
            "hgrm is the percentile distribution text, values in --unit (ms); hlog the interval "
            "log, version 1.3, a histogram for each --window (1s) of the instants at which "
            "requests ended. What a correction adds is in it. All replications are pooled. A "
            "recorder whose store is no HdrHistogram is put into one of --digits (3).",
};
