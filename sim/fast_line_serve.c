/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/arrivals/arrivals.h"
#include "models/arrivals/even_kernels.h"
#include "sim/fast_line.h"
#include "sim/queue_kernels.h"
#include "sim/row_kernels.h"

#define PAUSED_ROWS 512 /* rows of which a few columns stay in the first cache */

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

/* The end of a service that would end after the next pause begins, if there is one.  Beyond the
   clock none is looked for. */
static ns_t end_by_pauses(struct line *line, ns_t begun_ns, ns_t work_ns)
{
    struct pauses *p = &line->pauses;
    if (line->stall == &stall_gate || begun_ns + work_ns >= NS_LIMIT)
        return begun_ns + work_ns;
    while (begun_ns >= p->end_ns)
        pauses_next(p);
    if (line->stall == &stall_suspend) {
        for (; begun_ns < NS_LIMIT && begun_ns + work_ns > p->begin_ns; pauses_next(p)) {
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
bool line_serve_initial(struct line *line)
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

/* When each is done, in a time without pauses.  Only those of an open load are summed. */
static struct served serve_worked(const struct line *line, size_t first, const ns_t *arrives_ns,
                                  ns_t free_ns, ns_t *done_ns, size_t rows)
{
    const ns_t *work_ns = line->fast.work_ns + first;
    if (!line->fast.senders.closed)
        return queue_kernels()->serve(arrives_ns, work_ns, free_ns, done_ns, rows);
    queue_kernels()->serve_on(work_ns, free_ns, done_ns, rows);
    return (struct served){0, 0};
}

/* Rows from `first` on that are all done before the next pause, if that is so; most often it is. */
static bool serve_before_pause(const struct line *line, size_t first, const ns_t *arrives_ns,
                               ns_t *done_ns, size_t rows)
{
    if (arrives_ns[first + rows - 1] >= line->pauses.begin_ns)
        return false;
    serve_worked(line, first, arrives_ns + first, line->free_ns, done_ns + first, rows);
    return done_ns[first + rows - 1] < line->pauses.begin_ns;
}

/* Else: their arrivals in time worked, their ends in it, and these in time again. */
static void serve_over_pauses(struct line *line, size_t first, const ns_t *arrives_ns,
                              ns_t free_worked_ns, ns_t *done_ns, size_t rows)
{
    struct fast *f = &line->fast;
    ns_t arrives_worked_ns[PAUSED_ROWS], worked_ns[PAUSED_ROWS];
    if (!f->senders.closed)
        pauses_worked(&line->dues, arrives_ns + first, arrives_worked_ns, rows);
    serve_worked(line, first, arrives_worked_ns, free_worked_ns, worked_ns, rows);
    pauses_ends(&line->ends, worked_ns, f->work_ns + first, done_ns + first, rows);
    if (!line->wants_started)
        return;
    queue_kernels()->less(worked_ns, f->work_ns + first, arrives_worked_ns, rows);
    pauses_starts(&line->begins, arrives_worked_ns, f->started_ns + first, rows);
}

/* Of rows that are done before any pause. */
static void find_begins(struct line *line, size_t first, const ns_t *done_ns, size_t rows)
{
    struct fast *f = &line->fast;
    if (line->wants_started)
        queue_kernels()->less(done_ns + first, f->work_ns + first, f->started_ns + first, rows);
}

static void serve_paused(struct line *line, const ns_t *arrives_ns, ns_t *done_ns, size_t rows)
{
    for (size_t at = 0, some; at < rows; at += some) {
        some = rows - at < PAUSED_ROWS ? rows - at : PAUSED_ROWS;
        ns_t free_worked_ns = pauses_worked_at(&line->pauses, line->free_ns);
        if (serve_before_pause(line, at, arrives_ns, done_ns, some))
            find_begins(line, at, done_ns, some);
        else
            serve_over_pauses(line, at, arrives_ns, free_worked_ns, done_ns, some);
        line->free_ns = done_ns[at + some - 1];
    }
}

/* Where nobody thinks but one client, which is served at once, the end of the request that a client
   waits for is its next send. */
static void serve_columns(struct line *line, const ns_t *arrives_ns, ns_t *over_ns, size_t rows)
{
    struct fast *f = &line->fast;
    const struct senders *s = &f->senders;
    const struct queue_kernels *k = queue_kernels();
    bool alone = s->closed && thinks(f); /* one client, no stalls */
    bool lags = !s->closed && s->lag > 0;
    ns_t *done_ns = s->patience_ns > 0 ? f->done_ns : over_ns;
    line->done_ns = done_ns;
    line->sent_ns = alone || lags ? f->sent_ns : s->closed ? over_ns - s->lag : arrives_ns;
    if (line->stall != NULL) {
        serve_paused(line, arrives_ns, done_ns, rows);
    } else {
        if (alone)
            k->serve_one(f->think_ns, f->work_ns, over_ns[-1], f->sent_ns, done_ns, rows);
        else
            line->sums = serve_worked(line, 0, arrives_ns, line->free_ns, done_ns, rows);
        line->summed = !s->closed;
        find_begins(line, 0, done_ns, rows);
    }
    if (lags)
        k->later(arrives_ns, over_ns - s->lag, f->sent_ns, rows);
    line->free_ns = done_ns[rows - 1];
}

/* ---- a steady line: even arrivals, equal works ---- */

/* Fewer calm rows are not worth a batch of their own. */
#define CALM_LEAST 128

/* Gaps between arrivals are gap_ns and 1 ns more: all of them last as long as a service, or none
   lasts longer. */
static bool is_steady(const struct line *line)
{
    const struct fast *f = &line->fast;
    const struct senders *s = &f->senders;
    return !s->closed && s->arrivals.type == &arrivals_even.is && s->patience_ns == 0 &&
           !thinks(f) && f->same_work && f->work_ns[0] > 0;
}

void line_prepare(struct line *line)
{
    line->by_columns = goes_by_columns(line);
    line->steady = is_steady(line);
    if (line->steady)
        line->gap_ns = line->fast.senders.pace.num / line->fast.senders.pace.den;
}

/* How far the rows from `at` on are calm. */
static size_t calm_until(const struct line *line, const ns_t *arrives_ns, size_t at, size_t rows)
{
    ns_t work_ns = line->fast.work_ns[0], begin_ns = line->pauses.begin_ns;
    if (arrives_ns[at] < line->free_ns || begin_ns <= work_ns)
        return at;
    size_t most = line->gap_ns >= work_ns ? rows - at : 1;
    return at + rows_below(arrives_ns + at, most, begin_ns - work_ns);
}

/* How far they wait, each until the one before is done, and are done before any pause.  Once one
   does not wait, nor do those behind it. */
static size_t waiting_until(const struct line *line, const ns_t *arrives_ns, size_t at, size_t rows)
{
    ns_t work_ns = line->fast.work_ns[0], free_ns = line->free_ns;
    if (free_ns + work_ns >= line->pauses.begin_ns)
        return at;
    ns_t fit = (line->pauses.begin_ns - 1 - free_ns) / work_ns;
    size_t low = at, high = fit < rows - at ? at + (size_t)fit : rows;
    if (arrives_ns[high - 1] < free_ns + (high - 1 - at) * work_ns)
        return high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (arrives_ns[middle] < free_ns + (middle - at) * work_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Some rows at least, of one kind.  Where they end. */
static size_t serve_alike(struct line *line, const ns_t *arrives_ns, ns_t *done_ns, size_t at,
                          size_t rows)
{
    ns_t work_ns = line->fast.work_ns[0];
    size_t calm = calm_until(line, arrives_ns, at, rows), end = calm;
    if (calm == at)
        end = waiting_until(line, arrives_ns, at, rows);
    if (end == at) {
        line->free_ns = done_ns[at] =
            serve_row(line, arrives_ns[at], line->free_ns, work_ns, &line->fast.started_ns[at]);
        return at + 1;
    }
    if (calm > at)
        queue_kernels()->moved(arrives_ns + at, work_ns, done_ns + at, end - at);
    else
        even_kernels()->ramp(line->free_ns + work_ns, work_ns, done_ns + at, end - at);
    find_begins(line, at, done_ns, end - at);
    line->free_ns = done_ns[end - 1];
    return end;
}

/* The calm rows that come next, or the others until some are.  Where they end. */
static size_t serve_steady(struct line *line, size_t first, const ns_t *arrives_ns, ns_t *over_ns,
                           size_t rows)
{
    struct fast *f = &line->fast;
    uint64_t lag = f->senders.lag;
    size_t at = first;
    line->calm = calm_until(line, arrives_ns, at, rows) - at >= CALM_LEAST;
    do
        at = serve_alike(line, arrives_ns, over_ns, at, rows);
    while (!line->calm && at < rows && calm_until(line, arrives_ns, at, rows) - at < CALM_LEAST);
    line->done_ns = over_ns;
    line->sent_ns = arrives_ns;
    if (lag > 0 && !line->calm) {
        queue_kernels()->later(arrives_ns + first, over_ns + first - lag, f->sent_ns + first,
                               at - first);
        line->sent_ns = f->sent_ns;
    }
    return at;
}

size_t line_serve(struct line *line, size_t first, const ns_t *arrives_ns, ns_t *over_ns,
                  size_t rows, bool short_works)
{
    line->calm = line->summed = false;
    if (short_works && line->steady)
        return serve_steady(line, first, arrives_ns, over_ns, rows);
    if (short_works && line->by_columns)
        serve_columns(line, arrives_ns, over_ns, rows);
    else
        serve_each(line, arrives_ns, over_ns, rows);
    return rows;
}
