/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/oracle.h"

#include <stdlib.h>

#include "models/stalls/stall.h"
#include "tests/oracle_world.h"

/* ---- the server ---- */

static size_t jobs_at(const struct world *w, enum whereabouts place)
{
    size_t n = 0;
    for (size_t i = w->first_live; i < w->job_count; i++)
        n += w->jobs[i].place == place;
    return n;
}

uint64_t in_flight(const struct world *w)
{
    uint64_t n = 0;
    for (size_t i = w->first_live; i < w->job_count; i++)
        n += w->jobs[i].awaited;
    return n;
}

static bool stalled(const struct world *w, bool only_work_stopping)
{
    for (size_t i = 0; i < w->plan->server.stall_count; i++)
        if (w->stoppages[i].on && (w->stoppages[i].stops_work || !only_work_stopping))
            return true;
    return false;
}

static bool worker_free(const struct world *w)
{
    uint64_t workers = w->plan->server.workers;
    return !stalled(w, false) && (workers == UNLIMITED || jobs_at(w, IN_SERVICE) < workers);
}

/* Lets time pass up to `at`; nothing happens in between. */
static void advance(struct world *w, ns_t at)
{
    ns_t step = at - w->now;
    bool works = !stalled(w, true);
    for (size_t i = w->first_live; i < w->job_count && works; i++)
        if (w->jobs[i].place == IN_SERVICE) {
            w->jobs[i].work_left -= step;
            w->out->work_ns += step;
        }
    w->out->in_flight_ns += (u128)in_flight(w) * step;
    w->now = at;
}

static struct job *job_new(struct world *w, int64_t order, size_t sender, ns_t work)
{
    if (w->job_count == w->job_room) {
        w->job_room = 2 * w->job_room + 16;
        w->jobs = must_grow(w->jobs, w->job_room, sizeof *w->jobs);
    }
    struct job *job = &w->jobs[w->job_count++];
    *job = (struct job){
        .order = order, .sender = sender, .awaited = true, .place = QUEUED, .work_left = work};
    return job;
}

/* ---- what happens next ---- */

static bool before(const struct event *a, const struct event *b)
{
    if (a->at != b->at)
        return a->at < b->at;
    if (a->what != b->what)
        return a->what < b->what;
    return a->order < b->order;
}

static void consider(struct event *best, bool *found, struct event e)
{
    if (!*found || before(&e, best))
        *best = e;
    *found = true;
}

static void consider_jobs(const struct world *w, struct event *best, bool *found)
{
    bool stopped = stalled(w, true), free_worker = worker_free(w);
    for (size_t i = w->first_live; i < w->job_count; i++) {
        const struct job *job = &w->jobs[i];
        if (job->place == IN_SERVICE && (!stopped || job->work_left == 0))
            consider(best, found,
                     (struct event){w->now + job->work_left, COMPLETION, job->order, i});
        if (job->place == QUEUED && free_worker) {
            consider(best, found, (struct event){w->now, START, job->order, i});
            free_worker = false; /* first come, first served: only the first in the list */
        }
        if (job->awaited && job->order >= 0 && w->load->timeout_ns > 0)
            consider(best, found,
                     (struct event){job->row.sent + w->load->timeout_ns, TIMER, job->order, i});
    }
}

/* False when nothing is left to happen but stalls. */
static bool find_next(const struct world *w, struct event *best)
{
    bool found = false, open_is_next = false;
    struct event e;
    consider_jobs(w, best, &found);
    if (is(w->kind, "open"))
        open_is_next = open_next(w, &e);
    if (open_is_next)
        consider(best, &found, e);
    for (size_t i = 0; i < w->sender_count; i++)
        if (w->senders[i].will_send)
            consider(best, &found, (struct event){w->senders[i].at, SEND, w->senders[i].order, i});
    if (!found && jobs_at(w, QUEUED) == 0 && jobs_at(w, IN_SERVICE) == 0)
        return false;
    for (size_t i = 0; i < w->plan->server.stall_count; i++) {
        const struct stoppage *s = &w->stoppages[i];
        if (!s->over)
            consider(best, &found,
                     (struct event){s->on ? s->begin + s->last : s->begin,
                                    s->on ? STALL_END : STALL_BEGIN, (int64_t)i, i});
    }
    return found;
}

/* ---- and what it does ---- */

static void complete(struct world *w, struct job *job)
{
    job->place = GONE;
    job->row.ended = w->now;
    if (!job->awaited)
        return;
    job->awaited = false;
    job->row.finished = w->now;
    job->row.status = STATUS_ANSWERED;
    if (job->order >= 0) {
        w->out->has_answer = true;
        w->out->last_answer = w->now;
    }
    client_goes_on(w, job);
}

static void time_out(struct world *w, struct job *job)
{
    job->awaited = false;
    job->row.finished = w->now;
    job->row.status = STATUS_TIMED_OUT;
    client_goes_on(w, job);
}

static void stall_ends(struct stoppage *s)
{
    s->on = false;
    s->over = s->every == 0;
    s->begin += s->every;
}

static void send(struct world *w, size_t who)
{
    struct oracle_row row;
    if (!about_to_send(w, who, &row))
        return;
    w->sends++;
    row.sent = w->now;
    bool refused = !worker_free(w) && w->plan->server.queue_limit != UNLIMITED &&
                   jobs_at(w, QUEUED) >= w->plan->server.queue_limit;
    ns_t work = draw(w->plan->server.service, w->service, row.number);
    struct job *job = job_new(w, (int64_t)row.number, who, work);
    job->row = row;
    if (refused) {
        job->place = GONE;
        job->awaited = false;
        job->has_started = true;
        job->row.status = STATUS_REFUSED;
        job->row.started = job->row.finished = job->row.ended = w->now;
        client_goes_on(w, job);
    }
    if (in_flight(w) > w->out->in_flight_max)
        w->out->in_flight_max = in_flight(w);
}

static void happen(struct world *w, const struct event *e)
{
    switch (e->what) {
    case COMPLETION: complete(w, &w->jobs[e->who]); break;
    case STALL_END: stall_ends(&w->stoppages[e->who]); break;
    case STALL_BEGIN: w->stoppages[e->who].on = true; break;
    case START:
        w->jobs[e->who].place = IN_SERVICE;
        w->jobs[e->who].has_started = true;
        w->jobs[e->who].row.started = w->now;
        break;
    case TIMER: time_out(w, &w->jobs[e->who]); break;
    case SEND: send(w, e->who); break;
    }
    while (w->first_live < w->job_count && w->jobs[w->first_live].place == GONE)
        w->first_live++;
}

/* The scenario stops the run: what is under way is cut. */
static void cut(struct world *w)
{
    advance(w, w->plan->run.cut_ns);
    for (size_t i = w->first_live; i < w->job_count; i++) {
        struct job *job = &w->jobs[i];
        if (job->place == GONE)
            continue;
        job->row.ended = w->now;
        if (!job->has_started)
            job->row.started = w->now;
        if (!job->awaited)
            continue;
        job->row.finished = w->now;
        job->row.status = STATUS_CUT;
    }
}

/* ---- before and after ---- */

static void set_up_server(struct world *w, const struct oracle_question *q)
{
    const struct server *server = &w->plan->server;
    w->stoppages = must_alloc(server->stall_count + 1, sizeof *w->stoppages);
    for (size_t i = 0; i < server->stall_count; i++) {
        const struct stall *stall = &server->stalls[i];
        w->stoppages[i] = (struct stoppage){.begin = stall->first_ns,
                                            .last = stall->last_ns,
                                            .every = stall->every_ns,
                                            .stops_work = is(stall->mode->is.name, "suspend"),
                                            .over = stall->last_ns == 0};
    }
    for (size_t k = 0; k < q->job_count; k++) {
        struct job *job =
            job_new(w, (int64_t)k - (int64_t)q->job_count, sender_of_job(w, q, k), q->jobs_ns[k]);
        job->row.number = k; /* its client thinks as after request k */
    }
    w->out->in_flight_max = in_flight(w);
}

static int by_number(const void *a, const void *b)
{
    const struct oracle_row *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Whether this stall, or a repetition of it, begins before `at` and lasts up to it or past it. */
static bool reaches(const struct stall *stall, ns_t at)
{
    for (ns_t begin = stall->first_ns; begin < at && stall->last_ns > 0; begin += stall->every_ns) {
        if (begin + stall->last_ns >= at)
            return true;
        if (stall->every_ns == 0)
            return false;
    }
    return false;
}

static bool begins(const struct stall *stall, ns_t at)
{
    if (stall->last_ns == 0 || at < stall->first_ns)
        return false;
    return at == stall->first_ns ||
           (stall->every_ns > 0 && (at - stall->first_ns) % stall->every_ns == 0);
}

/* Instants before `end` at which some stall begins that continues no other. */
static uint64_t stalls_before(const struct server *server, ns_t end)
{
    uint64_t n = 0;
    for (size_t i = 0; i < server->stall_count; i++) {
        const struct stall *stall = &server->stalls[i];
        for (ns_t at = stall->first_ns; at < end && stall->last_ns > 0; at += stall->every_ns) {
            bool counts = true;
            for (size_t j = 0; j < server->stall_count; j++)
                if (reaches(&server->stalls[j], at) || (j < i && begins(&server->stalls[j], at)))
                    counts = false;
            n += counts;
            if (stall->every_ns == 0)
                break;
        }
    }
    return n;
}

static void report(const struct world *w)
{
    struct oracle_answer *out = w->out;
    ns_t cut_ns = w->plan->run.cut_ns;
    out->rows = must_alloc(w->job_count + 1, sizeof *out->rows);
    for (size_t i = 0; i < w->job_count; i++)
        if (w->jobs[i].order >= 0)
            out->rows[out->count++] = w->jobs[i].row;
    qsort(out->rows, out->count, sizeof *out->rows, by_number);
    for (size_t i = 0; i < w->due_count; i++)
        out->claimed += cut_ns == 0 || w->dues[i] <= cut_ns;
    out->stalls = stalls_before(&w->plan->server, out->last_answer);
}

void oracle_run(const struct oracle_question *q, struct oracle_answer *out)
{
    const struct run_plan *run = &q->plan->run;
    *out = (struct oracle_answer){0};
    struct world w = {
        .plan = q->plan,
        .load = &q->plan->loads[q->load],
        .out = out,
        .kind = q->plan->loads[q->load].kind.type->name,
        .service = stream_open(run->seed, q->run, q->replication, PURPOSE_SERVICE),
        .think = stream_open(run->seed, q->run, q->replication, PURPOSE_THINK),
    };
    senders_set_up(&w, q);
    set_up_server(&w, q);
    struct event e = {0};
    bool more = find_next(&w, &e);
    while (more && (run->cut_ns == 0 || e.at <= run->cut_ns)) {
        advance(&w, e.at);
        happen(&w, &e);
        more = find_next(&w, &e);
    }
    if (more)
        cut(&w);
    report(&w);
    free(w.jobs);
    free(w.senders);
    free(w.stoppages);
    free(w.dues);
}

void oracle_free(struct oracle_answer *answer)
{
    free(answer->rows);
    *answer = (struct oracle_answer){0};
}
