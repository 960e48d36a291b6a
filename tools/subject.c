/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/subject.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/scan.h"

#define OUTPUT_MOST ((size_t)1 << 20)
#define ROWS_A_CHUNK 2048
#define LINE_SHOWN 200

/* What is being told. */
struct teller {
    const struct trial *trial;
    bool binary, greeted, ended, failed;
    size_t next; /* request */
    char *chunk; /* owned */
};

static bool tell(void *self, const char **bytes, size_t *length)
{
    struct teller *t = self;
    size_t left = t->trial->requests.count - t->next;
    size_t count = left < ROWS_A_CHUNK ? left : ROWS_A_CHUNK;
    if (t->ended)
        return false;
    free(t->chunk);
    t->chunk = NULL;
    FILE *out = open_memstream(&t->chunk, length);
    t->failed = out == NULL;
    if (out == NULL)
        return false;
    if (!t->greeted)
        wire_hello(t->trial, t->binary, out);
    t->greeted = true;
    wire_requests(t->trial, t->next, count, t->binary, out);
    t->next += count;
    t->ended = t->next == t->trial->requests.count;
    if (t->ended)
        wire_end(t->binary, out);
    t->failed = fclose(out) != 0;
    if (t->failed)
        return false;
    *bytes = t->chunk;
    return true;
}

/* One line of what it printed: the first, or the last that holds more than blanks; NULL: none.
   Owned by the caller. */
static char *line_of(const char *text, size_t length, bool last)
{
    size_t start = 0, end = 0;
    for (size_t at = 0; at < length;) {
        const char *newline = memchr(text + at, '\n', length - at);
        size_t stop = newline != NULL ? (size_t)(newline - text) : length;
        size_t first = at;
        while (first < stop && memchr(" \t\r", text[first], 3) != NULL)
            first++;
        if (first < stop && (last || end == 0)) {
            start = first;
            end = stop;
        }
        at = stop + 1;
    }
    struct scan bytes = {.text = text, .length = length};
    return end == 0 ? NULL : scan_excerpt(&bytes, start, end, LINE_SHOWN);
}

static char *printed_words(const struct child_result *child)
{
    char *line = line_of(child->output, child->output_length, false);
    char *words = line != NULL ? must_format("its first line: %s", line)
                               : must_copy("it had printed nothing");
    free(line);
    return words;
}

/* Names of signals that programs die of. */
static const char *signal_words(int number)
{
    static const struct {
        int number;
        const char *words;
    } known[] = {
        {SIGSEGV, "a bad address"},    {SIGABRT, "it aborted"},
        {SIGBUS, "a bad address"},     {SIGFPE, "a bad division"},
        {SIGILL, "a bad instruction"}, {SIGKILL, "killed"},
        {SIGPIPE, "nobody read on"},   {SIGTERM, "ended"},
        {SIGXCPU, "processor time"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].number == number)
            return known[i].words;
    return "not one of the usual ones";
}

static char *limit_words(const struct subject *subject, const struct child_result *child)
{
    char limit[32];
    if (child->end == CHILD_TIMED_OUT) {
        duration_format(subject->timeout_ns, limit);
        return must_format("it hangs: after %s it had %sread its input and not ended", limit,
                           child->took_all ? "" : "not ");
    }
    if (child->end == CHILD_OUT_OF_MEMORY)
        return must_format("it took %" PRIu64
                           " MiB of memory, with all that it had started; %" PRIu64
                           " MiB are allowed",
                           child->most_bytes >> 20, subject->memory_bytes >> 20);
    return must_format("it printed more than %zu KiB where one line is asked for",
                       OUTPUT_MOST >> 10);
}

static char *exit_words(int status)
{
    if (status == 0)
        return NULL;
    if (status == 127)
        return must_copy("sh found no such command (exit status 127)");
    if (status > 128 && status < 160) /* sh tells of a signal so */
        return must_format("it was ended by signal %d: %s (exit status %d)", status - 128,
                           signal_words(status - 128), status);
    return must_format("it ended with exit status %d", status);
}

/* NULL: it came to its end by itself, and well.  Owned by the caller. */
static char *end_words(const struct subject *subject, const struct child_result *child)
{
    switch (child->end) {
    case CHILD_EXITED: return exit_words(child->value);
    case CHILD_SIGNALLED:
        return must_format("it was ended by signal %d: %s", child->value,
                           signal_words(child->value));
    case CHILD_TIMED_OUT:
    case CHILD_OUT_OF_MEMORY:
    case CHILD_FLOODED: return limit_words(subject, child);
    case CHILD_STOPPED: return must_copy("interrupted");
    case CHILD_NOT_STARTED:
        return must_format("it could not be started: %s", strerror(child->value));
    }
    BUG("a child's end outside its enum");
}

/* What it says of it itself, and what it had printed. */
static char *with_last_words(char *problem, const struct child_result *child)
{
    char *said = line_of(child->complaints, child->complaints_length, true);
    if (said == NULL)
        return problem;
    char *longer = must_format("%s; on standard error: %s", problem, said);
    free(said);
    free(problem);
    return longer;
}

static void find_problem(const struct subject *subject, const struct trial *trial,
                         struct hearing *h)
{
    h->problem = end_words(subject, &h->child);
    if (h->problem != NULL && !h->machine && !h->stopped) {
        char *printed = printed_words(&h->child);
        char *longer = must_format("%s; %s", h->problem, printed);
        free(printed);
        free(h->problem);
        h->problem = longer;
    } else if (h->problem == NULL) {
        h->problem =
            wire_answer(h->child.output, h->child.output_length, trial, &h->report, &h->declared);
    }
    if (h->problem != NULL && !h->machine && !h->stopped)
        h->problem = with_last_words(h->problem, &h->child);
}

void subject_hear(const struct subject *subject, const struct trial *trial, struct hearing *out)
{
    *out = (struct hearing){0};
    struct teller teller = {.trial = trial, .binary = subject->binary};
    struct child_request request = {.command = subject->command,
                                    .timeout_ns = subject->timeout_ns,
                                    .memory_bytes = subject->memory_bytes,
                                    .output_most = OUTPUT_MOST,
                                    .feed = tell,
                                    .self = &teller,
                                    .stop = subject->stop};
    child_run(&request, &out->child);
    free(teller.chunk);
    out->machine = out->child.end == CHILD_NOT_STARTED || teller.failed;
    out->stopped = out->child.end == CHILD_STOPPED;
    if (teller.failed)
        out->problem = must_copy("no memory for what it is told");
    else
        find_problem(subject, trial, out);
    if (out->problem == NULL && subject->declares != NULL) {
        declared_free(&out->declared);
        char *why = wire_declares(subject->declares, strlen(subject->declares), &out->declared);
        BUG_IF(why != NULL);
    }
    bool early = !out->child.took_all && out->problem == NULL;
    if (early || out->child.left_behind)
        out->beside = must_format("%s%s%s", early ? "it did not read its input to the end" : "",
                                  early && out->child.left_behind ? "; " : "",
                                  out->child.left_behind ? "it left processes behind, which were "
                                                           "ended"
                                                         : "");
}

void hearing_free(struct hearing *hearing)
{
    free(hearing->problem);
    free(hearing->beside);
    report_free(&hearing->report);
    declared_free(&hearing->declared);
    child_result_free(&hearing->child);
    *hearing = (struct hearing){0};
}
