/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/output.h"
#include "tools/schedules.h"
#include "tools/session.h"
#include "tools/suite.h"

#define TIMEOUT_NS (30 * NS_PER_S)
#define MEMORY_BYTES (UINT64_C(1) << 30)

/* One call of the command. */
struct conforming {
    const struct options *options;
    struct subject subject;
    struct run_options run;
    FILE *junit; /* NULL: none asked for */
    bool separates;
};

static void write_case(const struct conforming *c, const struct suite_case *judged, FILE *out,
                       bool brief)
{
    struct heard heard = case_heard(judged, c->subject.command);
    struct report_style style = session_style(c->options, true);
    if (style.format == FORMAT_JSON)
        judged_write_json(out, &heard);
    else
        judged_write(out, &heard, &style, brief);
    if (c->junit != NULL)
        judged_write_junit(c->junit, &heard);
}

/* EXIT_HOLDS: it was heard, whatever came of that. */
static int hear(const struct conforming *c, struct suite_case *item, struct errors *errors)
{
    case_hear(item, &c->subject);
    if (item->hearing.stopped || *interrupt_flag() != 0)
        return EXIT_SIGNAL + (int)*interrupt_flag();
    if (!item->hearing.machine)
        return EXIT_HOLDS;
    errors_add_machine(errors, "duetime: %s", item->hearing.problem);
    return EXIT_MACHINE;
}

static bool conforms(const struct suite_case *item)
{
    return item->hearing.problem == NULL && item->verdict.conforms;
}

static void write_together(const struct conforming *c, const struct judged_together *all, FILE *out)
{
    struct report_style style = session_style(c->options, true);
    if (style.format == FORMAT_JSON)
        judged_write_json_together(out, all);
    else
        judged_write_together(out, all, &style);
}

/* What would tell suspects apart, in words.  Owned by the caller. */
static char *separation_words(const struct cases *cases, const struct suspects *suspects,
                              size_t *next)
{
    *next = suspects->count > 1 ? cases_separating(cases, suspects) : NO_INDEX;
    if (*next != NO_INDEX)
        return must_format("%s tells them apart; --separate runs it.",
                           cases->items[*next].plan->file);
    return suspects->count > 1
               ? must_copy(
                     "No scenario of the suite tells them apart: in all they report the same.")
               : NULL;
}

/* Runs what tells suspects apart until one is left. */
static int separate(const struct conforming *c, struct cases *cases, const struct suite_case *first,
                    struct suspects *suspects, FILE *out, struct errors *errors)
{
    while (suspects->count > 1) {
        size_t next = cases_separating(cases, suspects);
        if (next == NO_INDEX)
            return EXIT_HOLDS;
        int status = hear(c, &cases->items[next], errors);
        if (status != EXIT_HOLDS)
            return status;
        write_case(c, &cases->items[next], out, false);
        suspects_free(suspects);
        cases_suspects(cases, first, suspects);
    }
    return EXIT_HOLDS;
}

static void count_heard(const struct cases *cases, const struct suite_case *first,
                        struct judged_together *all)
{
    for (size_t i = 0; i <= cases->count; i++) {
        const struct suite_case *item = i < cases->count ? &cases->items[i] : first;
        if (item == NULL || !item->heard)
            continue;
        all->count++;
        all->conforming += conforms(item);
    }
}

/* All that was heard together; the last word.  `first` may be NULL. */
static int conclude(const struct conforming *c, struct cases *cases, const struct suite_case *first,
                    FILE *out, struct errors *errors)
{
    struct suspects suspects;
    size_t next;
    int status = EXIT_HOLDS;
    cases_suspects(cases, first, &suspects);
    if (c->separates)
        status = separate(c, cases, first, &suspects, out, errors);
    char *told = separation_words(cases, &suspects, &next);
    struct judged_together all = {
        .command = c->subject.command, .suspects = &suspects, .separation = told};
    count_heard(cases, first, &all);
    char *beyond = suspects.count == 0 ? cases_beyond(cases, first) : NULL;
    all.beyond = beyond;
    all.only_separation = first != NULL && all.count == 1;
    if (status == EXIT_HOLDS)
        write_together(c, &all, out);
    suspects_free(&suspects);
    free(beyond);
    free(told);
    return status;
}

/* One recorder of one scenario, and where several faults would explain it what tells them apart. */
static int judge_one(const struct conforming *c, struct suite_case *item, FILE *out,
                     struct errors *errors)
{
    int status = hear(c, item, errors);
    if (status != EXIT_HOLDS)
        return status;
    write_case(c, item, out, false);
    if (conforms(item))
        return EXIT_HOLDS;
    if (item->hearing.problem != NULL || item->verdict.suspect_count < 2)
        return EXIT_FAILS;
    struct cases cases;
    const struct options plain = {.threads = c->options->threads};
    if (cases_open(&cases, NULL, &plain, &c->run, errors))
        status = conclude(c, &cases, item, out, errors);
    cases_free(&cases);
    return status == EXIT_HOLDS ? EXIT_FAILS : status;
}

static int judge_suite(const struct conforming *c, struct cases *cases, FILE *out,
                       struct errors *errors)
{
    bool good = true;
    for (size_t i = 0; i < cases->count; i++) {
        int status = hear(c, &cases->items[i], errors);
        if (status != EXIT_HOLDS)
            return status;
        write_case(c, &cases->items[i], out, true);
        good = good && conforms(&cases->items[i]);
    }
    int status = conclude(c, cases, NULL, out, errors);
    return status == EXIT_HOLDS && !good ? EXIT_FAILS : status;
}

/* The scenario of a FILE. */
static int visit(void *self, const struct options *options, const struct plan *plan, FILE *out,
                 bool first)
{
    (void)first;
    const struct conforming *c = self;
    struct errors errors = {0};
    struct suite_case item = {0};
    int status = EXIT_HOLDS;
    if (case_open(&item, plan, option_value(options, OPTION_RECORDER), &c->run, &errors))
        status = judge_one(c, &item, out, &errors);
    case_free(&item);
    int told = session_tell(&errors);
    errors_free(&errors);
    return told > status ? told : status;
}

/* What is built in: the whole suite, or its first scenario. */
static int judge_built_in(const struct conforming *c)
{
    bool whole = (c->options->given & OPTION_BIT(OPTION_SUITE)) != 0;
    struct errors errors = {0};
    struct cases cases;
    struct output_text text = {0};
    int status = EXIT_HOLDS;
    FILE *out = open_memstream(&text.bytes, &text.length);
    if (out == NULL)
        errors_add_machine(&errors, "duetime: no memory for the report");
    else if (cases_open(&cases, whole ? NULL : SUITE_FIRST, c->options, &c->run, &errors))
        status = whole ? judge_suite(c, &cases, out, &errors)
                       : judge_one(c, &cases.items[0], out, &errors);
    if (out != NULL) {
        cases_free(&cases);
        fclose(out);
    }
    int told = session_tell(&errors);
    errors_free(&errors);
    status = told > status ? told : status;
    if (*interrupt_flag() != 0) {
        fputs("duetime: interrupted\n", stderr);
        status = EXIT_SIGNAL + (int)*interrupt_flag();
    } else if (status < EXIT_REQUEST) {
        int written = session_once(c->options, session_fill_text, &text);
        status = written > status ? written : status;
    }
    free(text.bytes);
    return status;
}

static void complain(struct errors *errors, const char *what, const char *found)
{
    errors_add(errors, (struct place){.file = "duetime"}, "%s%s", what, found);
}

/* 1048576, 512MiB, 2GiB. */
static bool read_bytes(const char *text, uint64_t *out)
{
    static const struct {
        const char *name;
        unsigned shift;
    } units[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"", 0}};
    size_t length = strspn(text, "0123456789");
    char *digits = must_format("%.*s", (int)length, text);
    bool good = false;
    for (size_t i = 0; i < sizeof units / sizeof units[0] && !good; i++)
        if (strcmp(text + length, units[i].name) == 0 &&
            option_count(digits, UINT64_MAX >> units[i].shift, out)) {
            *out <<= units[i].shift;
            good = *out > 0;
        }
    free(digits);
    return good;
}

static void read_limits(const struct options *options, struct subject *subject,
                        struct errors *errors)
{
    const char *timeout = option_value(options, OPTION_TIMEOUT);
    const char *memory = option_value(options, OPTION_MEMORY);
    if (timeout != NULL &&
        (duration_parse(timeout, strlen(timeout), &subject->timeout_ns) != DURATION_OK ||
         subject->timeout_ns == 0))
        complain(errors, "--timeout is a duration such as 30s, not ", timeout);
    if (memory != NULL && !read_bytes(memory, &subject->memory_bytes))
        complain(errors, "--memory is a number of bytes such as 1073741824, 512MiB or 2GiB, not ",
                 memory);
}

static void read_subject(const struct options *options, struct conforming *c, struct errors *errors)
{
    c->subject = (struct subject){
        .command = option_value(options, OPTION_COMMAND),
        .binary = (options->given & OPTION_BIT(OPTION_BINARY)) != 0,
        .timeout_ns = TIMEOUT_NS,
        .memory_bytes = MEMORY_BYTES,
        .declares = option_value(options, OPTION_DECLARES),
        .stop = interrupt_flag(),
    };
    read_limits(options, &c->subject, errors);
    const char *scheduler = option_value(options, OPTION_SCHEDULER);
    if ((c->subject.command == NULL) == (scheduler == NULL))
        complain(errors,
                 "conform needs --command CMD, the recorder to judge, or --scheduler CMD, the send "
                 "loop",
                 "");
    if ((options->given & OPTION_BIT(OPTION_SUITE)) != 0 &&
        (options->operand_count > 0 || option_value(options, OPTION_RECORDER) != NULL))
        complain(errors, "--suite brings its own scenarios and recorders: no FILE, no --recorder",
                 "");
    const char *outputs[] = {options->output, options->junit};
    for (size_t i = 0; i < 2 && options->operand_count > 0; i++)
        if (outputs[i] != NULL && output_same_file(outputs[i], options->operands[0]))
            complain(errors, "the scenario itself would be replaced: ", outputs[i]);
    if (c->subject.declares == NULL)
        return;
    struct declared declared;
    char *why = wire_declares(c->subject.declares, strlen(c->subject.declares), &declared);
    if (why != NULL)
        complain(errors, why, "");
    free(why);
    declared_free(&declared);
}

static int run_judged(struct conforming *c)
{
    const char *scheduler = option_value(c->options, OPTION_SCHEDULER);
    if (scheduler != NULL)
        return schedules_run(c->options,
                             &(struct dialogue){.command = scheduler,
                                                .timeout_ns = c->subject.timeout_ns,
                                                .memory_bytes = c->subject.memory_bytes,
                                                .stop = c->subject.stop},
                             c->junit);
    if (c->options->operand_count == 0)
        return judge_built_in(c);
    return session_each(c->options, &(struct visitor){.visit = visit, .self = c});
}

static int run(const struct options *options)
{
    struct conforming c = {.options = options,
                           .run = {.threads = options->threads, .stop = interrupt_flag()},
                           .separates = (options->given & OPTION_BIT(OPTION_SEPARATE)) != 0};
    struct errors errors = {0};
    struct output_text junit = {0};
    read_subject(options, &c, &errors);
    int status = session_tell(&errors);
    errors_free(&errors);
    if (status != EXIT_HOLDS)
        return status;
    c.junit = options->junit != NULL ? open_memstream(&junit.bytes, &junit.length) : NULL;
    if (c.junit != NULL)
        fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"duetime\">\n",
              c.junit);
    status = run_judged(&c);
    if (c.junit == NULL)
        return status;
    fputs("</testsuites>\n", c.junit);
    fclose(c.junit);
    if (status < EXIT_REQUEST) {
        int written =
            session_once(&(struct options){.output = options->junit}, session_fill_text, &junit);
        status = written > status ? written : status;
    }
    free(junit.bytes);
    return status;
}

const struct command command_conform = {
    .name = "conform",
    .operands = "[FILE]",
    .says = "judge a recorder, or a send loop, that is not duetime's own",
    .options = OPTION_BIT(OPTION_FORMAT) | OPTION_BIT(OPTION_SET) | OPTION_BIT(OPTION_SEED) |
               OPTION_BIT(OPTION_OUTPUT) | OPTION_BIT(OPTION_JUNIT) | OPTION_BIT(OPTION_COMMAND) |
               OPTION_BIT(OPTION_SCHEDULER) | OPTION_BIT(OPTION_LOAD) |
               OPTION_BIT(OPTION_RECORDER) | OPTION_BIT(OPTION_BINARY) |
               OPTION_BIT(OPTION_TIMEOUT) | OPTION_BIT(OPTION_MEMORY) |
               OPTION_BIT(OPTION_DECLARES) | OPTION_BIT(OPTION_SUITE) | OPTION_BIT(OPTION_SEPARATE),
    .formats = 1u << FORMAT_TEXT | 1u << FORMAT_MARKDOWN | 1u << FORMAT_JSON,
    .operands_least = 0,
    .operands_most = 1,
    .run = run,
    .help = "Starts CMD, tells it every request of the scenario FILE (by default one that is built "
            "in) on its standard input, and holds what it answers on its standard output against "
            "the truth: which figures are right, how far off the others are, and which known "
            "fault reports just that. tools/examples/README.md shows the pipe, with recorders in "
            "five languages. With "
            "--scheduler CMD is a send loop: it is told the load and the clock, says what leaves "
            "when, and every send is held to the schedule; tools/examples/schedulers/README.md "
            "shows how.",
    .timeout_says = "how long CMD may take, in the time of the clock on the wall: by default 30s",
};
