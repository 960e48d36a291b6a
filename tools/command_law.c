/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/session.h"

static int visit(void *self, const struct options *options, const struct plan *plan, FILE *out,
                 bool first)
{
    (void)self;
    struct errors errors = {0};
    struct result *result = run_laws(plan, interrupt_flag());
    if (!result)
        errors_add_machine(&errors, "%s: the laws could not be evaluated", plan->file);
    int status = session_tell(&errors);
    errors_free(&errors);
    if (!result)
        return status;
    struct report_style style = session_style(options, first);
    bool whole = !result->interrupted;
    if (whole)
        report_write(out, result, &style);
    result_free(result);
    return whole ? EXIT_HOLDS : EXIT_SIGNAL + (int)*interrupt_flag();
}

static int run(const struct options *options)
{
    return session_each(options, &(struct visitor){.visit = visit});
}

const struct command command_law = {
    .name = "law",
    .operands = "FILE...",
    .says = "print what the laws say of scenarios, without a run",
    .options = OPTION_BIT(OPTION_FORMAT) | OPTION_BIT(OPTION_SET) | OPTION_BIT(OPTION_SEED) |
               OPTION_BIT(OPTION_OUTPUT),
    .formats = 1u << FORMAT_TEXT | 1u << FORMAT_MARKDOWN | 1u << FORMAT_CSV | 1u << FORMAT_JSON,
    .operands_least = 1,
    .operands_most = SIZE_MAX,
    .run = run,
    .help = "For each scenario FILE (- is standard input): the closed form of what each recorder "
            "must report, and beside it the truth a user of the server meets. Nothing is "
            "simulated and nothing judged.",
};
