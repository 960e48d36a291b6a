/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <gsl/gsl_errno.h>

#include "models/base/vector.h"
#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/output.h"
#include "tools/report/utf8.h"
#include "tools/session.h"
#include "tools/words.h"

static const struct command *const commands[] = {
    &command_run,     &command_check,   &command_law,        &command_explain, &command_list,
    &command_schema,  &command_sweep,   &command_experiment, &command_trace,   &command_audit,
    &command_compare, &command_conform, &command_export,     &command_import,  &command_baseline,
};
#define HELP_WORD "help"
#define KEPT_BYTES (32 << 20) /* at most */
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

/* A name and what it does, which wraps beside it. */
static void write_entry(FILE *out, const char *name, int name_width, const char *says, size_t width)
{
    size_t indent = (size_t)name_width + 3;
    while (*says) {
        const char *next;
        size_t length = utf8_wrap(says, width > indent + 20 ? width - indent : 20, &next);
        fprintf(out, "  %-*s %.*s\n", name_width, name, (int)length, says);
        name = "";
        says = next;
    }
}

static void write_options(FILE *out, const struct command *command, size_t width)
{
    uint64_t options = command->options | OPTION_BIT(OPTION_HELP) | OPTION_BIT(OPTION_VERSION);
    char *formats = format_words(command->formats);
    for (size_t id = 0; id <= OPTION_VERSION; id++) {
        const struct option_text *text = &option_texts[id];
        if ((options & OPTION_BIT(id)) == 0)
            continue;
        char *name = must_format("--%s%s%s", text->name, text->value ? " " : "",
                                 text->value ? text->value : "");
        const char *says = text->says ? text->says : formats;
        if (id == OPTION_THREADS && command->threads_say)
            says = command->threads_say;
        if (id == OPTION_TIMEOUT && command->timeout_says)
            says = command->timeout_says;
        write_entry(out, name, 18, says, width);
        free(name);
    }
    free(formats);
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
        write_options(out, command, help->width);
    } else {
        fputs("usage: duetime COMMAND [OPTION]... [FILE]...\n\n", out);
        paragraph_write(out,
                        "What would this way of measuring have reported about that server? "
                        "Runs a scenario on a virtual clock and holds every percentile its "
                        "recorders report against a closed-form law.",
                        0, help->width);
        fputs("\ncommands:\n", out);
        for (size_t i = 0; i < COMMAND_TOTAL; i++)
            write_entry(out, commands[i]->name, 10, commands[i]->says, help->width);
        fputs("\nduetime help COMMAND or duetime COMMAND --help says what a command takes.\n"
              "Options stand before or after files; -- ends them, - is standard input.\n",
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
    const char *names[COMMAND_TOTAL + 1] = {HELP_WORD};
    for (size_t i = 0; i < COMMAND_TOTAL; i++)
        names[i + 1] = commands[i]->name;
    const char *nearest = nearest_name(options->command, names, COMMAND_TOTAL + 1);
    errors_add(errors, here, "there is no command %s; %s%s", options->command,
               nearest ? "the nearest is " : "duetime --help lists them", nearest ? nearest : "");
}

static void judge_format(const struct options *options, const struct command *command,
                         struct errors *errors)
{
    bool has = options->format_known && (command->formats & 1u << options->format);
    if (!options->format_name || has || !(command->options & OPTION_BIT(OPTION_FORMAT)))
        return;
    char *formats = format_words(command->formats);
    errors_add(errors, (struct place){.file = "duetime"}, "%s has no --format %s; allowed: %s",
               command->name, options->format_name, formats);
    free(formats);
}

/* All that is written in the end must be able to stand where it is to stand, and on no other file
   of this command line: found out now, not after the run. */
static void judge_destinations(const struct options *options, const struct command *command,
                               struct errors *errors)
{
    const struct place here = {.file = "duetime"};
    const char *const to[] = {options->output, options->junit};
    static const char *const names[] = {"--output", "--junit"};
    bool reads = command->operands_least > 0;
    for (size_t i = 0; i < sizeof to / sizeof to[0]; i++) {
        struct output output;
        if (!to[i] || !output_open(&output, to[i], errors))
            continue;
        output_close(&output, false, errors);
        for (size_t k = 0; k < options->operand_count && reads; k++)
            if (output_same_file(to[i], options->operands[k]))
                errors_add(errors, here,
                           "%s %s is the same file as the scenario %s, which it "
                           "would replace",
                           names[i], to[i], options->operands[k]);
    }
    if (options->junit && options->output && output_same_file(options->junit, options->output))
        errors_add(errors, here, "--junit %s is the same file as --output %s", options->junit,
                   options->output);
}

static void judge_operands(const struct options *options, const struct command *command,
                           struct errors *errors)
{
    const struct place here = {.file = "duetime"};
    for (size_t id = 0; id < OPTION_HELP; id++)
        if ((options->given & OPTION_BIT(id)) && !(command->options & OPTION_BIT(id)))
            errors_add(errors, here, "%s takes no --%s", command->name, option_texts[id].name);
    judge_format(options, command, errors);
    judge_destinations(options, command, errors);
    if (options->operand_count < command->operands_least)
        errors_add(errors, here, "%s needs %s; - is standard input", command->name,
                   command->operands_least > 1 ? "two files" : "a scenario file");
    if (options->operand_count > command->operands_most)
        errors_add(errors, here, "%s: what is %s for?", command->name,
                   options->operands[command->operands_most]);
    size_t from_stdin = 0;
    for (size_t i = 0; i < options->operand_count; i++)
        from_stdin += strcmp(options->operands[i], "-") == 0;
    if (from_stdin > 1)
        errors_add(errors, here, "standard input can be read only once");
}

/* `duetime help COMMAND` is `duetime COMMAND --help`. */
static bool take_help_word(struct options *options)
{
    if (!options->command || strcmp(options->command, HELP_WORD) != 0)
        return false;
    options->command = options->operand_count > 0 ? options->operands[0] : NULL;
    return true;
}

/* A run takes tables of some 100 KB and gives them back.  Kept, they serve the next one at once,
   where the kernel would zero them anew page by page and keep other threads waiting. */
static void keep_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
    mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
#endif
}

int main(int argc, char **argv)
{
    struct errors errors = {0};
    struct options options;
    keep_memory();
    interrupt_watch();
    gsl_set_error_handler_off(); /* its own would abort; a law answers NAN, printed as unknown */
    options_parse(argc, argv, &options, &errors);
    if (!vector_is_known())
        errors_add(&errors, (struct place){0},
                   "DUETIME_VECTOR: found \"%s\"; allowed: \"plain\", \"avx2\", \"avx512\"",
                   getenv("DUETIME_VECTOR"));
    bool helps = take_help_word(&options) || (options.given & OPTION_BIT(OPTION_HELP));
    const struct command *command = find_command(options.command);
    int status = EXIT_HOLDS;
    if (options.given & OPTION_BIT(OPTION_VERSION)) {
        status = session_once(&(struct options){0}, fill_version, NULL);
    } else if (helps && (command || !options.command)) {
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
