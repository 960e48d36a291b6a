/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sim/experiments/points.h"
#include "tools/directory.h"
#include "tools/interrupt.h"
#include "tools/output.h"
#include "tools/progress.h"
#include "tools/report/utf8.h"

#define WIDTH_DEFAULT 100
#define WIDTH_LEAST 40
#define WIDTH_MOST 1000
#define SCENARIO_BYTES_MOST ((size_t)256 << 20)

int session_tell(const struct errors *errors)
{
    for (size_t i = 0; i < errors->count; i++) {
        char *clean = utf8_clean(errors->texts[i]);
        fprintf(stderr, "%s\n", clean);
        free(clean);
    }
    if (errors->left_out > 0)
        fprintf(stderr, "duetime: and %zu faults more\n", errors->left_out);
    if (errors->machine)
        return EXIT_MACHINE;
    return errors->count > 0 ? EXIT_REQUEST : EXIT_HOLDS;
}

static size_t width_of_terminal(void)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    unsigned long width = 0;
    if (columns)
        width = strtoul(columns, NULL, 10);
    else if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    if (width == 0)
        return WIDTH_DEFAULT;
    return width < WIDTH_LEAST ? WIDTH_LEAST : width > WIDTH_MOST ? WIDTH_MOST : width;
}

struct report_style session_style(const struct options *options, bool first)
{
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    bool to_stdout = !options->output || strcmp(options->output, "-") == 0;
    return (struct report_style){
        .format = options->format,
        .width = width_of_terminal(),
        .colour = to_stdout && isatty(STDOUT_FILENO) && !(no_colour && no_colour[0]) && terminal &&
                  strcmp(terminal, "dumb") != 0,
        .first = first,
    };
}

char *session_slurp(const char *file, size_t *length, struct errors *errors)
{
    bool is_stdin = strcmp(file, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        errors_add_file(errors, file, "cannot be opened", errno);
        return NULL;
    }
    size_t room = 65536;
    char *text = must_alloc(room, 1);
    *length = 0;
    ssize_t got;
    while ((got = read(fd, text + *length, room - *length)) != 0) {
        if (got < 0 && errno == EINTR && *interrupt_flag() == 0)
            continue;
        if (got < 0)
            break;
        *length += (size_t)got;
        if (*length > SCENARIO_BYTES_MOST)
            break;
        if (*length == room)
            text = must_grow(text, room *= 2, 1);
    }
    int number = errno;
    if (!is_stdin)
        close(fd);
    if (got == 0)
        return text;
    if (got > 0)
        errors_add(errors, (struct place){.file = file}, "more than %zu bytes",
                   SCENARIO_BYTES_MOST);
    else if (*interrupt_flag() == 0)
        errors_add_file(errors, file, "cannot be read", number);
    free(text);
    return NULL;
}

static struct plan *read_plan(const struct source *source, struct errors *errors)
{
    return source->text ? plan_read(source->file, source->text, source->length, source->settings,
                                    source->setting_count, errors)
                        : NULL;
}

/* Percentiles as others write quantiles are legal, and hardly ever meant. */
static void warn_of_quantiles(const struct plan *plan)
{
    const struct report_plan *report = &plan->report;
    const struct percentile *example = NULL;
    for (size_t i = 0; i < report->percentile_count; i++) {
        struct ratio p = report->percentiles[i].p;
        if ((u128)p.num * 100 >= p.den)
            return;
        if (p.num != 0 && !example)
            example = &report->percentiles[i];
    }
    if (!example)
        return;
    char *clean = utf8_clean(plan->file);
    fprintf(stderr,
            "%s: warning: percentiles are in percent: %s is p%s, with %s %% of the samples below "
            "it\n",
            clean, example->text, example->text, example->text);
    free(clean);
}

struct result *session_run(const struct options *options, const struct plan *plan, int *status)
{
    struct progress progress;
    progress_begin(&progress, plan->file, run_estimate(plan, options->exact_limit));
    struct errors errors = {0};
    struct run_options run = {.threads = options->threads,
                              .exact_limit = options->exact_limit,
                              .stop = interrupt_flag(),
                              .progress = progress.shown ? progress_tell : NULL,
                              .progress_self = &progress};
    struct result *result = run_scenario(plan, &run, &errors);
    progress_end(&progress);
    bool whole = result != NULL && !result->interrupted;
    if (session_ran(whole, &errors, status))
        return result;
    if (result != NULL)
        result_free(result);
    return NULL;
}

bool session_ran(bool whole, struct errors *errors, int *status)
{
    *status = session_tell(errors);
    errors_free(errors);
    if (whole && *interrupt_flag() == 0)
        return true;
    if (*interrupt_flag() != 0)
        *status = EXIT_SIGNAL + (int)*interrupt_flag();
    else if (*status == EXIT_HOLDS)
        *status = EXIT_MACHINE;
    return false;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* A report is written whole or not at all. */
static int visit_plan(const struct options *options, const struct visitor *visitor,
                      const struct plan *plan, struct output *output, bool *first,
                      struct errors *errors)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    int status = EXIT_HOLDS;
    if (!out) {
        errors_add_machine(errors, "duetime: no memory for the report");
    } else {
        status = visitor->visit(visitor->self, options, plan, out, *first);
        if (fclose(out) != 0)
            errors_add_machine(errors, "duetime: no memory for the report");
        else if (status < EXIT_REQUEST && length > 0) {
            output_write(output, text, length, errors);
            *first = false;
        }
    }
    free(text);
    return status;
}

/* One scenario from its text to the output. */
static int visit_source(const struct options *options, const struct visitor *visitor,
                        const struct source *source, struct output *output, bool *first,
                        struct errors *errors)
{
    struct plan *plan = read_plan(source, errors);
    if (!plan) {
        int status = session_tell(errors);
        if (visitor->unreadable && *interrupt_flag() == 0)
            visitor->unreadable(visitor->self, source->file, errors);
        errors_free(errors);
        return *interrupt_flag() != 0 ? EXIT_SIGNAL + (int)*interrupt_flag()
                                      : larger(status, EXIT_REQUEST);
    }
    warn_of_quantiles(plan);
    int status;
    if (visitor->stream) {
        status = visitor->stream(visitor->self, options, source, plan, output, errors);
        *first = *first && status >= EXIT_REQUEST;
    } else {
        status = visit_plan(options, visitor, plan, output, first, errors);
    }
    plan_free(plan);
    return status;
}

/* One file from its bytes to the output.  *first: nothing has been written yet. */
static int visit_file(const struct options *options, const struct visitor *visitor,
                      const char *file, struct output *output, bool *first)
{
    struct errors errors = {0};
    struct source source = {
        .file = file, .settings = options->settings, .setting_count = options->setting_count};
    char *text = session_slurp(file, &source.length, &errors);
    source.text = text;
    int status = visit_source(options, visitor, &source, output, first, &errors);
    status = larger(status, session_tell(&errors));
    errors_free(&errors);
    free(text);
    return status;
}

int session_each(const struct options *options, const struct visitor *visitor)
{
    struct errors errors = {0};
    struct output output;
    int status = EXIT_HOLDS;
    bool first = true;
    struct file_list files;
    files_expand(options->operands, options->operand_count, &files, &errors);
    if (output_open(&output, options->output, &errors)) {
        for (size_t i = 0; i < files.count && output.state == OUTPUT_OPEN; i++) {
            status = larger(status, visit_file(options, visitor, files.names[i], &output, &first));
            if (*interrupt_flag() != 0)
                break;
        }
        bool keep = *interrupt_flag() == 0 && !first;
        output_close(&output, keep, &errors);
    }
    file_list_free(&files);
    status = larger(status, session_tell(&errors));
    errors_free(&errors);
    if (*interrupt_flag() != 0) {
        fputs("duetime: interrupted\n", stderr);
        return EXIT_SIGNAL + (int)*interrupt_flag();
    }
    return status;
}

int session_once(const struct options *options, void (*fill)(void *self, FILE *out), void *self)
{
    struct errors errors = {0};
    struct output output;
    if (output_open(&output, options->output, &errors)) {
        char *text = NULL;
        size_t length = 0;
        FILE *out = open_memstream(&text, &length);
        if (out)
            fill(self, out);
        if (!out || fclose(out) != 0)
            errors_add_machine(&errors, "duetime: no memory for the output");
        else
            output_write(&output, text, length, &errors);
        free(text);
        output_close(&output, errors.count == 0, &errors);
    }
    int status = session_tell(&errors);
    errors_free(&errors);
    return status;
}

void session_fill_text(void *self, FILE *out)
{
    const struct output_text *text = self;
    fwrite(text->bytes, 1, text->length, out);
}
