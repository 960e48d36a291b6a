/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>

#include "sim/experiments/points.h"
#include "tools/command.h"
#include "tools/report/findings.h"
#include "tools/report/utf8.h"
#include "tools/session.h"

/* A file may ask for more than one run, which is another command's to make. */
static void tell_of_more(const struct plan *plan)
{
    char *clean = utf8_clean(plan->file);
    if (plan->sweep_count > 0)
        fprintf(stderr,
                "%s: this is the scenario as it stands; duetime sweep runs the %" PRIu64
                " points of its sweep\n",
                clean, sweep_points(plan));
    if (plan->experiment.type)
        fprintf(stderr,
                "%s: this is the scenario as it stands; duetime experiment makes its experiment, "
                "%s\n",
                clean, plan->experiment.type->name);
    free(clean);
}

static int visit(void *self, const struct options *options, const struct plan *plan, FILE *out,
                 bool first)
{
    (void)self;
    int status;
    tell_of_more(plan);
    struct result *result = session_run(options, plan, &status);
    if (!result)
        return status;
    struct report_style style = session_style(options, first);
    report_write(out, result, &style);
    struct findings findings;
    findings_collect(result, &findings);
    bool fails = result->holds == VERDICT_FAILS || findings_count(&findings).failed > 0;
    findings_free(&findings);
    result_free(result);
    return fails ? EXIT_FAILS : EXIT_HOLDS;
}

static int run(const struct options *options)
{
    return session_each(options, &(struct visitor){.visit = visit});
}

const struct command command_run = {
    .name = "run",
    .operands = "FILE...",
    .says = "run scenarios; print their tables, checks and gates",
    .options = OPTION_BIT(OPTION_FORMAT) | OPTION_BIT(OPTION_SET) | OPTION_BIT(OPTION_SEED) |
               OPTION_BIT(OPTION_THREADS) | OPTION_BIT(OPTION_EXACT_LIMIT) |
               OPTION_BIT(OPTION_OUTPUT),
    .formats = 1u << FORMAT_TEXT | 1u << FORMAT_MARKDOWN | 1u << FORMAT_CSV | 1u << FORMAT_JSON,
    .operands_least = 1,
    .operands_most = SIZE_MAX,
    .run = run,
    .help = "Runs each scenario FILE (- is standard input) and prints what its recorders report, "
            "what the law says they must, and whether that holds.",
};
