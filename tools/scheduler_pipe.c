/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/scheduler_pipe.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/error.h"

#define SHOWN 60

/* Digits up to a blank or the end; moves *text behind them and one blank. */
static bool take_number(const char **text, uint64_t *out)
{
    const char *at = *text;
    uint64_t value = 0;
    if (*at < '0' || *at > '9')
        return false;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (value >= NS_LIMIT / 10)
            return false;
        value = 10 * value + (uint64_t)(*at - '0');
    }
    if (*at != '\0' && *at != ' ')
        return false;
    *text = *at == ' ' ? at + 1 : at;
    *out = value;
    return true;
}

static bool take_word(const char **text, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*text, word, length) != 0)
        return false;
    *text += length;
    return true;
}

/* Of a paced load the connection that it does not name is the one that has the slot. */
static bool take_send(const char *text, const struct offered *offered, struct schedule_send *out)
{
    *out = (struct schedule_send){0};
    if (!take_number(&text, &out->number) || !take_number(&text, &out->due_ns))
        return false;
    out->client = offered->paced ? out->number % offered->connections : 0;
    if (*text == '\0')
        return true;
    return take_number(&text, &out->client) && *text == '\0' &&
           out->client < SCHEDULE_CONNECTIONS_MOST;
}

/* What a line makes of the turn. */
enum meaning { MEANS_SEND, MEANS_END_OF_TURN, MEANS_REFUSAL, MEANS_NOTHING };

static enum meaning take_line(const char *line, const struct offered *offered,
                              struct schedule_turn *out)
{
    const char *text = line;
    struct schedule_send send;
    if (take_word(&text, "send ")) {
        if (!take_send(text, offered, &send))
            return MEANS_NOTHING;
        schedule_turn_send(out, send);
        return MEANS_SEND;
    }
    if (strcmp(line, "end") == 0) {
        out->rest = REST_END;
        return MEANS_END_OF_TURN;
    }
    if (strcmp(line, "wait done") == 0) {
        out->rest = REST_DONE;
        return MEANS_END_OF_TURN;
    }
    if (strcmp(line, "refuse") == 0)
        return MEANS_REFUSAL;
    out->rest = REST_UNTIL;
    return take_word(&text, "wait ") && take_number(&text, &out->until_ns) && *text == '\0'
               ? MEANS_END_OF_TURN
               : MEANS_NOTHING;
}

static void set_problem(struct scheduler_pipe *pipe, char *text)
{
    if (pipe->problem == NULL)
        pipe->problem = text;
    else
        free(text);
}

static bool turn(void *self, const struct schedule_event *event, struct schedule_turn *out)
{
    struct scheduler_pipe *pipe = self;
    char *told = event->done ? must_format("done %" PRIu64 " %" PRIu64, event->number, event->at_ns)
                             : must_format("now %" PRIu64, event->at_ns);
    char *line = must_format("%s\n", told);
    enum meaning meaning = MEANS_SEND;
    dialogue_say(&pipe->dialogue, line, strlen(line));
    while (meaning == MEANS_SEND) {
        const char *heard = dialogue_hear(&pipe->dialogue);
        if (heard == NULL)
            break;
        meaning = take_line(heard, pipe->offered, out);
        pipe->refused = meaning == MEANS_REFUSAL && !pipe->asked && out->count == 0;
        if (meaning == MEANS_NOTHING || (meaning == MEANS_REFUSAL && !pipe->refused))
            set_problem(pipe, must_format("told \"%s\", it said \"%.*s%s\", which is no \"send I "
                                          "DUE\", \"wait T\", \"wait done\" or \"end\"",
                                          told, SHOWN, heard, strlen(heard) > SHOWN ? "..." : ""));
        if (out->count > SCHEDULE_SENDS_MOST(pipe->offered->slots)) {
            set_problem(pipe, must_format("told \"%s\", it sent %zu requests and no end of it",
                                          told, out->count));
            meaning = MEANS_NOTHING;
        }
    }
    if (meaning == MEANS_SEND && pipe->dialogue.end == DIALOGUE_TIMED_OUT)
        set_problem(pipe, must_format("told \"%s\", it had not ended its turn when its time was "
                                      "over: \"wait T\", \"wait done\" or \"end\" ends one, and "
                                      "each line has to be flushed",
                                      told));
    pipe->asked = true;
    free(line);
    free(told);
    return meaning == MEANS_END_OF_TURN;
}

static char *exit_words(const struct dialogue *d)
{
    if (d->signal_number != 0)
        return must_format("it was ended by signal %d", d->signal_number);
    if (d->exited && d->status == 127)
        return must_copy("it could not be run (exit status 127)");
    if (d->exited)
        return must_format("it exited with status %d before it said \"end\"", d->status);
    return must_copy("it closed its output before it said \"end\"");
}

static void explain(struct scheduler_pipe *pipe)
{
    const struct dialogue *d = &pipe->dialogue;
    if (pipe->refused)
        return;
    switch (d->end) {
    case DIALOGUE_GOES_ON:
    case DIALOGUE_STOPPED: return;
    case DIALOGUE_CLOSED: set_problem(pipe, exit_words(d)); return;
    case DIALOGUE_TIMED_OUT: set_problem(pipe, must_copy("it took too long")); return;
    case DIALOGUE_OUT_OF_MEMORY:
        set_problem(pipe,
                    must_format("it used more than %" PRIu64 " bytes of memory", d->memory_bytes));
        return;
    case DIALOGUE_LONG_LINE:
        set_problem(pipe, must_format("it began a line of more than %d bytes", DIALOGUE_LINE_MOST));
        return;
    case DIALOGUE_NOT_STARTED:
        set_problem(pipe, must_format("it could not be started: %s", strerror(d->error)));
        return;
    }
}

static void greet(struct scheduler_pipe *pipe)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        return;
    fprintf(out, "duetime-schedule %d\n", SCHEDULE_VERSION);
    schedule_write_load(pipe->offered, out);
    fputc('\n', out);
    fclose(out);
    dialogue_say(&pipe->dialogue, text, length);
    free(text);
}

bool scheduler_pipe_run(struct scheduler_pipe *pipe, const struct schedule_request *request,
                        struct schedule_run *out)
{
    struct schedule_request with = *request;
    with.peer = (struct schedule_peer){pipe, turn};
    *out = (struct schedule_run){.end = SCHEDULE_OUT};
    if (dialogue_open(&pipe->dialogue)) {
        greet(pipe);
        schedule_drive(&with, out);
    }
    dialogue_close(&pipe->dialogue, out->end == SCHEDULE_ENDED);
    explain(pipe);
    return pipe->dialogue.end != DIALOGUE_NOT_STARTED && pipe->dialogue.end != DIALOGUE_STOPPED &&
           out->end != SCHEDULE_STOPPED;
}

void scheduler_pipe_free(struct scheduler_pipe *pipe)
{
    dialogue_free(&pipe->dialogue);
    free(pipe->problem);
    pipe->problem = NULL;
}
