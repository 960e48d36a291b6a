/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/fast_line.h"

#include <stdlib.h>

#include "models/arrivals/arrivals.h"
#include "models/distributions/distribution.h"
#include "sim/lane_kernels.h"
#include "sim/queue_kernels.h"
#include "sim/row_kernels.h"

bool fast_line_accepts(const struct engine_request *request)
{
    struct senders senders;
    return request->plan->server.workers == 1 && senders_of(request, &senders) &&
           !senders.returns && pauses_can(&request->plan->server);
}

/* ---- the rows that have been served ---- */

static struct batch columns_of(const struct line *line, const ns_t *over_ns, size_t first,
                               size_t rows)
{
    const struct fast *f = &line->fast;
    const ns_t *sent_ns = line->sent_ns;
    const ns_t *started_ns = line->calm ? sent_ns : f->started_ns;
    return (struct batch){
        .count = rows,
        .in_order = true,
        .due = (f->senders.closed ? sent_ns : f->due_ns) + first,
        .acquired = sent_ns + first,
        .sent = sent_ns + first,
        .started = (line->wants_started ? started_ns : fast_zeros) + first,
        .finished = over_ns + first,
        .ended = line->done_ns + first,
        .status = f->status + first,
        .waited_stalled = fast_zeros,
        .served_stalled = fast_zeros,
    };
}

/* What a row's wait and service lost in pauses: nothing of one that was given up. */
static void find_parts(struct line *line, struct batch *b, const ns_t *work_ns)
{
    struct fast *f = &line->fast;
    pauses_worked(&line->sends, b->sent, f->begin_worked_ns, b->count);
    pauses_worked(&line->starts, b->started, f->worked_ns, b->count);
    for (size_t i = 0; i < b->count; i++) {
        ns_t worked_ns = f->worked_ns[i] - f->begin_worked_ns[i];
        bool given_up = b->status[i] != STATUS_ANSWERED;
        f->waited_stalled_ns[i] = given_up ? 0 : b->started[i] - b->sent[i] - worked_ns;
        f->served_stalled_ns[i] = given_up ? 0 : b->ended[i] - b->started[i] - work_ns[i];
    }
    b->waited_stalled = f->waited_stalled_ns;
    b->served_stalled = f->served_stalled_ns;
}

/* Who gave up, and the last that did not. */
static void count_answers(struct line *line, struct batch *b, ns_t *over_ns, uint8_t *status)
{
    const struct senders *s = &line->fast.senders;
    struct engine_totals *t = line->fast.totals;
    uint64_t gave_up = 0;
    if (s->patience_ns > 0)
        gave_up =
            queue_kernels()->give_up(b->sent, b->ended, s->patience_ns, over_ns, status, b->count);
    t->timed_out += gave_up;
    t->wasted += gave_up;
    t->answered += b->count - gave_up;
    b->answered = gave_up == 0;
    size_t last = b->count;
    while (gave_up > 0 && last > 0 && status[last - 1] != STATUS_ANSWERED)
        last--;
    if (last > 0)
        t->last_answer_ns = over_ns[last - 1];
}

/* The most in flight while initial jobs are, where these are not in order with the requests. */
static void count_with_initial(struct line *line, const struct batch *b)
{
    const struct fast *f = &line->fast;
    size_t count = f->request->initial.count, gone = 0;
    for (size_t i = 0; i < b->count && line->initial_ns != NULL; i++) {
        ns_t sent_ns = b->sent[i];
        for (; gone < count && line->initial_ns[gone] <= sent_ns; gone++)
            continue;
        if (gone == count)
            return;
        uint64_t there = 1 + count - gone;
        for (const ns_t *over = b->finished + i; (int64_t)over[-1] > (int64_t)sent_ns; over--)
            there++;
        if (there > f->totals->in_flight_max)
            f->totals->in_flight_max = there;
    }
}

static bool beyond_clock(const struct line *line, const struct batch *b, const ns_t *think_ns)
{
    size_t last = b->count - 1;
    return b->ended[last] >= NS_LIMIT ||
           b->sent[last] + line->fast.senders.patience_ns >= NS_LIMIT ||
           b->ended[last] + think_ns[last] >= NS_LIMIT;
}

/* The work and the time in flight of the rows served last. */
static void count_rows(struct line *line, const struct batch *b, const ns_t *work_ns)
{
    struct fast *f = &line->fast;
    size_t rows = b->count;
    ns_t last_ns = b->finished[rows - 1];
    fast_count_work(f, f->same_work   ? (u128)work_ns[0] * rows
                       : line->summed ? line->sums.work_ns
                                      : row_kernels()->sum(work_ns, rows));
    fast_count_sent(f, b->sent, rows);
    if (line->calm) {
        fast_count_alone(f, work_ns[0], rows);
        return;
    }
    uint64_t lag = f->senders.lag;
    bool as_they_come = line->summed && lag == 0 && b->finished == b->ended;
    fast_count_time(f, b->sent, b->finished, last_ns, as_they_come ? &line->sums.time_ns : NULL,
                    rows);
    if (lag == 0 || f->totals->in_flight_max < lag) /* more than a lag never are */
        fast_count_most(f, b->sent, b->finished, rows);
}

/* Totals of the rows served last, and hands them on. */
static enum engine_end finish(struct line *line, ns_t *over_ns, size_t first, size_t rows)
{
    struct fast *f = &line->fast;
    const ns_t *work_ns = f->work_ns + first;
    if (rows == 0)
        return ENGINE_DONE;
    struct batch b = columns_of(line, over_ns, first, rows);
    if (beyond_clock(line, &b, f->think_ns + first))
        return ENGINE_OVERFLOW;
    count_answers(line, &b, over_ns + first, f->status + first);
    count_rows(line, &b, work_ns);
    count_with_initial(line, &b);
    f->number += rows;
    f->history.count += rows;
    f->history.seen_ns = b.sent[rows - 1];
    if (b.finished[rows - 1] > f->last_over_ns)
        f->last_over_ns = b.finished[rows - 1];
    if (line->stall != NULL && !line->calm && (f->request->wants & WANTS_PARTS) != 0)
        find_parts(line, &b, work_ns);
    return fast_hand_on(f, &b) ? ENGINE_DONE : ENGINE_STOPPED;
}

/* ---- draws in lanes: Poisson arrivals and exponential works ---- */

/* Nobody is sent later than due, and no gap or work is longer than 66.6 means. */
static bool goes_by_lanes(const struct line *line)
{
    const struct fast *f = &line->fast;
    const struct senders *s = &f->senders;
    return draw_kernels()->in_lanes != NULL && lane_kernels()->serve != NULL && !s->closed &&
           s->lag == 0 && s->patience_ns == 0 && line->stall == NULL && !line->wants_started &&
           f->short_works && s->arrivals.type == &arrivals_poisson.is &&
           f->server->service.type == &distribution_exponential.is &&
           pace_mean_ns(s->pace) <= QUEUE_LONG_NS / 128;
}

/* A whole batch, from a draw on that begins a lane; how many of its rows the run has.  The columns
   of sends and works have room for gaps and works in lanes. */
static size_t serve_lanes(struct line *line, ns_t *over_ns)
{
    struct fast *f = &line->fast;
    const struct exponential *service = f->server->service.params;
    struct line_state state = {f->cursor.last_ns, line->free_ns, {0, 0}};
    ns_t *gap_ns = f->sent_ns, *work_ns = f->work_ns;
    draw_kernels()->in_lanes(f->cursor.stream, f->cursor.next, pace_mean_ns(f->senders.pace),
                             gap_ns, BATCH_ROWS);
    draw_kernels()->in_lanes(f->service_stream, f->number, (double)service->mean_ns, work_ns,
                             BATCH_ROWS);
    lane_kernels()->serve(gap_ns, work_ns, &state, f->due_ns, over_ns, BATCH_ROWS);
    f->cursor.next += BATCH_ROWS;
    f->cursor.last_ns = state.due_ns;
    line->free_ns = state.done_ns;
    line->sums = state.sums;
    line->sent_ns = f->due_ns;
    line->done_ns = over_ns;
    line->calm = false;
    size_t rows = fast_claim(f, f->due_ns, BATCH_ROWS);
    line->summed = rows == BATCH_ROWS;
    if (!line->summed) /* the run is over within it: their works, row by row */
        fast_draw(f, rows);
    return rows;
}

/* ---- the run ---- */

/* Until the schedule or the run is over, ENGINE_DONE with *more false. */
static enum engine_end next_batch(struct line *line, bool *more)
{
    struct fast *f = &line->fast;
    const struct senders *s = &f->senders;
    size_t wanted = fast_wanted(f), rows = wanted;
    if (line->by_lanes && wanted == BATCH_ROWS && f->number % STRETCH == 0) {
        ns_t *over_ns = history_room(f);
        rows = serve_lanes(line, over_ns);
        *more = rows == wanted;
        return finish(line, over_ns, 0, rows);
    }
    if (!s->closed) {
        wanted = arrivals(s->arrivals)->due(s->arrivals.params, &f->cursor, f->due_ns, wanted);
        rows = fast_claim(f, f->due_ns, wanted);
    }
    *more = rows > 0;
    if (rows == 0)
        return ENGINE_DONE;
    ns_t *over_ns = history_room(f);
    bool short_works = fast_draw(f, rows);
    enum engine_end end = ENGINE_DONE;
    for (size_t at = 0, next; at < rows && end == ENGINE_DONE; at = next) {
        next = line_serve(line, at, s->closed ? fast_zeros : f->due_ns, over_ns, rows, short_works);
        if (s->closed)
            next = rows = fast_claim(f, line->sent_ns, rows);
        end = finish(line, over_ns, at, next - at);
    }
    *more = rows == wanted;
    return end;
}

static const struct stall_type *stall_of(const struct server *server)
{
    for (size_t i = 0; i < server->stall_count; i++)
        if (server->stalls[i].last_ns > 0)
            return server->stalls[i].mode;
    return NULL;
}

static void with_walks(struct line *line, const struct server *server)
{
    struct pauses *const walks[] = {&line->pauses, &line->dues,  &line->begins,
                                    &line->ends,   &line->sends, &line->starts};
    for (size_t i = 0; i < sizeof walks / sizeof walks[0]; i++) {
        if (server != NULL)
            pauses_open(walks[i], server, walks[i] == &line->pauses);
        else
            pauses_close(walks[i]);
    }
}

enum engine_end fast_line_run(const struct engine_request *request, struct engine_totals *totals)
{
    struct line *line = must_alloc(1, sizeof *line);
    fast_open(&line->fast, request, totals);
    with_walks(line, &request->plan->server);
    line->stall = stall_of(&request->plan->server);
    line->wants_started = (request->wants & (WANTS_STARTED | WANTS_PARTS)) != 0;
    if (line->fast.senders.patience_ns > 0 && request->initial.count > 0)
        line->initial_ns = must_alloc(request->initial.count, sizeof *line->initial_ns);
    line_prepare(line);
    line->by_lanes = goes_by_lanes(line);
    bool more = true;
    enum engine_end end = line_serve_initial(line) ? ENGINE_DONE : ENGINE_OVERFLOW;
    while (end == ENGINE_DONE && more)
        end = next_batch(line, &more);
    if (totals->answered > 0)
        totals->stalls = pauses_before(&request->plan->server, totals->last_answer_ns);
    with_walks(line, NULL);
    fast_close(&line->fast);
    free(line->initial_ns);
    free(line);
    return end;
}
