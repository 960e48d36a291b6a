/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/detect.h"
#include "sim/trace.h"
#include "sim/work.h"
#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/output.h"
#include "tools/session.h"
#include "tools/trace_write.h"

/* Rows go out as they come, a batch at a time: a trace of any length needs no memory. */
struct tracer {
    const struct plan *plan;
    size_t load;
    bool json;
    uint64_t next, most; /* row numbers, over all loads; UINT64_MAX: no limit */
    struct output *output;
    struct errors *errors;
    volatile sig_atomic_t enough; /* asks the engine to stop */
};

static void take(void *self, const struct batch *batch)
{
    struct tracer *t = self;
    char *text = NULL;
    size_t length = 0;
    FILE *out = t->enough ? NULL : open_memstream(&text, &length);
    if (out == NULL)
        return;
    for (size_t i = 0; i < batch->count && t->next < t->most; i++, t->next++) {
        struct trace_row row = trace_row_of(batch, i, t->next);
        if (t->next == 0 && !t->json)
            trace_write_names(out);
        trace_write_row(out, &row, t->plan->loads[t->load].name, t->json);
    }
    if (fclose(out) == 0)
        output_write(t->output, text, length, t->errors);
    else
        errors_add_machine(t->errors, "duetime: no memory for the rows");
    free(text);
    t->enough = t->next >= t->most || t->output->state != OUTPUT_OPEN || t->errors->count > 0 ||
                *interrupt_flag() != 0;
}

static void trace_load(struct tracer *t, size_t load, uint64_t replication)
{
    t->load = load;
    struct trace_request request = {.plan = t->plan,
                                    .load = load,
                                    .replication = (uint32_t)replication,
                                    .consumer = {take, t},
                                    .stop = &t->enough};
    enum engine_end end = trace_run(&request);
    switch (end) {
    case ENGINE_DONE:
    case ENGINE_STOPPED: return;
    case ENGINE_OVERFLOW:
        work_add_load_error(t->errors, t->plan, load,
                            "the virtual clock would pass 2^62 ns, 146 years");
        return;
    case ENGINE_STUCK:
        work_add_load_error(t->errors, t->plan, load, "the run would never end");
        return;
    }
}

/* The load asked for; NO_INDEX and an error where there is none. */
static size_t find_load(const struct plan *plan, const char *name, struct errors *errors)
{
    const char **names = must_alloc(plan->load_count, sizeof *names);
    size_t found = NO_INDEX;
    for (size_t i = 0; i < plan->load_count; i++) {
        names[i] = plan->loads[i].name;
        if (strcmp(name, names[i]) == 0)
            found = i;
    }
    const char *nearest = nearest_name(name, names, plan->load_count);
    if (found == NO_INDEX)
        errors_add(errors, (struct place){.file = plan->file, .path = "/loads"},
                   "there is no load \"%s\"; %s \"%s\"", name,
                   nearest ? "the nearest is" : "the first is", nearest ? nearest : names[0]);
    free(names);
    return found;
}

static bool read_number(const struct options *options, enum option_id id, uint64_t *out,
                        struct errors *errors)
{
    const char *text = option_value(options, id);
    if (text == NULL || option_count(text, UINT64_MAX, out))
        return true;
    errors_add(errors, (struct place){.file = "duetime"}, "--%s is a whole number, not %s",
               option_texts[id].name, text);
    return false;
}

/* What is to be traced; false and errors where it cannot be. */
static bool choose(struct tracer *t, const struct options *options, size_t *only,
                   uint64_t *replication)
{
    const char *name = option_value(options, OPTION_LOAD);
    bool good = read_number(options, OPTION_REPLICATION, replication, t->errors);
    good = read_number(options, OPTION_FIRST, &t->most, t->errors) && good;
    *only = name != NULL ? find_load(t->plan, name, t->errors) : NO_INDEX;
    for (size_t i = 0; i < t->plan->load_count && good; i++) {
        uint64_t replications = load_replications(t->plan, i);
        if ((name != NULL && i != *only) || *replication < replications)
            continue;
        errors_add(t->errors, (struct place){.file = "duetime"},
                   "--replication %" PRIu64 ": the load \"%s\" has %" PRIu64 ", from 0 on",
                   *replication, t->plan->loads[i].name, replications);
        good = false;
    }
    return good && t->errors->count == 0;
}

/* A pilot chooses the length as it does for `run`. */
static bool find_length(struct plan *sized, const struct options *options, struct errors *errors)
{
    if (sized->run.detect_p.num == 0)
        return true;
    struct run_options run = {.threads = options->threads, .stop = interrupt_flag()};
    struct plan_sizing sizing;
    bool interrupted;
    if (!detect_size(sized, &run, &sizing, &interrupted, errors) || interrupted)
        return false;
    sized->run.requests = sizing.requests;
    return true;
}

static int stream(void *self, const struct options *options, const struct source *source,
                  const struct plan *plan, struct output *output, struct errors *errors)
{
    (void)self;
    (void)source;
    struct plan sized = *plan;
    struct tracer t = {.plan = &sized,
                       .json = options->format == FORMAT_JSON,
                       .most = UINT64_MAX,
                       .output = output,
                       .errors = errors};
    size_t only;
    uint64_t replication = 0;
    if (!choose(&t, options, &only, &replication) || !find_length(&sized, options, errors))
        return EXIT_REQUEST;
    t.enough = t.most == 0;
    for (size_t i = 0; i < sized.load_count && !t.enough; i++)
        if (only == NO_INDEX || i == only)
            trace_load(&t, i, replication);
    return EXIT_HOLDS; /* errors, if any, say what else */
}

static int run(const struct options *options)
{
    return session_each(options, &(struct visitor){.stream = stream});
}

const struct command command_trace = {
    .name = "trace",
    .operands = "FILE",
    .says = "print every request of a run",
    .options = OPTION_BIT(OPTION_FORMAT) | OPTION_BIT(OPTION_SET) | OPTION_BIT(OPTION_SEED) |
               OPTION_BIT(OPTION_THREADS) | OPTION_BIT(OPTION_OUTPUT) | OPTION_BIT(OPTION_LOAD) |
               OPTION_BIT(OPTION_REPLICATION) | OPTION_BIT(OPTION_FIRST),
    .formats = 1u << FORMAT_CSV | 1u << FORMAT_JSON,
    .operands_least = 1,
    .operands_most = 1,
    .run = run,
    .help = "Prints the requests of one replication of the scenario FILE, those of one load after "
            "those of another, in the order in which they leave the server: their instants in ns, "
            "and what each waited for. Send lag, queue, stall and service make up the response "
            "time. CSV, or one JSON object a line; it goes out as it comes, or with --output "
            "once it is whole.",
};
