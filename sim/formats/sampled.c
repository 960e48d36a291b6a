/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/formats/sampled.h"

#include <stdlib.h>
#include <string.h>

#include "models/stores/store.h"
#include "sim/counts.h"
#include "sim/trace.h"
#include "sim/work.h"

#define DIGITS_DEFAULT 3
#define HIGHEST_LEAST (1440 * 60 * NS_PER_S) /* a range that readers expect at least */

/* A number among a store's parameters, by its key; 0: it has none such. */
static uint64_t parameter(struct choice store, const char *key)
{
    uint64_t value = 0;
    for (size_t i = 0; i < store.type->field_count; i++)
        if (strcmp(store.type->fields[i].key, key) == 0)
            memcpy(&value, (const char *)store.params + store.type->fields[i].offset, sizeof value);
    return value;
}

/* Stands where a recorder has its store, and counts cells of the window it is in. */
struct sink {
    struct hdr_layout layout;
    struct choice store; /* the recorder's own, through whose cells values pass */
    struct counts counts;
    uint32_t window;
    uint64_t left_out;
    ns_t max_ns;
};

static void *sink_open(const void *params)
{
    return (void *)(uintptr_t)params;
}

static void sink_close(void *store)
{
    (void)store;
}

static void count_value(struct sink *sink, ns_t value_ns, uint64_t count)
{
    struct stored stored = store_kind(sink->store)->cell(sink->store.params, value_ns);
    if (stored.beyond) {
        sink->left_out += count;
        return;
    }
    counts_add(&sink->counts, sink->window, hdr_index(&sink->layout, stored.high_ns), count);
    sink->max_ns = stored.high_ns > sink->max_ns ? stored.high_ns : sink->max_ns;
}

static void sink_add(void *store, const ns_t *values_ns, size_t count, ns_t least_ns,
                     ns_t greatest_ns)
{
    (void)least_ns;
    (void)greatest_ns;
    for (size_t i = 0; i < count; i++)
        count_value(store, values_ns[i], 1);
}

/* Down from the first: all that fall into one cell at once. */
static void sink_add_run(void *store, ns_t first_ns, ns_t step_ns, uint64_t count)
{
    struct sink *sink = store;
    while (count > 0) {
        struct stored cell = store_kind(sink->store)->cell(sink->store.params, first_ns);
        ns_t low_ns = hdr_low(&sink->layout, hdr_index(&sink->layout, cell.high_ns));
        low_ns = cell.beyond ? cell.low_ns + 1 : low_ns > cell.low_ns ? low_ns : cell.low_ns;
        uint64_t inside = (first_ns - low_ns) / step_ns + 1;
        inside = inside < count ? inside : count;
        count_value(sink, first_ns, inside);
        count -= inside;
        first_ns -= count > 0 ? inside * step_ns : 0;
    }
}

static const struct store_type sink_type = {
    .is = {"sink", "counts for a file", NULL, 0, 0, NULL},
    .open = sink_open,
    .close = sink_close,
    .add = sink_add,
    .add_run = sink_add_run,
};

struct sampling {
    const struct sample_request *asked;
    struct sink sink;
    struct recorder recorder;
    struct columns columns;
    volatile sig_atomic_t enough;
    bool too_many;
};

/* Rows of one window at a time. */
static void take(void *self, const struct batch *batch)
{
    struct sampling *s = self;
    ns_t window_ns = s->asked->window_ns;
    for (size_t i = 0, n; i < batch->count && !s->too_many; i += n) {
        uint64_t window = window_ns > 0 ? batch->finished[i] / window_ns : 0;
        n = window_ns > 0 ? 1 : batch->count - i;
        while (i + n < batch->count && batch->finished[i + n] / window_ns == window)
            n++;
        s->too_many = window >= SAMPLED_WINDOWS_MOST;
        if (s->too_many)
            break;
        struct batch part = {n,
                             batch->answered,
                             batch->in_order,
                             batch->record_from_ns,
                             batch->due + i,
                             batch->acquired + i,
                             batch->sent + i,
                             batch->started + i,
                             batch->finished + i,
                             batch->ended + i,
                             batch->status + i,
                             batch->client + i,
                             batch->replica + i,
                             batch->waited_stalled + i,
                             batch->served_stalled + i,
                             batch->waited_behind + i,
                             batch->begun,
                             batch->begun_until_ns};
        s->sink.window = (uint32_t)window;
        columns_begin(&s->columns, &part);
        recorder_take(&s->recorder, &s->columns);
    }
    const volatile sig_atomic_t *stop = s->asked->options->stop;
    s->enough = s->too_many || s->recorder.tally.overflow || (stop != NULL && *stop != 0);
}

/* The interval of a correction that takes it from the run. */
static bool find_interval(const struct sample_request *asked, ns_t *interval_ns,
                          struct errors *errors)
{
    const struct plan *plan = asked->plan;
    size_t load = plan->recorders[asked->recorder].load;
    struct pass pass;
    char why[LAW_WHY_SIZE];
    pass_init(&pass, plan, asked->options, 0);
    pass.loads[load].active = true;
    pass.loads[load].replications = (size_t)load_replications(plan, load);
    if (load_is_random(plan, load) && plan->run.start != START_EMPTY)
        pass.loads[load].start = start_find(plan, load, NULL, why);
    bool good = pass_run(&pass) == ENGINE_DONE;
    if (good)
        *interval_ns = work_interval_ns(&plan->loads[load], &pass.loads[load]);
    else
        work_add_load_error(errors, plan, load, "the run did not come to its end");
    pass_free(&pass);
    return good;
}

static bool choose_rule(const struct sample_request *asked, struct correction_rule *rule,
                        struct errors *errors)
{
    struct choice c = asked->plan->recorders[asked->recorder].correction;
    *rule = (struct correction_rule){.unit_ns = 1};
    if (c.type == NULL)
        return true;
    const struct correction_params *params = c.params;
    ns_t interval_ns = params->interval_ns;
    if (interval_ns == INTERVAL_AUTO && !find_interval(asked, &interval_ns, errors))
        return false;
    *rule = correction(c)->rule(interval_ns);
    return true;
}

/* The cells of the recorder's own store, or of one that holds whatever comes. */
static bool choose_layout(const struct sample_request *asked, struct hdr_layout *out,
                          struct errors *errors)
{
    const struct recorder_plan *recorder = &asked->plan->recorders[asked->recorder];
    char *path = must_format("/recorders/%s", recorder->name);
    const struct place place = {.file = asked->plan->file, .path = path};
    bool is_hdr = strcmp(recorder->store.type->name, "hdr") == 0, good = true;
    unsigned digits = asked->digits != 0 ? asked->digits : DIGITS_DEFAULT;
    if (recorder->merge == MERGE_AVERAGE) {
        errors_add(errors, place, "it averages percentiles, which is no histogram");
        good = false;
    } else if (is_hdr && asked->digits != 0) {
        errors_add(errors, place, "its store has digits of its own");
        good = false;
    } else if (is_hdr) {
        good = hdr_layout_make((unsigned)parameter(recorder->store, "digits"),
                               parameter(recorder->store, "lowest"),
                               parameter(recorder->store, "highest"), out);
    } else {
        good = hdr_layout_make(digits, 1, NS_LIMIT - 1, out);
    }
    free(path);
    return good;
}

static bool run_all(struct sampling *s, uint64_t replications, struct errors *errors)
{
    const struct plan *plan = s->asked->plan;
    size_t load = plan->recorders[s->asked->recorder].load;
    for (uint64_t k = 0; k < replications && !s->enough; k++) {
        struct trace_request request = {.plan = plan,
                                        .load = load,
                                        .replication = (uint32_t)k,
                                        .consumer = {take, s},
                                        .stop = &s->enough};
        enum engine_end end = trace_run(&request);
        if (end == ENGINE_DONE || end == ENGINE_STOPPED)
            continue;
        work_add_load_error(errors, plan, load,
                            end == ENGINE_STUCK
                                ? "the run would never end"
                                : "the virtual clock would pass 2^62 ns, 146 years");
        return false;
    }
    if (s->too_many)
        errors_add(errors, (struct place){.file = plan->file},
                   "more than %d windows; make them longer", SAMPLED_WINDOWS_MOST);
    else if (s->recorder.tally.overflow)
        errors_add(errors, (struct place){.file = plan->file},
                   "the correction would add more than 2^60 samples");
    return !s->too_many && !s->recorder.tally.overflow;
}

static void fill(struct sampling *s, struct sampled *out)
{
    size_t length;
    struct count_entry *entries = counts_sorted(&s->sink.counts, true, &length);
    struct hdr_layout layout = s->sink.layout;
    if (strcmp(s->sink.store.type->name, "hdr") != 0)
        hdr_layout_make(layout.digits, 1,
                        s->sink.max_ns > HIGHEST_LEAST ? s->sink.max_ns : HIGHEST_LEAST, &layout);
    out->count = length > 0 ? entries[length - 1].group + 1 : 1;
    out->windows = must_alloc(out->count, sizeof *out->windows);
    for (size_t w = 0; w < out->count; w++) {
        out->windows[w].layout = layout;
        out->windows[w].begin_ns = w * s->asked->window_ns;
        out->windows[w].length_ns = s->asked->window_ns;
    }
    for (size_t i = 0; i < length; i++)
        histogram_push(&out->windows[entries[i].group], (uint32_t)entries[i].value_ns,
                       entries[i].count);
    free(entries);
    out->left_out = s->sink.left_out + s->recorder.tally.infinite;
}

bool sample_recorder(const struct sample_request *request, struct sampled *out,
                     struct errors *errors)
{
    const struct recorder_plan *recorder = &request->plan->recorders[request->recorder];
    struct sampling s = {.asked = request, .sink.store = recorder->store};
    struct correction_rule rule;
    *out = (struct sampled){.replications = load_replications(request->plan, recorder->load)};
    if (!choose_layout(request, &s.sink.layout, errors) || !choose_rule(request, &rule, errors))
        return false;
    struct recorder_plan plain = *recorder;
    plain.store = (struct choice){&sink_type.is, &s.sink};
    plain.per = PER_RUN;
    recorder_open(&s.recorder, &plain, rule, true, NULL, 0);
    bool good = run_all(&s, out->replications, errors);
    if (good)
        fill(&s, out);
    out->interrupted = request->options->stop != NULL && *request->options->stop != 0;
    recorder_close(&s.recorder);
    counts_free(&s.sink.counts);
    return good;
}

void sampled_free(struct sampled *sampled)
{
    for (size_t i = 0; i < sampled->count; i++)
        histogram_free(&sampled->windows[i]);
    free(sampled->windows);
    *sampled = (struct sampled){0};
}
