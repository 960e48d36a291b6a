/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "tests/oracle_world.h"

/* A loss of speed that has halved so often counts as none. */
#define MOST_HALVINGS 20

static bool strikes(const struct world *w, const struct stoppage *s, size_t station)
{
    const struct station *it = &w->stations[station];
    switch (s->stall->target) {
    case TARGET_SERVER: return it->leg == LEG_SERVER;
    case TARGET_REPLICA: return it->leg == LEG_SERVER && it->replica == s->stall->replica;
    case TARGET_BEHIND: return it->leg == LEG_BEHIND;
    case TARGET_NETWORK: return it->leg == LEG_NETWORK;
    case TARGET_GENERATOR: return it->leg == LEG_GENERATOR;
    }
    BUG("a target outside its enum");
}

static bool is_throttled(const struct world *w, size_t station)
{
    size_t quota = w->stations[station].quota;
    return quota != NOBODY && w->quotas[quota].throttled;
}

bool starts_are_stopped(const struct world *w, size_t station)
{
    for (size_t i = 0; i < w->plan->server.stall_count; i++) {
        const struct stoppage *s = &w->stoppages[i];
        if (s->on && s->stall->mode->stops_starts && strikes(w, s, station))
            return true;
    }
    return is_throttled(w, station);
}

static bool is_suspended(const struct world *w, size_t station)
{
    for (size_t i = 0; i < w->plan->server.stall_count; i++) {
        const struct stoppage *s = &w->stoppages[i];
        if (s->on && s->stall->mode->stops_work && strikes(w, s, station))
            return true;
    }
    return false;
}

bool work_stands_still(const struct world *w, size_t station)
{
    return is_suspended(w, station) || is_throttled(w, station);
}

bool answers_are_held(const struct world *w, size_t station)
{
    for (size_t i = 0; i < w->plan->server.stall_count; i++) {
        const struct stoppage *s = &w->stoppages[i];
        if (s->on && s->stall->mode->holds_answers && strikes(w, s, station))
            return true;
    }
    return false;
}

bool arrivals_are_refused(const struct world *w, size_t station)
{
    for (size_t i = 0; i < w->plan->server.stall_count; i++) {
        const struct stoppage *s = &w->stoppages[i];
        if (s->on && s->stall->mode->refuses && strikes(w, s, station))
            return true;
    }
    return false;
}

/* speed := speed (1 - lost) for each that slows the station. */
void slow_down(const struct world *w, size_t station, struct number *speed)
{
    for (size_t i = 0; i < w->plan->server.stall_count; i++) {
        const struct stoppage *s = &w->stoppages[i];
        if (!s->on || !s->stall->mode->slows || !strikes(w, s, station) ||
            s->halvings >= MOST_HALVINGS)
            continue;
        uint64_t all = s->stall->lost.den << s->halvings;
        BUG_IF(all >> s->halvings != s->stall->lost.den);
        *speed = number_times(speed, all - s->stall->lost.num);
        BUG_IF(number_divide(speed, all) != 0);
    }
}

/* ---- what happens to them ---- */

static ns_t next_halving(const struct stoppage *s)
{
    return s->begin + (s->halvings + 1) * s->stall->halves_ns;
}

static bool halves(const struct stoppage *s)
{
    return s->on && s->stall->mode->slows && s->stall->halves_ns > 0 &&
           s->halvings < MOST_HALVINGS && next_halving(s) < s->begin + s->last;
}

static bool next_of_stall(const struct world *w, size_t i, struct event *e)
{
    const struct stoppage *s = &w->stoppages[i];
    if (s->over)
        return false;
    *e = (struct event){s->begin, PAUSE_BEGIN, (int64_t)i, 0, i};
    if (s->on)
        *e = (struct event){s->begin + s->last, PAUSE_END, (int64_t)i, 0, i};
    if (halves(s))
        *e = (struct event){next_halving(s), PAUSE_BEGIN, (int64_t)i, 0, i};
    return true;
}

/* Running workers of all stations that use this quota. */
static uint64_t users(const struct world *w, size_t quota)
{
    uint64_t n = 0;
    for (size_t s = 0; s < w->station_count; s++)
        if (w->stations[s].quota == quota && !work_stands_still(w, s))
            n += running(w, s);
    return n;
}

static ns_t period_end(const struct world *w, size_t quota)
{
    ns_t period = w->plan->server.quota.period_ns;
    return w->quotas[quota].used > 0 ? w->quotas[quota].period_end : (w->now / period + 1) * period;
}

static bool next_of_quota(const struct world *w, size_t quota, struct event *e)
{
    const struct quota_state *q = &w->quotas[quota];
    u128 budget = w->plan->server.quota.budget_ns;
    uint64_t n = users(w, quota);
    size_t who = w->plan->server.stall_count + quota;
    if (q->used == 0 && n == 0)
        return false;
    *e = (struct event){period_end(w, quota), PAUSE_END, (int64_t)who, 0, who};
    if (q->throttled || (q->used < budget && n == 0))
        return true;
    u128 left = q->used < budget ? budget - q->used : 0;
    bool whole = left == 0 ? !q->ran_dry : left % n == 0;
    ns_t up = w->now + (left > 0 ? (ns_t)((left + n - 1) / n) : 0);
    if (up < e->at || (up == e->at && !whole))
        *e = (struct event){up, whole ? PAUSE_BEGIN : RAN_DRY, (int64_t)who, 0, who};
    return true;
}

static u128 left_of(const struct world *w, size_t quota)
{
    u128 budget = w->plan->server.quota.budget_ns, used = w->quotas[quota].used;
    return used < budget ? budget - used : 0;
}

bool quota_lasts(const struct world *w, size_t station, ns_t step, uint64_t *left, uint64_t *n)
{
    size_t quota = w->stations[station].quota;
    if (quota == NOBODY)
        return true;
    *left = (uint64_t)left_of(w, quota);
    *n = users(w, quota);
    return *n == 0 || (u128)*n * step <= *left;
}

bool next_of_pause(const struct world *w, size_t k, struct event *e)
{
    size_t stalls = w->plan->server.stall_count;
    return k < stalls ? next_of_stall(w, k, e) : next_of_quota(w, k - stalls, e);
}

void quotas_use(struct world *w, ns_t step)
{
    for (size_t i = 0; i < w->quota_count; i++) {
        u128 left = left_of(w, i), use = (u128)users(w, i) * step;
        w->quotas[i].period_end = period_end(w, i);
        w->quotas[i].ran_dry = use > left;
        w->quotas[i].used += use > left ? left : use;
    }
}

void quota_stops_one(struct world *w, size_t station)
{
    if (!is_throttled(w, station))
        return;
    struct quota_state *q = &w->quotas[w->stations[station].quota];
    w->out->throttled += !q->stops_some;
    q->stops_some = true;
}

/* Whether it stops a service that something is left of, and that nothing else has stopped. */
static bool stops_a_service(const struct world *w, size_t quota)
{
    for (size_t i = w->first_there; i < w->copy_count; i++) {
        const struct copy *copy = &w->copies[i];
        if (copy->place == IN_SERVICE && w->stations[copy->station].quota == quota &&
            w->work_left[i].used > 0 && !work_stands_still(w, copy->station))
            return true;
    }
    return false;
}

static void quota_is_used_up(struct world *w, size_t quota)
{
    struct quota_state *q = &w->quotas[quota];
    q->stops_some = stops_a_service(w, quota);
    q->throttled = true;
    q->ran_dry = false;
    w->out->throttled += q->stops_some;
    for (size_t s = 0; s < w->station_count; s++)
        if (w->stations[s].quota == quota && count_at(w, s, WAITING) > 0)
            quota_stops_one(w, s);
}

static void quota_is_renewed(struct quota_state *q)
{
    q->throttled = false;
    q->used = 0;
}

static void stall_begins(struct world *w, struct stoppage *s)
{
    s->on = true;
    s->halvings = 0;
    s->last = s->stall->last_ns;
    if (s->stall->up.type)
        s->last = draw(s->stall->down, stream_at(s->stream, UINT64_MAX), s->drawn++);
    if (w->pause_count == w->pause_room) {
        w->pause_room = 2 * w->pause_room + 16;
        w->pauses = must_grow(w->pauses, w->pause_room, sizeof *w->pauses);
    }
    w->pauses[w->pause_count++] = (struct pause){s->begin, s->begin + s->last};
}

/* Where nothing holds them any more, those that were held leave, in turn. */
static void release_held(struct world *w)
{
    for (;;) {
        size_t first = NOBODY;
        for (size_t i = w->first_there; i < w->copy_count; i++) {
            const struct copy *copy = &w->copies[i];
            if (copy->place == HELD && !answers_are_held(w, copy->station) &&
                (first == NOBODY || copy->turn < w->copies[first].turn))
                first = i;
        }
        if (first == NOBODY)
            return;
        leave_station(w, first);
    }
}

static void stall_ends(struct world *w, struct stoppage *s)
{
    bool is_random = s->stall->up.type != NULL;
    s->on = false;
    s->over = s->stall->every_ns == 0 && !is_random;
    s->begin = is_random ? w->now + draw(s->stall->up, s->stream, s->drawn++)
                         : s->begin + s->stall->every_ns;
    release_held(w);
}

void pause_happens(struct world *w, const struct event *e)
{
    size_t stalls = w->plan->server.stall_count;
    if (e->who >= stalls && e->what == PAUSE_END) {
        quota_is_renewed(&w->quotas[e->who - stalls]);
        return;
    }
    if (e->who >= stalls) {
        quota_is_used_up(w, e->who - stalls);
        return;
    }
    struct stoppage *s = &w->stoppages[e->who];
    if (e->what == PAUSE_END)
        stall_ends(w, s);
    else if (s->on)
        s->halvings++;
    else
        stall_begins(w, s);
}

/* ---- before and after ---- */

void stalls_set_up(struct world *w, const struct oracle_question *q)
{
    const struct server *server = &w->plan->server;
    struct stream all = stream_open(w->plan->run.seed, q->run, q->replication, PURPOSE_STALLS);
    w->stoppages = must_alloc(server->stall_count + 1, sizeof *w->stoppages);
    w->unit = number_of(1);
    w->shared = number_of(1);
    for (size_t i = 0; i < server->stall_count; i++) {
        struct stoppage *s = &w->stoppages[i];
        *s = (struct stoppage){.stall = &server->stalls[i], .stream = stream_at(all, i)};
        s->begin = s->stall->first_ns;
        if (s->stall->up.type)
            s->begin = draw(s->stall->up, s->stream, s->drawn++);
        else
            s->over = s->stall->last_ns == 0;
        if (!s->stall->mode->slows)
            continue;
        w->unit = number_times(&w->unit, s->stall->lost.den);
        if (s->stall->halves_ns > 0)
            w->unit = number_times(&w->unit, UINT64_C(1) << MOST_HALVINGS);
    }
}

void quotas_set_up(struct world *w)
{
    const struct quota *quota = &w->plan->server.quota;
    size_t replicas = (size_t)w->plan->server.replicas;
    w->quotas = must_alloc(replicas, sizeof *w->quotas);
    w->quota_count = quota->budget_ns > 0 ? replicas : 0;
    for (size_t i = 0; i < w->quota_count; i++)
        w->stations[station_of_server(i)].quota = i;
    if (w->quota_count > 0 && quota->shared)
        w->stations[0].quota = 0;
}

/* Of the stalls that began before the last answer, those that continue no other: none began
   earlier and lasted up to it or past it, and of several that begin at once one counts. */
uint64_t stalls_counted(const struct world *w)
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
