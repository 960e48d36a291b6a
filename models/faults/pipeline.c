/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

#include <stdlib.h>

#include "models/faults/averages.h"
#include "models/registry.h"

bool samples_add(struct population *samples, struct sample sample)
{
    if (samples->count == SAMPLES_KEPT_MOST)
        samples->too_many = true;
    if (samples->too_many)
        return false;
    if (samples->count == samples->capacity) {
        samples->capacity = samples->capacity == 0 ? 1024 : samples->capacity * 2;
        samples->items = must_grow(samples->items, samples->capacity, sizeof *samples->items);
    }
    samples->items[samples->count++] = sample;
    return true;
}

void samples_free(struct population *samples)
{
    free(samples->items);
    *samples = (struct population){0};
}

void samples_take(struct population *samples, struct population *better)
{
    free(samples->items);
    *samples = *better;
    *better = (struct population){0};
}

void samples_correct(struct population *out, const struct population *from,
                     struct correction_rule rule)
{
    out->too_many |= from->too_many;
    for (size_t i = 0; i < from->count; i++) {
        struct sample sample = from->items[i];
        if (!samples_add(out, sample))
            return;
        uint64_t adds = sample.ns == SAMPLE_INFINITE ? 0 : correction_adds(rule, sample.ns);
        uint64_t w = sample.ns / rule.unit_ns;
        sample.added = true;
        for (uint64_t k = 1; k <= adds; k++) {
            sample.ns = (w - k * rule.interval) * rule.unit_ns;
            if (!samples_add(out, sample))
                return;
        }
    }
}

struct correction_rule asked_rule(const struct asked *asked)
{
    if (asked->correction.type == NULL || asked->interval_ns == 0)
        return (struct correction_rule){.unit_ns = 1};
    return correction(asked->correction)->rule(asked->interval_ns);
}

struct choice rank_named(const char *name)
{
    return (struct choice){.type = variant_find(&set_ranks, name)};
}

struct choice correction_named(const char *name)
{
    return (struct choice){.type = variant_find(&set_corrections, name)};
}

ns_t instant_ns(const struct requests *requests, enum instant instant, size_t request)
{
    switch (instant) {
    case INSTANT_DUE: return requests->due[request];
    case INSTANT_ACQUIRED: return requests->acquired[request];
    case INSTANT_SENT: return requests->sent[request];
    case INSTANT_STARTED: return requests->started[request];
    case INSTANT_FINISHED: return requests->finished[request];
    }
    BUG("an instant outside its enum");
}

struct said said_ns(ns_t ns)
{
    return (struct said){true, (i128)ns * 1000};
}

char *tell_duration(const char *word, ns_t ns)
{
    char text[32];
    duration_format(ns & ~BEFORE_CORRECTION, text);
    return must_format("%s %s%s", word, text,
                       ns & BEFORE_CORRECTION ? ", before the correction" : "");
}

struct said said_at(const struct population *sorted, struct rank_at at)
{
    ns_t lower_ns = sorted->items[at.rank - 1].ns;
    ns_t upper_ns = at.num != 0 ? sorted->items[at.rank].ns : lower_ns;
    if (lower_ns == SAMPLE_INFINITE || upper_ns == SAMPLE_INFINITE)
        return (struct said){0};
    if (upper_ns < lower_ns) { /* of what is not sorted */
        struct quantity down = rank_interpolate(at, 0, lower_ns - upper_ns);
        return (struct said){true, (i128)lower_ns * 1000 - (i128)down.ns * 1000 - down.thousandths};
    }
    struct quantity value = rank_interpolate(at, lower_ns, upper_ns);
    return (struct said){true, (i128)value.ns * 1000 + value.thousandths};
}

/* What a request counts as where nothing is wrong; false: as no sample. */
static bool right_value(const struct requests *r, const struct asked *asked, size_t i,
                        ns_t *value_ns)
{
    ns_t from_ns = instant_ns(r, asked->from, i);
    bool answered = r->status[i] == STATUS_ANSWERED;
    *value_ns = r->finished[i] - from_ns;
    if (answered)
        return true;
    switch (asked->failures) {
    case FAILURES_DROPPED: return false;
    case FAILURES_INFINITE: *value_ns = SAMPLE_INFINITE; return true;
    case FAILURES_TIMEOUT:
    case FAILURES_END: return r->finished[i] >= from_ns;
    }
    BUG("failures outside their enum");
}

/* The faults at work, and what is asked as they understood it. */
struct work {
    const struct requests *requests;
    struct asked asked;
    const struct fault_use *uses;
    size_t use_count;
    uint64_t found[USES_MOST];
};

static struct step step_of(const struct work *work, size_t use)
{
    return (struct step){work->requests, &work->asked, work->uses[use].parameter, work->found[use]};
}

static void gather(const struct work *work, struct population *out)
{
    for (size_t i = 0; i < work->requests->count; i++) {
        bool keeps = work->requests->due[i] >= work->asked.warmup_ns;
        ns_t value_ns;
        bool has = right_value(work->requests, &work->asked, i, &value_ns);
        for (size_t u = 0; u < work->use_count; u++) {
            const struct hooks *does = &work->uses[u].fault->does;
            struct step step = step_of(work, u);
            keeps = keeps && (does->keeps == NULL || does->keeps(&step, i));
            if (does->value != NULL)
                has = does->value(&step, i, has, &value_ns);
        }
        if (keeps && has)
            samples_add(out, (struct sample){value_ns, (uint32_t)i, false});
    }
}

static int by_size(const void *left, const void *right)
{
    const struct sample *a = left, *b = right;
    return (a->ns > b->ns) - (a->ns < b->ns);
}

static void sort(const struct work *work, struct population *samples)
{
    int (*compares)(const void *, const void *) = by_size;
    for (size_t u = 0; u < work->use_count; u++) {
        if (work->uses[u].fault->does.unsorted)
            return;
        if (work->uses[u].fault->does.compares != NULL)
            compares = work->uses[u].fault->does.compares;
    }
    if (samples->count > 0)
        qsort(samples->items, samples->count, sizeof *samples->items, compares);
}

/* Samples of a recorder, sorted as it sorts them. */
static void collect(const struct work *work, struct population *out)
{
    struct population raw = {0};
    struct correction_rule rule = asked_rule(&work->asked);
    gather(work, &raw);
    for (size_t u = 0; u < work->use_count; u++) {
        struct step step = step_of(work, u);
        if (work->uses[u].fault->does.rule != NULL)
            work->uses[u].fault->does.rule(&step, &rule);
        if (work->uses[u].fault->does.raw != NULL && !raw.too_many)
            work->uses[u].fault->does.raw(&step, &raw);
    }
    *out = (struct population){0};
    samples_correct(out, &raw, rule);
    samples_free(&raw);
    for (size_t u = 0; u < work->use_count; u++) {
        struct step step = step_of(work, u);
        if (work->uses[u].fault->does.samples != NULL && !out->too_many)
            work->uses[u].fault->does.samples(&step, out);
    }
    if (!out->too_many)
        sort(work, out);
}

static struct said percentile(const struct work *work, const struct population *sorted,
                              struct ratio p)
{
    uint64_t n = sorted->count;
    for (size_t u = 0; u < work->use_count; u++) {
        struct step step = step_of(work, u);
        if (work->uses[u].fault->does.percent != NULL)
            work->uses[u].fault->does.percent(&step, &p);
    }
    struct rank_at at = rank_rule(work->asked.rank)->at(p, n);
    for (size_t u = 0; u < work->use_count; u++) {
        struct step step = step_of(work, u);
        if (work->uses[u].fault->does.at != NULL)
            work->uses[u].fault->does.at(&step, p, n, &at);
    }
    at.rank = at.rank < 1 ? 1 : at.rank > n ? n : at.rank;
    if (at.rank == n)
        at.num = 0;
    return said_at(sorted, at);
}

static void tally(const struct population *sorted, struct report *out)
{
    u128 sum_ns = 0;
    ns_t min_ns = UINT64_MAX, max_ns = 0;
    for (size_t i = 0; i < sorted->count; i++) {
        ns_t ns = sorted->items[i].ns;
        min_ns = ns < min_ns ? ns : min_ns;
        max_ns = ns > max_ns ? ns : max_ns;
        sum_ns += ns;
    }
    out->has_count = true;
    out->count = sorted->count;
    if (sorted->count == 0) {
        out->sum = said_ns(0);
        return;
    }
    out->min = said_ns(min_ns);
    if (min_ns == SAMPLE_INFINITE)
        out->min.known = false;
    if (max_ns == SAMPLE_INFINITE)
        return; /* nor is there a mean or a sum */
    out->max = said_ns(max_ns);
    out->sum = (struct said){true, (i128)sum_ns * 1000};
    out->mean = (struct said){true, ((i128)sum_ns * 2000 + (i128)sorted->count) /
                                        (2 * (i128)sorted->count)};
}

static void fill(const struct work *work, struct population *sorted, struct report *out)
{
    const struct asked *asked = &work->asked;
    out->percentile_count = asked->percentile_count;
    out->percentiles = must_alloc(asked->percentile_count, sizeof *out->percentiles);
    tally(sorted, out);
    for (size_t k = 0; k < asked->percentile_count && sorted->count > 0; k++)
        out->percentiles[k] = percentile(work, sorted, asked->percentiles[k].p);
    for (size_t u = 0; u < work->use_count; u++) {
        struct step step = step_of(work, u);
        const struct hooks *does = &work->uses[u].fault->does;
        if (does->groups != NULL && sorted->count > 0)
            averages_report(&step, does->groups, sorted, out);
        if (does->reports != NULL)
            does->reports(&step, sorted, out);
    }
}

static void understand(struct work *work)
{
    for (size_t u = 0; u < work->use_count; u++) {
        struct asked before = work->asked;
        struct step step = {work->requests, &before, work->uses[u].parameter, 0};
        if (work->uses[u].fault->does.finds != NULL)
            work->found[u] = work->uses[u].fault->does.finds(&step);
        if (work->uses[u].fault->does.asks != NULL)
            work->uses[u].fault->does.asks(&step, &work->asked);
    }
}

bool report_faulty(const struct requests *requests, const struct asked *asked,
                   const struct fault_use *uses, size_t use_count, struct report *out)
{
    struct work work = {
        .requests = requests, .asked = *asked, .uses = uses, .use_count = use_count};
    BUG_IF(use_count > USES_MOST);
    understand(&work);
    struct population samples;
    collect(&work, &samples);
    *out = (struct report){0};
    bool good = !samples.too_many;
    if (good)
        fill(&work, &samples, out);
    samples_free(&samples);
    return good;
}

void report_true(const struct requests *requests, const struct asked *asked, struct report *out)
{
    if (!report_faulty(requests, asked, NULL, 0, out)) {
        *out = (struct report){.percentile_count = asked->percentile_count};
        out->percentiles = must_alloc(asked->percentile_count, sizeof *out->percentiles);
    }
}

bool samples_true(const struct requests *requests, const struct asked *asked,
                  struct population *out)
{
    struct work work = {.requests = requests, .asked = *asked};
    collect(&work, out);
    return !out->too_many;
}

void report_free(struct report *report)
{
    free(report->percentiles);
    *report = (struct report){0};
}
