/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "models/stalls/stall.h"
#include "sim/fast_parts.h"
#include "sim/queue_kernels.h"

/* One worker: request i begins at the later of its send and the end of request i - 1, out of any
   pause, so requests leave in the order in which they are sent.  As no request is sent before the
   one before it, a lag never moves a begin: with s[i] the due instant, or 0 where there is no
   schedule and nobody thinks, the end of i is that of max(s[i], end[i-1]) + work[i] all the same.
 */

#define GUESS_ROWS 128  /* how far one guess goes */
#define PAUSED_ROWS 512 /* rows of which a few columns stay in the first cache */

struct line {
    struct fast fast;
    ns_t free_ns;                   /* end of the request before */
    const struct stall_type *stall; /* NULL: none */
    bool by_columns, wants_started;
    ns_t *initial_ns; /* ends of initial jobs, which nobody gives up, where requests may be */
    const ns_t *sent_ns, *done_ns; /* of the rows that have been served */
    /* Walks: of the one-by-one way; of columns of due instants, begins and ends; and of what the
       parts of a row ask for. */
    struct pauses pauses, dues, begins, ends, sends, starts;
};

bool fast_line_accepts(const struct engine_request *request)
{
    struct senders senders;
    return request->plan->server.workers == 1 && senders_of(request, &senders) &&
           !senders.returns && pauses_can(&request->plan->server);
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

/* ---- one by one ---- */

/* The instant itself, or the end of the pause that it is in.  This walk takes pauses that touch one
   by one: an answer that is held back leaves between two of them, though nothing begins. */
static ns_t out_of_pause(struct pauses *p, ns_t at_ns)
{
    for (;;) {
        while (at_ns >= p->end_ns)
            pauses_next(p);
        if (at_ns < p->begin_ns)
            return at_ns;
        at_ns = p->end_ns;
    }
}

/* The end of a service that would end after the next pause begins. */
static ns_t end_by_pauses(struct line *line, ns_t begun_ns, ns_t work_ns)
{
    struct pauses *p = &line->pauses;
    if (line->stall == &stall_gate)
        return begun_ns + work_ns;
    while (begun_ns >= p->end_ns)
        pauses_next(p);
    if (line->stall == &stall_suspend) {
        for (; begun_ns + work_ns > p->begin_ns; pauses_next(p)) {
            work_ns -= p->begin_ns - begun_ns;
            begun_ns = p->end_ns;
        }
        return begun_ns + work_ns;
    }
    while (begun_ns + work_ns > p->end_ns)
        pauses_next(p);
    return begun_ns + work_ns > p->begin_ns ? p->end_ns : begun_ns + work_ns;
}

/* When it ends.  Once the clock is beyond its end, all that follows is at it. */
static inline ns_t serve_row(struct line *line, ns_t sent_ns, ns_t free_ns, ns_t work_ns,
                             ns_t *begun_ns)
{
    ns_t begins_ns = sent_ns > free_ns ? sent_ns : free_ns;
    if (begins_ns >= line->pauses.begin_ns)
        begins_ns = out_of_pause(&line->pauses, begins_ns);
    ns_t ends_ns = begins_ns + work_ns;
    if (ends_ns > line->pauses.begin_ns)
        ends_ns = end_by_pauses(line, begins_ns, work_ns);
    *begun_ns = begins_ns;
    return ends_ns < NS_LIMIT ? ends_ns : NS_LIMIT;
}

/* Rows from column to column; over_ns has the lag behind it. */
static void serve_each(struct line *line, const ns_t *arrives_ns, ns_t *over_ns, size_t rows)
{
    struct fast *f = &line->fast;
    const struct senders *s = &f->senders;
    const ns_t *back_ns = s->lag > 0 ? over_ns - s->lag : fast_zeros;
    ns_t patience_ns = s->patience_ns > 0 ? s->patience_ns : NS_LIMIT, free_ns = line->free_ns;
    for (size_t i = 0; i < rows; i++) {
        int64_t after = (int64_t)(back_ns[i] + f->think_ns[i]);
        ns_t sent_ns = (int64_t)arrives_ns[i] > after ? arrives_ns[i] : (ns_t)after;
        free_ns = serve_row(line, sent_ns, free_ns, f->work_ns[i], &f->started_ns[i]);
        f->sent_ns[i] = sent_ns;
        f->done_ns[i] = free_ns;
        over_ns[i] =
            (int64_t)(free_ns - sent_ns) > (int64_t)patience_ns ? sent_ns + patience_ns : free_ns;
    }
    line->free_ns = free_ns;
    line->sent_ns = f->sent_ns;
    line->done_ns = f->done_ns;
}

/* Jobs already there: they only push the first answers back. */
static bool serve_initial(struct line *line)
{
    const struct initial_jobs *initial = &line->fast.request->initial;
    ns_t begun_ns;
    for (size_t k = 0; k < initial->count && line->free_ns < NS_LIMIT; k++) {
        line->free_ns = serve_row(line, 0, line->free_ns, initial->work_ns[k], &begun_ns);
        if (line->initial_ns != NULL)
            line->initial_ns[k] = line->free_ns;
        else
            history_push(&line->fast, line->free_ns);
        line->fast.last_over_ns = line->free_ns;
        fast_count_initial(&line->fast, initial->work_ns[k], line->free_ns);
    }
    return line->free_ns < NS_LIMIT;
}

/* ---- columns ---- */

static bool thinks(const struct fast *f)
{
    return !f->same_think || f->think_ns[0] > 0;
}

/* Whether each row's end needs no more than the works and due instants, a column at a time. */
static bool goes_by_columns(const struct line *line)
{
    const struct senders *s = &line->fast.senders;
    if (s->patience_ns > 0 && s->lag > 0)
        return false;
    if (line->stall != NULL && line->stall != &stall_suspend)
        return false;
    return !thinks(&line->fast) || (s->lag == 1 && line->stall == NULL);
}

/* Equal works: for a while nobody waits, for a while all do, and seldom does it change. */
static void serve_equal(ns_t work_ns, const ns_t *arrives_ns, ns_t free_ns, ns_t *done_ns,
                        const ns_t *works_ns, size_t rows)
{
    const struct queue_kernels *k = queue_kernels();
    for (size_t at = 0; at < rows; at += GUESS_ROWS) {
        size_t some = rows - at < GUESS_ROWS ? rows - at : GUESS_ROWS;
        bool apart = free_ns <= arrives_ns[at];
        if (!(apart ? k->serve_apart : k->serve_close)(arrives_ns + at, work_ns, free_ns,
                                                       done_ns + at, some))
            k->serve(arrives_ns + at, works_ns + at, free_ns, done_ns + at, some);
        free_ns = done_ns[at + some - 1];
    }
}

/* When each is done, in a time without pauses. */
static void serve_worked(struct line *line, size_t first, const ns_t *arrives_ns, ns_t free_ns,
                         ns_t *done_ns, size_t rows)
{
    const struct fast *f = &line->fast;
    const ns_t *work_ns = f->work_ns + first;
    if (f->senders.closed)
        queue_kernels()->serve_on(work_ns, free_ns, done_ns, rows);
    else if (f->same_work)
        serve_equal(work_ns[0], arrives_ns, free_ns, done_ns, work_ns, rows);
    else
        queue_kernels()->serve(arrives_ns, work_ns, free_ns, done_ns, rows);
}

/* Rows from `first` on that are all done before the next pause, if that is so; most often it is. */
static bool serve_before_pause(struct line *line, size_t first, const ns_t *arrives_ns,
                               ns_t *done_ns, size_t rows)
{
    struct fast *f = &line->fast;
    if (arrives_ns[first + rows - 1] >= line->pauses.begin_ns)
        return false;
    serve_worked(line, first, arrives_ns + first, line->free_ns, done_ns + first, rows);
    if (done_ns[first + rows - 1] >= line->pauses.begin_ns)
        return false;
    queue_kernels()->less(done_ns + first, f->work_ns + first, f->started_ns + first,
                          line->wants_started ? rows : 0);
    return true;
}

/* Else: their arrivals in time worked, their ends in it, and these in time again. */
static void serve_paused(struct line *line, size_t first, const ns_t *arrives_ns, ns_t *done_ns,
                         size_t rows)
{
    struct fast *f = &line->fast;
    ns_t arrives_worked_ns[PAUSED_ROWS], worked_ns[PAUSED_ROWS], free_ns;
    pauses_worked(&line->pauses, &line->free_ns, &free_ns, 1);
    if (!serve_before_pause(line, first, arrives_ns, done_ns, rows)) {
        if (!f->senders.closed)
            pauses_worked(&line->dues, arrives_ns + first, arrives_worked_ns, rows);
        serve_worked(line, first, arrives_worked_ns, free_ns, worked_ns, rows);
        pauses_ends(&line->ends, worked_ns, f->work_ns + first, done_ns + first, rows);
        queue_kernels()->less(worked_ns, f->work_ns + first, arrives_worked_ns, rows);
        pauses_starts(&line->begins, arrives_worked_ns, f->started_ns + first,
                      line->wants_started ? rows : 0);
    }
    line->free_ns = done_ns[first + rows - 1];
}

/* Where nobody thinks but one client, which is served at once, the end of the request that a client
   waits for is its next send. */
static void serve_columns(struct line *line, const ns_t *arrives_ns, ns_t *over_ns, size_t rows)
{
    struct fast *f = &line->fast;
    const struct senders *s = &f->senders;
    const struct queue_kernels *k = queue_kernels();
    bool alone = s->closed && thinks(f); /* one client, no stalls */
    ns_t *done_ns = s->patience_ns > 0 ? f->done_ns : over_ns;
    line->done_ns = done_ns;
    line->sent_ns = alone || (!s->closed && s->lag > 0) ? f->sent_ns
                    : s->closed                         ? over_ns - s->lag
                                                        : arrives_ns;
    if (line->stall != NULL)
        for (size_t at = 0; at < rows; at += PAUSED_ROWS)
            serve_paused(line, at, arrives_ns, done_ns,
                         rows - at < PAUSED_ROWS ? rows - at : PAUSED_ROWS);
    else if (alone)
        k->serve_one(f->think_ns, f->work_ns, over_ns[-1], f->sent_ns, done_ns, rows);
    else
        serve_worked(line, 0, arrives_ns, line->free_ns, done_ns, rows);
    if (!s->closed && s->lag > 0)
        k->later(arrives_ns, over_ns - s->lag, f->sent_ns, rows);
    if (line->stall == NULL && line->wants_started)
        k->less(done_ns, f->work_ns, f->started_ns, rows);
    line->free_ns = done_ns[rows - 1];
}

/* ---- the run ---- */

/* What a row's wait and service lost in pauses: nothing of one that was given up. */
static void find_parts(struct line *line, size_t rows)
{
    struct fast *f = &line->fast;
    pauses_worked(&line->sends, line->sent_ns, f->begin_worked_ns, rows);
    pauses_worked(&line->starts, f->started_ns, f->worked_ns, rows);
    for (size_t i = 0; i < rows; i++) {
        ns_t worked_ns = f->worked_ns[i] - f->begin_worked_ns[i];
        bool given_up = f->status[i] != STATUS_ANSWERED;
        f->waited_stalled_ns[i] = given_up ? 0 : f->started_ns[i] - line->sent_ns[i] - worked_ns;
        f->served_stalled_ns[i] =
            given_up ? 0 : line->done_ns[i] - f->started_ns[i] - f->work_ns[i];
    }
}

/* Who gave up, and the last that did not. */
static uint64_t count_answers(struct line *line, ns_t *over_ns, size_t rows)
{
    struct fast *f = &line->fast;
    struct engine_totals *t = f->totals;
    uint64_t gave_up = 0;
    if (f->senders.patience_ns > 0)
        gave_up = queue_kernels()->give_up(line->sent_ns, line->done_ns, f->senders.patience_ns,
                                           over_ns, f->status, rows);
    t->timed_out += gave_up;
    t->wasted += gave_up;
    t->answered += rows - gave_up;
    size_t last = rows;
    while (gave_up > 0 && last > 0 && f->status[last - 1] != STATUS_ANSWERED)
        last--;
    if (last > 0)
        t->last_answer_ns = over_ns[last - 1];
    return gave_up;
}

/* The most in flight while initial jobs are, where these are not in order with the requests. */
static void count_with_initial(struct line *line, const ns_t *over_ns, size_t rows)
{
    const struct fast *f = &line->fast;
    size_t count = f->request->initial.count, gone = 0;
    for (size_t i = 0; i < rows && line->initial_ns != NULL; i++) {
        ns_t sent_ns = line->sent_ns[i];
        for (; gone < count && line->initial_ns[gone] <= sent_ns; gone++)
            continue;
        if (gone == count)
            return;
        uint64_t there = 1 + count - gone;
        for (const ns_t *over = over_ns + i; (int64_t)over[-1] > (int64_t)sent_ns; over--)
            there++;
        if (there > f->totals->in_flight_max)
            f->totals->in_flight_max = there;
    }
}

static bool beyond_clock(const struct line *line, size_t rows)
{
    const struct fast *f = &line->fast;
    return line->done_ns[rows - 1] >= NS_LIMIT ||
           line->sent_ns[rows - 1] + f->senders.patience_ns >= NS_LIMIT ||
           line->done_ns[rows - 1] + f->think_ns[rows - 1] >= NS_LIMIT;
}

static bool hand_on(struct line *line, const ns_t *over_ns, bool all_answered, size_t rows)
{
    struct fast *f = &line->fast;
    bool parts = line->stall != NULL && (f->request->wants & WANTS_PARTS) != 0;
    if (parts)
        find_parts(line, rows);
    struct batch batch = {
        .count = rows,
        .answered = all_answered,
        .in_order = true,
        .due = f->senders.closed ? line->sent_ns : f->due_ns,
        .acquired = line->sent_ns,
        .sent = line->sent_ns,
        .started = line->wants_started ? f->started_ns : fast_zeros,
        .finished = over_ns,
        .ended = line->done_ns,
        .status = f->status,
        .waited_stalled = parts ? f->waited_stalled_ns : fast_zeros,
        .served_stalled = parts ? f->served_stalled_ns : fast_zeros,
    };
    return fast_hand_on(f, &batch);
}

/* Until the schedule or the run is over, ENGINE_DONE with *more false. */
static enum engine_end next_batch(struct line *line, bool *more)
{
    struct fast *f = &line->fast;
    const struct senders *s = &f->senders;
    size_t wanted = fast_wanted(f), rows = wanted;
    if (!s->closed) {
        wanted = arrivals(s->arrivals)->due(s->arrivals.params, &f->cursor, f->due_ns, wanted);
        rows = fast_claim(f, f->due_ns, wanted);
    }
    *more = rows > 0;
    if (rows == 0)
        return ENGINE_DONE;
    const ns_t *arrives_ns = s->closed ? fast_zeros : f->due_ns;
    bool by_columns = fast_draw(f, rows) && line->by_columns;
    ns_t *over_ns = history_room(f);
    if (by_columns)
        serve_columns(line, arrives_ns, over_ns, rows);
    else
        serve_each(line, arrives_ns, over_ns, rows);
    if (s->closed)
        rows = fast_claim(f, line->sent_ns, rows);
    *more = rows == wanted;
    if (rows == 0)
        return ENGINE_DONE;
    if (beyond_clock(line, rows))
        return ENGINE_OVERFLOW;
    uint64_t gave_up = count_answers(line, over_ns, rows);
    fast_count_work(f, f->same_work ? (u128)f->work_ns[0] * rows
                                    : queue_kernels()->sum(f->work_ns, rows));
    fast_count_sent(f, line->sent_ns, rows);
    fast_count_flight(f, line->sent_ns, over_ns, over_ns[rows - 1], over_ns, rows);
    count_with_initial(line, over_ns, rows);
    f->number += rows;
    f->history.count += rows;
    if (over_ns[rows - 1] > f->last_over_ns)
        f->last_over_ns = over_ns[rows - 1];
    return hand_on(line, over_ns, gave_up == 0, rows) ? ENGINE_DONE : ENGINE_STOPPED;
}

enum engine_end fast_line_run(const struct engine_request *request, struct engine_totals *totals)
{
    struct line *line = must_alloc(1, sizeof *line);
    fast_open(&line->fast, request, totals);
    with_walks(line, &request->plan->server);
    line->stall = stall_of(&request->plan->server);
    line->by_columns = goes_by_columns(line);
    line->wants_started = (request->wants & (WANTS_STARTED | WANTS_PARTS)) != 0;
    if (line->fast.senders.patience_ns > 0 && request->initial.count > 0)
        line->initial_ns = must_alloc(request->initial.count, sizeof *line->initial_ns);
    bool more = true;
    enum engine_end end = serve_initial(line) ? ENGINE_DONE : ENGINE_OVERFLOW;
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
