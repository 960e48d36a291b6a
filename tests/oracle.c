/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/oracle.h"

#include <stdlib.h>

#include "tests/oracle_world.h"

/* ---- time ---- */

/* In the time num / den ns. */
static void work_goes_on(struct world *w, size_t station, uint64_t num, uint64_t den)
{
    struct number speed = speed_of(w, station);
    if (speed.used == 0)
        return;
    struct number most = number_times(&speed, num), ran = number_times(&w->unit, num);
    ran = number_times(&ran, running(w, station));
    BUG_IF(number_divide(&most, den) != 0 || number_divide(&ran, den) != 0);
    number_add(&w->ran[w->stations[station].leg], &ran);
    for (size_t i = w->first_there; i < w->copy_count; i++) {
        const struct copy *copy = &w->copies[i];
        struct number *left = &w->work_left[i];
        if (copy->place != IN_SERVICE || copy->station != station)
            continue;
        number_subtract(left, number_compare(left, &most) < 0 ? left : &most);
        number_add(&w->done, &most);
    }
}

/* Whether at that station, after the client, some wait or are kept from going on. */
static bool some_stand_at(const struct world *w, size_t station)
{
    return w->stations[station].leg != LEG_GENERATOR &&
           (count_at(w, station, WAITING) > 0 || count_at(w, station, HELD) > 0 ||
            work_stands_still(w, station));
}

static void stand_there(struct world *w, size_t station, ns_t step)
{
    bool stopped = starts_are_stopped(w, station), still = work_stands_still(w, station);
    enum leg leg = w->stations[station].leg;
    for (size_t i = w->first_there; i < w->copy_count; i++) {
        struct copy *copy = &w->copies[i];
        if (copy->place == GONE || copy->station != station)
            continue;
        bool waits = copy->place == WAITING, stalled = copy->place == HELD;
        stalled |= (waits && stopped) || (copy->place == IN_SERVICE && still);
        if (stalled && (leg == LEG_NETWORK || (leg == LEG_SERVER && waits)))
            copy->waited_stalled += step;
        else if (stalled)
            copy->served_stalled += step;
        else if (waits && (leg == LEG_BEHIND || leg == LEG_CLIENT))
            copy->waited_behind += step;
    }
}

/* A quota may stop a station before `at`, but not between whole instants, since then nobody comes
   or goes. */
static void station_goes_on(struct world *w, size_t station, ns_t step)
{
    uint64_t left, users;
    if (quota_lasts(w, station, step, &left, &users)) {
        work_goes_on(w, station, step, 1);
        return;
    }
    make_room_for_part(w, station, left, users);
    work_goes_on(w, station, left, users);
}

/* Lets time pass up to `at`; nothing happens in between. */
static void advance(struct world *w, ns_t at)
{
    ns_t step = at - w->now;
    if (step == 0)
        return;
    for (size_t s = 0; s < w->station_count; s++)
        if (some_stand_at(w, s))
            stand_there(w, s, step);
    for (size_t s = 0; s < w->station_count; s++)
        if (count_at(w, s, IN_SERVICE) > 0)
            station_goes_on(w, s, step);
    quotas_use(w, step);
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

/* All of a station go at one speed: the one with the least left is the first to end, and with it
   whoever has ended by that instant. */
static void consider_services(const struct world *w, size_t station, struct event *best,
                              bool *found)
{
    const struct number *least = NULL;
    for (size_t i = w->first_there; i < w->copy_count; i++)
        if (w->copies[i].place == IN_SERVICE && w->copies[i].station == station &&
            (!least || number_compare(&w->work_left[i], least) < 0))
            least = &w->work_left[i];
    struct number speed = speed_of(w, station);
    if (!least || (speed.used == 0 && least->used > 0))
        return;
    ns_t step = speed.used == 0 ? 0 : number_ceil(least, &speed);
    struct number most = number_times(&speed, step);
    for (size_t i = w->first_there; i < w->copy_count; i++) {
        const struct copy *copy = &w->copies[i];
        if (copy->place == IN_SERVICE && copy->station == station &&
            number_compare(&w->work_left[i], &most) <= 0)
            consider(best, found,
                     (struct event){w->now + step, COMPLETION, w->requests[copy->request].order,
                                    copy->number, i});
    }
}

static void consider_timers(const struct world *w, struct event *best, bool *found)
{
    struct event e;
    for (size_t i = w->first_awaited; i < w->request_count; i++) {
        if (next_timer(w, i, TIMEOUT, &e))
            consider(best, found, e);
        if (next_timer(w, i, RESEND, &e))
            consider(best, found, e);
    }
    for (size_t i = w->first_there; i < w->copy_count && w->load->timeout_cancel; i++)
        if (next_abandon(w, i, &e))
            consider(best, found, e);
}

static void consider_sends(const struct world *w, struct event *best, bool *found)
{
    struct event e;
    if (is(w->kind, "open") && open_next(w, &e))
        consider(best, found, e);
    for (size_t i = 0; i < w->sender_count; i++)
        if (w->senders[i].will_send)
            consider(best, found,
                     (struct event){w->senders[i].at, SEND, w->senders[i].order, 0, i});
}

/* False when nothing is left to happen but stalls. */
static bool find_next(const struct world *w, struct event *best)
{
    bool found = false, prompt, late;
    struct event e;
    for (size_t s = 0; s < w->station_count; s++)
        if (count_at(w, s, IN_SERVICE) > 0)
            consider_services(w, s, best, &found);
    consider_timers(w, best, &found);
    consider_sends(w, best, &found);
    for (size_t i = w->first_there; i < w->copy_count && count_all(w, ON_ITS_WAY) > 0; i++)
        if (w->copies[i].place == ON_ITS_WAY)
            consider(best, &found,
                     (struct event){w->now, ARRIVAL, w->requests[w->copies[i].request].order,
                                    w->copies[i].number, i});
    look_for_starts(w, &prompt, &late);
    if (prompt)
        consider(best, &found, (struct event){.at = w->now, .what = STARTS});
    if (late)
        consider(best, &found, (struct event){.at = w->now, .what = LATE_STARTS});
    if (!found && copies_there(w) == 0)
        return false;
    for (size_t k = 0; k < w->plan->server.stall_count + w->quota_count; k++)
        if (next_of_pause(w, k, &e))
            consider(best, &found, e);
    return found;
}

/* ---- and what it does ---- */

static void note_most_in_flight(struct world *w)
{
    uint64_t n = in_flight(w);
    if (n > w->out->in_flight_max)
        w->out->in_flight_max = n;
}

static void send(struct world *w, size_t who)
{
    struct oracle_row row;
    if (!about_to_send(w, who, &row))
        return;
    w->sends++;
    size_t request = request_new(w, (int64_t)row.number, who);
    w->requests[request].row = row;
    send_all(w, request);
}

static void happen(struct world *w, const struct event *e)
{
    switch (e->what) {
    case COMPLETION: complete(w, e->who); break;
    case RAN_DRY:
    case PAUSE_END:
    case PAUSE_BEGIN: pause_happens(w, e); break;
    case TIMER: timer_fires(w, e); break;
    case SEND: send(w, e->who); break;
    case ARRIVAL: go_on(w, e->who); break;
    case STARTS: start_all(w, false); break;
    case LATE_STARTS: start_all(w, true); break;
    }
    while (w->first_there < w->copy_count && w->copies[w->first_there].place == GONE)
        w->first_there++;
    while (w->first_awaited < w->request_count && !w->requests[w->first_awaited].awaited)
        w->first_awaited++;
    make_room_for_sharing(w);
    if (e->what == SEND || e->what == ARRIVAL)
        note_most_in_flight(w);
}

/* ---- before and after ---- */

static void jobs_set_up(struct world *w, const struct oracle_question *q)
{
    for (size_t k = 0; k < q->job_count; k++) {
        size_t job = request_new(w, (int64_t)k - (int64_t)q->job_count, sender_of_job(w, q, k));
        w->requests[job].row.number = k; /* its client thinks as after request k */
        job_new(w, job, q->jobs_station ? q->jobs_station[k] : 0, q->jobs_ns[k]);
    }
    w->out->in_flight_max = in_flight(w);
}

static int by_number(const void *a, const void *b)
{
    const struct oracle_row *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static void report(const struct world *w)
{
    struct oracle_answer *out = w->out;
    ns_t cut_ns = w->plan->run.cut_ns, period_ns = w->plan->server.quota.period_ns;
    out->rows = must_alloc(w->request_count + 1, sizeof *out->rows);
    for (size_t i = 0; i < w->request_count; i++)
        if (w->requests[i].order >= 0 && w->requests[i].is_sent)
            out->rows[out->count++] = w->requests[i].row;
    qsort(out->rows, out->count, sizeof *out->rows, by_number);
    for (size_t i = 0; i < w->due_count; i++)
        out->claimed += cut_ns == 0 || w->dues[i] < cut_ns;
    out->stalls = stalls_counted(w);
    out->work_ns = number_floor(&w->done, &w->unit);
    for (size_t i = 0; i < LEG_COUNT; i++)
        out->running_ns[i] = number_floor(&w->ran[i], &w->unit);
    if (w->quota_count > 0 && out->has_answer)
        out->periods = w->quota_count * (out->last_answer / period_ns + 1);
}

static void release(struct world *w)
{
    free(w->requests);
    free(w->copies);
    free(w->work_left);
    free(w->stations);
    free(w->quotas);
    free(w->senders);
    free(w->stoppages);
    free(w->pauses);
    free(w->dues);
    free(w->left_places);
    free(w->times);
}

static struct stream stream_for(const struct oracle_question *q, enum purpose purpose)
{
    return stream_open(q->plan->run.seed, q->run, q->replication, purpose);
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
        .service = stream_for(q, PURPOSE_SERVICE),
        .think = stream_for(q, PURPOSE_THINK),
        .routing = stream_for(q, PURPOSE_ROUTING),
        .client = stream_for(q, PURPOSE_CLIENT),
        .network = stream_for(q, PURPOSE_NETWORK),
        .behind = stream_for(q, PURPOSE_BEHIND),
        .queue = stream_for(q, PURPOSE_QUEUE),
    };
    senders_set_up(&w, q);
    stations_set_up(&w);
    stalls_set_up(&w, q);
    quotas_set_up(&w);
    jobs_set_up(&w, q);
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
    release(&w);
}

void oracle_free(struct oracle_answer *answer)
{
    free(answer->rows);
    *answer = (struct oracle_answer){0};
}
