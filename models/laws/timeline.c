/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/laws/timeline.h"

#include <stdio.h>
#include <stdlib.h>

#include "models/laws/domain.h"
#include "models/stalls/stall.h"

#define STEPS_MOST 10000000 /* stalls times classes, or requests walked one by one */
#define STEPS_A_SPAN 4

void timeline_spend(struct timeline *t, uint64_t steps)
{
    t->steps += steps;
    if (t->steps > STEPS_MOST && t->fault == NULL)
        t->fault = "The exact law would have to walk more than 10 million steps.";
}

static bool belongs(const struct span_list *list, const struct stall *stall)
{
    if (!domain_strikes_server(stall))
        return false;
    switch (list->of) {
    case SPANS_OF_ALL: return stall->mode->stops_starts;
    case SPANS_OF_SUSPENDS: return stall->mode->stops_work;
    case SPANS_OF_BLACKOUTS: return stall->mode->holds_answers;
    }
    BUG("no such list of spans");
}

static void list_open(struct span_list *list, const struct server *server)
{
    if (server->stall_count > 0) /* most servers never stall */
        list->next_ns = must_alloc(server->stall_count, sizeof list->next_ns[0]);
    for (size_t i = 0; i < server->stall_count; i++) {
        const struct stall *stall = &server->stalls[i];
        list->next_ns[i] = belongs(list, stall) ? stall->first_ns : NEVER;
    }
}

bool timeline_open(struct timeline *t, const struct law_question *q, char why[LAW_WHY_SIZE])
{
    const struct server *server = q->server;
    if (server->service.type != &distribution_constant.is)
        return law_refuses(why, "The service time is not constant.");
    if (!domain_sends_once(q, why))
        return false;
    if (server->replicas > 1 && server->workers != UNLIMITED)
        return law_refuses(why, "The load is shared by replicas, each with a queue of its own, and "
                                "the exact laws are those of a single one.");
    if (server->queue_limit != UNLIMITED)
        return law_refuses(why, "The queue has a limit, and the exact laws refuse nobody.");
    if (q->run->cut_ns > 0)
        return law_refuses(why,
                           "The run is cut, and the exact laws follow every request to its end.");
    if (q->run->start == START_STATIONARY)
        return law_refuses(why, "The exact laws start from an empty server.");
    for (size_t i = 0; i < server->stall_count; i++)
        if (domain_strikes_server(&server->stalls[i]) && server->stalls[i].up.type != NULL)
            return law_refuses(why, "The stalls come and go at random, and the exact laws walk "
                                    "those of a schedule.");
    *t = (struct timeline){.server = server};
    t->service_ns = ((const struct constant *)server->service.params)->value_ns;
    t->pauses.of = SPANS_OF_ALL;
    t->suspends.of = SPANS_OF_SUSPENDS;
    t->blackouts.of = SPANS_OF_BLACKOUTS;
    list_open(&t->pauses, server);
    list_open(&t->suspends, server);
    list_open(&t->blackouts, server);
    return true;
}

void timeline_close(struct timeline *t)
{
    free(t->pauses.spans);
    free(t->pauses.next_ns);
    free(t->suspends.spans);
    free(t->suspends.next_ns);
    free(t->blackouts.spans);
    free(t->blackouts.next_ns);
}

/* The stall that begins first among those not yet used; its index, or stall_count. */
static size_t earliest(const struct timeline *t, const struct span_list *list)
{
    size_t best = t->server->stall_count;
    ns_t best_ns = NEVER;
    for (size_t i = 0; i < t->server->stall_count; i++) {
        if (list->next_ns[i] < best_ns) {
            best_ns = list->next_ns[i];
            best = i;
        }
    }
    return best;
}

/* Takes the next occurrence of stall i off the list; returns its end. */
static ns_t take_stall(struct timeline *t, struct span_list *list, size_t i)
{
    const struct stall *stall = &t->server->stalls[i];
    ns_t begin_ns = list->next_ns[i];
    timeline_spend(t, STEPS_A_SPAN);
    list->next_ns[i] = NEVER;
    if (stall->every_ns > 0 && begin_ns + stall->every_ns < NS_LIMIT)
        list->next_ns[i] = begin_ns + stall->every_ns;
    return begin_ns + stall->last_ns;
}

/* Makes one more span: the earliest stall and all that overlap (or touch) what they make together.
 */
static void make_span(struct timeline *t, struct span_list *list)
{
    size_t i = earliest(t, list);
    if (i == t->server->stall_count || t->fault != NULL) {
        list->complete = true;
        return;
    }
    struct span span = {.begin_ns = list->next_ns[i]};
    span.end_ns = take_stall(t, list, i);
    for (;;) {
        i = earliest(t, list);
        if (i == t->server->stall_count || t->fault != NULL || list->next_ns[i] > span.end_ns)
            break;
        if (list->of == SPANS_OF_BLACKOUTS && list->next_ns[i] == span.end_ns)
            break;
        ns_t end_ns = take_stall(t, list, i);
        if (end_ns > span.end_ns)
            span.end_ns = end_ns;
    }
    if (list->count > 0) {
        const struct span *last = &list->spans[list->count - 1];
        span.before_ns = last->before_ns + (last->end_ns - last->begin_ns);
    }
    if (list->count == list->capacity) {
        list->capacity = list->capacity == 0 ? 16 : list->capacity * 2;
        list->spans = must_grow(list->spans, list->capacity, sizeof list->spans[0]);
    }
    list->spans[list->count++] = span;
}

/* What a search asks of a span; all three grow from one span to the next. */
enum span_key { KEY_BEGIN, KEY_AFTER_END, KEY_WORK };

static bool reaches(const struct span *span, enum span_key key, ns_t bound_ns)
{
    switch (key) {
    case KEY_BEGIN: return span->begin_ns >= bound_ns;
    case KEY_AFTER_END: return span->end_ns > bound_ns;
    case KEY_WORK: /* server time that is available before the span */
        return span->begin_ns - span->before_ns >= bound_ns;
    }
    BUG("no such key");
}

/* Index of the first span whose key reaches the bound; count when there is none. */
static size_t find_span(struct timeline *t, struct span_list *list, enum span_key key,
                        ns_t bound_ns)
{
    while (!list->complete &&
           (list->count == 0 || !reaches(&list->spans[list->count - 1], key, bound_ns)))
        make_span(t, list);
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (reaches(&list->spans[middle], key, bound_ns))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Total length of the spans before span i. */
static ns_t away_before(const struct span_list *list, size_t i)
{
    if (i < list->count)
        return list->spans[i].before_ns;
    if (list->count == 0)
        return 0;
    const struct span *last = &list->spans[list->count - 1];
    return last->before_ns + (last->end_ns - last->begin_ns);
}

static ns_t within_range(struct timeline *t, ns_t at_ns)
{
    if (at_ns >= NS_LIMIT && t->fault == NULL)
        t->fault = "The run lasts longer than 146 years.";
    return at_ns < NS_LIMIT ? at_ns : NS_LIMIT;
}

struct segment timeline_free(struct timeline *t, ns_t at_ns)
{
    struct span_list *list = &t->pauses;
    size_t i = find_span(t, list, KEY_AFTER_END, at_ns);
    struct segment segment = {at_ns, NEVER};
    if (i < list->count && list->spans[i].begin_ns <= at_ns) {
        segment.from_ns = list->spans[i].end_ns;
        i = find_span(t, list, KEY_AFTER_END, segment.from_ns);
    }
    if (i < list->count)
        segment.until_ns = list->spans[i].begin_ns;
    segment.from_ns = within_range(t, segment.from_ns);
    return segment;
}

/* The available-time transform: with A(t) the time up to t that is not suspended, the service ends
   at the first t >= start with A(t) = A(start) + S. */
ns_t timeline_done(struct timeline *t, ns_t start_ns)
{
    if (t->service_ns == 0)
        return start_ns;
    struct span_list *list = &t->suspends;
    size_t i = find_span(t, list, KEY_AFTER_END, start_ns);
    ns_t work_ns = start_ns - away_before(list, i) + t->service_ns;
    i = find_span(t, list, KEY_WORK, work_ns);
    return within_range(t, work_ns + away_before(list, i));
}

ns_t timeline_leave(struct timeline *t, ns_t done_ns, bool *held)
{
    size_t i = find_span(t, &t->blackouts, KEY_AFTER_END, done_ns);
    *held = i < t->blackouts.count && t->blackouts.spans[i].begin_ns < done_ns;
    return *held ? within_range(t, t->blackouts.spans[i].end_ns) : done_ns;
}

ns_t timeline_finish(struct timeline *t, ns_t start_ns)
{
    bool held;
    return timeline_leave(t, timeline_done(t, start_ns), &held);
}

static ns_t next_begin(struct timeline *t, struct span_list *list, ns_t at_ns)
{
    size_t i = find_span(t, list, KEY_BEGIN, at_ns);
    return i < list->count ? list->spans[i].begin_ns : NEVER;
}

ns_t timeline_next_suspend(struct timeline *t, ns_t at_ns)
{
    return next_begin(t, &t->suspends, at_ns);
}

ns_t timeline_next_change(struct timeline *t, ns_t at_ns)
{
    ns_t suspend_ns = timeline_next_suspend(t, at_ns);
    ns_t blackout_ns = next_begin(t, &t->blackouts, at_ns);
    return suspend_ns < blackout_ns ? suspend_ns : blackout_ns;
}

/* floor(i * num / den) < at exactly when i < at * den / num. */
u128 slots_before(struct pace pace, ns_t at_ns)
{
    u128 scaled = (u128)at_ns * pace.den;
    return (scaled + pace.num - 1) / pace.num;
}

bool slots_in_run(struct pace pace, const struct run_plan *run, uint64_t *out,
                  char why[LAW_WHY_SIZE])
{
    if (pace.num == 0 || pace.den > UINT64_C(1) << 60)
        return law_refuses(why,
                           "The schedule's interval is outside the range of exact arithmetic.");
    u128 n = run->requests > 0 ? run->requests : ~(u128)0;
    if (run->duration_ns > 0 && slots_before(pace, run->duration_ns) < n)
        n = slots_before(pace, run->duration_ns);
    if (n > slots_before(pace, NS_LIMIT - 1) || n > UINT64_C(1) << 45)
        return law_refuses(why, "The run is longer than exact arithmetic reaches.");
    *out = (uint64_t)n;
    return true;
}
