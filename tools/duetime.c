/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_errno.h>

#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/session.h"
#include "tools/words.h"

static const struct command *const commands[] = {
    &command_run, &command_check, &command_law, &command_explain, &command_list, &command_schema,
};
#define COMMAND_TOTAL (sizeof commands / sizeof commands[0])

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_TOTAL && name; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

/* What --help prints. */
struct help {
    const struct command *command; /* NULL: of the program */
    size_t width;
};

static void write_options(FILE *out, unsigned options)
{
    for (size_t id = 0; id <= OPTION_VERSION; id++) {
        const struct option_text *text = &option_texts[id];
        if ((options & OPTION_BIT(id)) == 0)
            continue;
        char *name = must_format("--%s%s%s", text->name, text->value ? " " : "",
                                 text->value ? text->value : "");
        fprintf(out, "  %-18s %s\n", name, text->says);
        free(name);
    }
}

static void fill_help(void *self, FILE *out)
{
    const struct help *help = self;
    const struct command *command = help->command;
    if (command) {
        fprintf(out, "usage: duetime %s [OPTION]...%s%s\n\n", command->name,
                command->operands[0] ? " " : "", command->operands);
        paragraph_write(out, command->help, 0, help->width);
        fputs("\noptions:\n", out);
        write_options(out, command->options | OPTION_BIT(OPTION_HELP) | OPTION_BIT(OPTION_VERSION));
    } else {
        fputs("usage: duetime COMMAND [OPTION]... [FILE]...\n\n", out);
        paragraph_write(out,
                        "What would this way of measuring have reported about that server? "
                        "Runs a scenario on a virtual clock and holds every percentile its "
                        "recorders report against a closed-form law.",
                        0, help->width);
        fputs("\ncommands:\n", out);
        for (size_t i = 0; i < COMMAND_TOTAL; i++)
            fprintf(out, "  %-8s %s\n", commands[i]->name, commands[i]->says);
        fputs("\nduetime COMMAND --help says what a command takes. "
              "Options stand before or after files;\n-- ends them, - is standard input.\n",
              out);
    }
    fputs("\nexit status: 0 no check or expectation failed, 1 one did, 2 the request was wrong,\n"
          "3 the machine failed (no memory, disk full), 130 interrupted.\n",
          out);
}

static void fill_version(void *self, FILE *out)
{
    (void)self;
    fputs("duetime " DUETIME_VERSION "\n", out);
}

static void judge_command(const struct options *options, struct errors *errors)
{
    const struct place here = {.file = "duetime"};
    if (!options->command) {
        errors_add(errors, here, "a command is missing; duetime --help lists them");
        return;
    }
    const char *names[COMMAND_TOTAL];
    for (size_t i = 0; i < COMMAND_TOTAL; i++)
        names[i] = commands[i]->name;
    const char *nearest = nearest_name(options->command, names, COMMAND_TOTAL);
    errors_add(errors, here, "there is no command %s; %s%s", options->command,
               nearest ? "the nearest is " : "duetime --help lists them", nearest ? nearest : "");
}

static void judge_operands(const struct options *options, const struct command *command,
                           struct errors *errors)
{
    const struct place here = {.file = "duetime"};
    for (size_t id = 0; id < OPTION_HELP; id++)
        if ((options->given & OPTION_BIT(id)) && !(command->options & OPTION_BIT(id)))
            errors_add(errors, here, "%s takes no --%s", command->name, option_texts[id].name);
    if ((command->options & OPTION_BIT(OPTION_FORMAT)) &&
        !(command->formats & 1u << options->format))
        errors_add(errors, here, "%s has no such --format", command->name);
    if (options->operand_count < command->operands_least)
        errors_add(errors, here, "%s needs a scenario file; - is standard input", command->name);
    if (options->operand_count > command->operands_most)
        errors_add(errors, here, "%s: what is %s for?", command->name,
                   options->operands[command->operands_most]);
    size_t from_stdin = 0;
    for (size_t i = 0; i < options->operand_count; i++)
        from_stdin += strcmp(options->operands[i], "-") == 0;
    if (from_stdin > 1)
        errors_add(errors, here, "standard input can be read only once");
}

int main(int argc, char **argv)
{
    struct errors errors = {0};
    struct options options;
    interrupt_watch();
    gsl_set_error_handler_off(); /* its own would abort; a law answers NAN, printed as unknown */
    options_parse(argc, argv, &options, &errors);
    const struct command *command = find_command(options.command);
    int status = EXIT_HOLDS;
    if (options.given & OPTION_BIT(OPTION_VERSION)) {
        status = session_once(&(struct options){0}, fill_version, NULL);
    } else if ((options.given & OPTION_BIT(OPTION_HELP)) && (command || !options.command)) {
        struct help help = {command, session_style(&options, true).width};
        status = session_once(&(struct options){0}, fill_help, &help);
    } else {
        if (command)
            judge_operands(&options, command, &errors);
        else
            judge_command(&options, &errors);
        status = session_tell(&errors);
        if (status == EXIT_HOLDS)
            status = command->run(&options);
    }
    errors_free(&errors);
    options_free(&options);
    return status;
}
