/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/scenario/reader.h"
#include "tools/command.h"
#include "tools/session.h"

static void fill(void *self, FILE *out)
{
    (void)self;
    schema_write(out);
}

static int run(const struct options *options)
{
    return session_once(options, fill, NULL);
}

const struct command command_schema = {
    .name = "schema",
    .operands = "",
    .says = "print the JSON Schema of scenarios",
    .options = OPTION_BIT(OPTION_OUTPUT),
    .formats = 1u << FORMAT_TEXT,
    .operands_least = 0,
    .operands_most = 0,
    .run = run,
    .help = "Prints the JSON Schema that scenario files follow.",
};
