/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/oracle.h"

#include <stdlib.h>

#include "models/stalls/stall.h"
#include "tests/oracle_world.h"

/* Lets time pass up to `at`; nothing happens in between. */
static void advance(struct world *w, ns_t at)
{
    ns_t step = at - w->now;
    bool works = !work_stands_still(w);
    for (size_t i = w->first_there; i < w->copy_count && works; i++)
        if (w->copies[i].place == IN_SERVICE) {
            w->copies[i].work_left -= step;
            w->out->work_ns += step;
        }
    w->out->in_flight_ns += (u128)in_flight(w) * step;
    w->now = at;
}

/* ---- what happens next ---- */

static bool before(const struct event *a, const struct event *b)
{
    if (a->at != b->at)
        return a->at < b->at;
    if (a->what != b->what)
        return a->what < b->what;
    if (a->order != b->order)
        return a->order < b->order;
    return a->after < b->after;
}

static void consider(struct event *best, bool *found, struct event e)
{
    if (!*found || before(&e, best))
        *best = e;
    *found = true;
}

static void consider_services(const struct world *w, struct event *best, bool *found)
{
    bool stopped = work_stands_still(w);
    for (size_t i = w->first_there; i < w->copy_count; i++) {
        const struct copy *copy = &w->copies[i];
        if (copy->place != IN_SERVICE || (stopped && copy->work_left > 0))
            continue;
        consider(best, found,
                 (struct event){w->now + copy->work_left, COMPLETION,
                                w->requests[copy->request].order, copy->number, i});
    }
    if (some_can_start(w))
        consider(best, found, (struct event){.at = w->now, .what = STARTS});
}

static void consider_timers(const struct world *w, struct event *best, bool *found)
{
    for (size_t i = w->first_awaited; i < w->request_count; i++) {
        const struct request *r = &w->requests[i];
        ns_t at;
        if (r->awaited && r->order >= 0 && w->load->timeout_ns > 0)
            consider(
                best, found,
                (struct event){r->row.sent + w->load->timeout_ns, TIMER, r->order, TIMEOUT, i});
        if (can_be_sent_again(w, r, &at))
            consider(best, found, (struct event){at, TIMER, r->order, RESEND, i});
    }
}

/* False when nothing is left to happen but stalls. */
static bool find_next(const struct world *w, struct event *best)
{
    bool found = false, open_is_next = false;
    struct event e;
    consider_services(w, best, &found);
    consider_timers(w, best, &found);
    if (is(w->kind, "open"))
        open_is_next = open_next(w, &e);
    if (open_is_next)
        consider(best, &found, e);
    for (size_t i = 0; i < w->sender_count; i++)
        if (w->senders[i].will_send)
            consider(best, &found,
                     (struct event){w->senders[i].at, SEND, w->senders[i].order, 0, i});
    if (!found && copies_there(w) == 0)
        return false;
    for (size_t i = 0; i < w->plan->server.stall_count; i++) {
        const struct stoppage *s = &w->stoppages[i];
        if (!s->over)
            consider(best, &found,
                     (struct event){s->on ? s->begin + s->last : s->begin,
                                    s->on ? STALL_END : STALL_BEGIN, (int64_t)i, 0, i});
    }
    return found;
}

/* ---- and what it does ---- */

static void stall_begins(struct world *w, struct stoppage *s)
{
    s->on = true;
    if (s->is_random)
        s->last = draw(s->down, s->stream, s->drawn++);
    if (w->pause_count == w->pause_room) {
        w->pause_room = 2 * w->pause_room + 16;
        w->pauses = must_grow(w->pauses, w->pause_room, sizeof *w->pauses);
    }
    w->pauses[w->pause_count++] = (struct pause){s->begin, s->begin + s->last};
}

static void stall_ends(struct world *w, struct stoppage *s)
{
    s->on = false;
    s->over = s->every == 0 && !s->is_random;
    s->begin = s->is_random ? w->now + draw(s->up, s->stream, s->drawn++) : s->begin + s->every;
    release_held(w);
}

static void send(struct world *w, size_t who)
{
    struct oracle_row row;
    if (!about_to_send(w, who, &row))
        return;
    w->sends++;
    row.sent = w->now;
    size_t request = request_new(w, (int64_t)row.number, who);
    w->requests[request].row = row;
    send_all(w, request);
    if (in_flight(w) > w->out->in_flight_max)
        w->out->in_flight_max = in_flight(w);
}

static void happen(struct world *w, const struct event *e)
{
    switch (e->what) {
    case COMPLETION: complete(w, &w->copies[e->who]); break;
    case STALL_END: stall_ends(w, &w->stoppages[e->who]); break;
    case STALL_BEGIN: stall_begins(w, &w->stoppages[e->who]); break;
    case STARTS: start_all(w); break;
    case TIMER:
        if (e->after == TIMEOUT)
            give_up(w, &w->requests[e->who]);
        else
            send_again(w, e->who);
        break;
    case SEND: send(w, e->who); break;
    }
    while (w->first_there < w->copy_count && w->copies[w->first_there].place == GONE)
        w->first_there++;
    while (w->first_awaited < w->request_count && !w->requests[w->first_awaited].awaited)
        w->first_awaited++;
}

/* ---- before and after ---- */

static struct stoppage stoppage_of(const struct world *w, const struct oracle_question *q, size_t i)
{
    const struct stall *stall = &w->plan->server.stalls[i];
    struct stream all = stream_open(w->plan->run.seed, q->run, q->replication, PURPOSE_STALLS);
    struct stoppage s = {.begin = stall->first_ns,
                         .last = stall->last_ns,
                         .every = stall->every_ns,
                         .stops_work = is(stall->mode->is.name, "suspend"),
                         .holds_answers = is(stall->mode->is.name, "blackout"),
                         .is_random = stall->up.type != NULL,
                         .up = stall->up,
                         .down = stall->down,
                         .stream = stream_at(all, i)};
    s.over = s.last == 0 && !s.is_random;
    if (s.is_random)
        s.begin = draw(s.up, s.stream, s.drawn++);
    return s;
}

static void set_up_servers(struct world *w, const struct oracle_question *q)
{
    const struct server *server = &w->plan->server;
    w->stoppages = must_alloc(server->stall_count + 1, sizeof *w->stoppages);
    for (size_t i = 0; i < server->stall_count; i++)
        w->stoppages[i] = stoppage_of(w, q, i);
    for (size_t k = 0; k < q->job_count; k++) {
        size_t job = request_new(w, (int64_t)k - (int64_t)q->job_count, sender_of_job(w, q, k));
        w->requests[job].row.number = k; /* its client thinks as after request k */
        copy_new(w, job, q->jobs_station ? q->jobs_station[k] : 0, q->jobs_ns[k]);
    }
    w->out->in_flight_max = in_flight(w);
}

static int by_number(const void *a, const void *b)
{
    const struct oracle_row *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Of the stalls that began before the last answer, those that continue no other: none began
   earlier and lasted up to it or past it, and of several that begin at once one counts. */
static uint64_t stalls_of(const struct world *w)
{
    uint64_t n = 0;
    for (size_t i = 0; i < w->pauses_at_answer; i++) {
        bool counts = true;
        for (size_t j = 0; j < w->pauses_at_answer; j++) {
            bool earlier = w->pauses[j].begin < w->pauses[i].begin;
            if ((earlier && w->pauses[j].end >= w->pauses[i].begin) ||
                (j < i && w->pauses[j].begin == w->pauses[i].begin))
                counts = false;
        }
        n += counts;
    }
    return n;
}

static void report(const struct world *w)
{
    struct oracle_answer *out = w->out;
    ns_t cut_ns = w->plan->run.cut_ns;
    out->rows = must_alloc(w->request_count + 1, sizeof *out->rows);
    for (size_t i = 0; i < w->request_count; i++)
        if (w->requests[i].order >= 0)
            out->rows[out->count++] = w->requests[i].row;
    qsort(out->rows, out->count, sizeof *out->rows, by_number);
    for (size_t i = 0; i < w->due_count; i++)
        out->claimed += cut_ns == 0 || w->dues[i] <= cut_ns;
    out->stalls = stalls_of(w);
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
        .routing = stream_open(run->seed, q->run, q->replication, PURPOSE_ROUTING),
    };
    senders_set_up(&w, q);
    set_up_servers(&w, q);
    struct event e = {0};
    bool more = find_next(&w, &e);
    while (more && (run->cut_ns == 0 || e.at <= run->cut_ns)) {
        advance(&w, e.at);
        happen(&w, &e);
        more = find_next(&w, &e);
    }
    if (more) {
        advance(&w, run->cut_ns);
        cut_there(&w);
    }
    report(&w);
    free(w.requests);
    free(w.copies);
    free(w.senders);
    free(w.stoppages);
    free(w.pauses);
    free(w.dues);
}

void oracle_free(struct oracle_answer *answer)
{
    free(answer->rows);
    *answer = (struct oracle_answer){0};
}
