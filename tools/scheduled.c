/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/scheduled.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "models/loads/load.h"
#include "tools/options.h"

static size_t find_load(const struct plan *plan, const char *name, struct errors *errors)
{
    const char **names = must_alloc(plan->load_count, sizeof *names);
    size_t found = NO_INDEX, first = NO_INDEX;
    for (size_t i = plan->load_count; i-- > 0;) {
        names[i] = plan->loads[i].name;
        const struct variant *kind = plan->loads[i].kind.type;
        if (kind == &load_open.is || kind == &load_paced.is)
            first = i;
        if (name != NULL && strcmp(name, names[i]) == 0)
            found = i;
    }
    const char *nearest = name != NULL ? nearest_name(name, names, plan->load_count) : NULL;
    if (name != NULL && found == NO_INDEX)
        errors_add(errors, (struct place){.file = plan->file, .path = "/loads"},
                   "there is no load \"%s\"; %s \"%s\"", name,
                   nearest ? "the nearest is" : "the first is", nearest ? nearest : names[0]);
    if (name == NULL && first == NO_INDEX)
        errors_add(errors, (struct place){.file = plan->file, .path = "/loads"},
                   "no load here has a schedule; an open or a paced one has");
    free(names);
    return name != NULL ? found : first;
}

bool scheduled_open(struct scheduled *out, const struct plan *plan, const char *load,
                    struct errors *errors)
{
    out->plan = plan;
    out->load = find_load(plan, load, errors);
    out->opened = out->load != NO_INDEX && schedule_offered(plan, out->load, &out->offered, errors);
    return out->opened;
}

/* The end of a conversation that is nobody's schedule. */
static char *end_words(const struct schedule_run *run)
{
    char at[32];
    duration_format(run->at_ns, at);
    switch (run->end) {
    case SCHEDULE_ENDED:
    case SCHEDULE_OUT:
    case SCHEDULE_UNLIKE:
    case SCHEDULE_STOPPED: return NULL;
    case SCHEDULE_TWICE:
        return must_format("at %s it sent request %" PRIu64 " a second time", at, run->number);
    case SCHEDULE_UNKNOWN:
        return must_format("at %s it sent request %" PRIu64 ", far beyond the last", at,
                           run->number);
    case SCHEDULE_FLOODED:
        return must_format("by %s it had sent %zu requests, many times what there are slots", at,
                           run->count);
    case SCHEDULE_SPINS:
        return must_format("at %s it took turn after turn and neither sent nor let the clock go on",
                           at);
    case SCHEDULE_DEADLOCK:
        return must_format("at %s it waited for an answer, and nothing was on its way", at);
    case SCHEDULE_BEYOND:
        return must_format("it wanted to wait until %s, long after the end of the schedule", at);
    case SCHEDULE_STUCK: return must_copy("the server of this scenario never gets on");
    }
    BUG("an end of a schedule outside its enum");
}

static void judge(struct scheduled *s)
{
    struct schedule_request request = {.plan = s->plan, .load = s->load, .offered = &s->offered};
    schedule_judge(&s->offered, s->runs, s->rounds, &s->judgement);
    s->judged = true;
    for (size_t i = 0; i < s->rounds; i++)
        if (s->problem == NULL)
            s->problem = end_words(&s->runs[i]);
    bool heard = s->runs[s->rounds - 1].end != SCHEDULE_OUT;
    if (!scheduled_conforms(s) && heard)
        schedule_name(&request, s->runs, s->rounds, &s->suspects);
}

bool scheduled_hear(struct scheduled *s, const struct dialogue *limits)
{
    size_t rounds = schedule_rounds(&s->offered);
    for (size_t round = 0; round < rounds && s->problem == NULL; round++) {
        struct scheduler_pipe pipe = {.dialogue = *limits, .offered = &s->offered};
        struct schedule_request request = {.plan = s->plan,
                                           .load = s->load,
                                           .offered = &s->offered,
                                           .late_ns = schedule_late_ns(&s->offered, round),
                                           .stop = limits->stop};
        bool went = scheduler_pipe_run(&pipe, &request, &s->runs[round]);
        s->rounds = round + 1;
        s->problem = pipe.problem;
        s->refused = pipe.refused;
        s->machine = pipe.dialogue.end == DIALOGUE_NOT_STARTED;
        pipe.problem = NULL;
        scheduler_pipe_free(&pipe);
        if (!went)
            return false;
        if (s->refused)
            return true;
    }
    judge(s);
    return true;
}

void scheduled_free(struct scheduled *s)
{
    for (size_t i = 0; i < s->rounds; i++)
        schedule_run_free(&s->runs[i]);
    if (s->judged)
        schedule_judgement_free(&s->judgement);
    if (s->opened)
        schedule_offered_free(&s->offered);
    schedule_suspects_free(&s->suspects);
    free(s->problem);
    if (s->owns_plan)
        plan_free((struct plan *)(uintptr_t)s->plan);
    *s = (struct scheduled){0};
}

bool scheduled_conforms(const struct scheduled *s)
{
    return !s->refused && s->problem == NULL && s->judgement.conforms;
}
