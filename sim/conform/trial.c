/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "models/base/batch.h"
#include "models/corrections/correction.h"
#include "sim/conform/conform.h"
#include "sim/conform/load_facts.h"
#include "sim/trace.h"

/* All requests stand in memory, for the subject, the truth and every fault: 57 bytes each. */
#define TRIAL_REQUESTS_MOST (1u << 20)

struct row {
    ns_t due, acquired, sent, started, finished;
    uint64_t client, order;
    uint8_t status;
};

struct taking {
    const struct recorder_plan *recorder;
    const struct run_options *options;
    struct row *rows;
    size_t count, capacity;
    ns_t recorded_from_ns;
    bool sorted, too_many;
    volatile sig_atomic_t enough; /* asks the engine to stop */
};

static const char *refusal(const struct plan *plan, const struct recorder_plan *recorder)
{
    const struct correction_params *params = recorder->correction.params;
    if (plan->run.detect_p.num != 0)
        return "a run whose length a pilot chooses; give it requests or a duration";
    if (recorder->part != PART_NONE || recorder->to != INSTANT_FINISHED)
        return "a stopwatch that does not stop when the answer is there";
    if (recorder->per != PER_RUN)
        return "groups: only figures of the whole run can be asked for";
    if (recorder->failures == FAILURES_INFINITE)
        return "failures that count as infinite, for which an answer has no number";
    if (recorder->correction.type != NULL && params->interval_ns == INTERVAL_AUTO)
        return "a correction that takes its interval from the run; name the interval";
    return NULL;
}

/* Rows come as they leave the server, where those given up stay on. */
static void take(void *self, const struct batch *b)
{
    struct taking *t = self;
    t->recorded_from_ns = batch_recorded_from_ns(b, t->recorder->warmup_ns);
    bool at_end = t->recorder->failures == FAILURES_END;
    for (size_t i = 0; i < b->count && !t->too_many; i++) {
        if (b->due[i] < b->record_from_ns)
            continue; /* settling: nobody is told of it */
        t->too_many = t->count == TRIAL_REQUESTS_MOST;
        if (t->too_many)
            break;
        if (t->count == t->capacity) {
            t->capacity = t->capacity == 0 ? BATCH_ROWS : t->capacity * 2;
            t->rows = must_grow(t->rows, t->capacity, sizeof *t->rows);
        }
        ns_t finished = at_end ? b->ended[i] : b->finished[i];
        t->sorted &= t->count == 0 || t->rows[t->count - 1].finished <= finished;
        t->rows[t->count] = (struct row){b->due[i], b->acquired[i], b->sent[i], b->started[i],
                                         finished,  b->client[i],   t->count,   b->status[i]};
        t->count++;
    }
    t->enough = t->too_many || (t->options->stop != NULL && *t->options->stop != 0);
}

static int by_finish(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    if (a->finished != b->finished)
        return a->finished < b->finished ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

static ns_t *column(struct requests *into, const struct taking *t, const ns_t **slot)
{
    ns_t *made = must_alloc(t->count, sizeof *made);
    into->count = t->count;
    *slot = made;
    return made;
}

static void fill_columns(const struct taking *t, struct requests *out)
{
    ns_t *due = column(out, t, &out->due), *acquired = column(out, t, &out->acquired);
    ns_t *sent = column(out, t, &out->sent), *started = column(out, t, &out->started);
    ns_t *finished = column(out, t, &out->finished);
    uint64_t *client = column(out, t, &out->client);
    uint8_t *status = must_alloc(t->count, sizeof *status);
    for (size_t i = 0; i < t->count; i++) {
        const struct row *row = &t->rows[i];
        due[i] = row->due;
        acquired[i] = row->acquired;
        sent[i] = row->sent;
        started[i] = row->started;
        finished[i] = row->finished;
        client[i] = row->client;
        status[i] = row->status;
    }
    out->status = status;
}

static void fill_asked(const struct plan *plan, const struct recorder_plan *recorder,
                       struct asked *out)
{
    const struct load_plan *load = &plan->loads[recorder->load];
    const struct correction_params *params = recorder->correction.params;
    *out = (struct asked){
        .from = recorder->from,
        .failures = recorder->failures,
        .correction = recorder->correction,
        .interval_ns = params != NULL ? params->interval_ns : load_interval_ns(load),
        .rank = recorder->rank,
        .percentiles = plan->report.percentiles,
        .percentile_count = plan->report.percentile_count,
        .connections = load_connections(load),
    };
}

/* NULL, or why it did not run to its end. */
static const char *end_fault(const struct taking *t, enum engine_end end)
{
    if (t->too_many)
        return "it sends more than 1048576 requests, which conform would have to keep";
    switch (end) {
    case ENGINE_DONE:
    case ENGINE_STOPPED: return NULL;
    case ENGINE_OVERFLOW: return "the virtual clock would pass 2^62 ns, 146 years";
    case ENGINE_STUCK: return "the run would never end";
    }
    BUG("an engine's end outside its enum");
}

static void fault_of(const struct plan *plan, const struct recorder_plan *recorder, const char *why,
                     struct errors *errors)
{
    char *path = must_format("/recorders/%s", recorder->name);
    errors_add(errors, (struct place){.file = plan->file, .path = path}, "%s", why);
    free(path);
}

bool trial_run(const struct plan *plan, size_t recorder, const struct run_options *options,
               struct trial *out, struct errors *errors)
{
    *out = (struct trial){.plan = plan, .recorder = recorder};
    struct taking t = {.recorder = &plan->recorders[recorder], .options = options, .sorted = true};
    const char *why = refusal(plan, t.recorder);
    if (why != NULL) {
        char *text = must_format("no other recorder can be asked for this: it has %s", why);
        fault_of(plan, t.recorder, text, errors);
        free(text);
        return false;
    }
    struct trace_request request = {
        .plan = plan, .load = t.recorder->load, .consumer = {take, &t}, .stop = &t.enough};
    enum engine_end end = trace_run(&request);
    why = end_fault(&t, end);
    if (why != NULL)
        fault_of(plan, t.recorder, why, errors);
    bool whole = end == ENGINE_DONE && !t.enough;
    if (whole) {
        if (!t.sorted)
            qsort(t.rows, t.count, sizeof *t.rows, by_finish);
        fill_columns(&t, &out->requests);
        fill_asked(plan, t.recorder, &out->asked);
        out->asked.warmup_ns = t.recorded_from_ns;
    }
    free(t.rows);
    return whole;
}

void trial_free(struct trial *trial)
{
    const struct requests *r = &trial->requests;
    const void *columns[] = {r->due,      r->acquired, r->sent,  r->started,
                             r->finished, r->status,   r->client};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        free((void *)(uintptr_t)columns[i]);
    *trial = (struct trial){0};
}
