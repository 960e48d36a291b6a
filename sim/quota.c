/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/station.h"

static ns_t period_of(const struct sim *sim)
{
    return sim->server->quota.period_ns;
}

/* What is used until that instant, in the period that it is then. */
static void settle(struct sim *sim, struct quota_state *q, ns_t until_ns)
{
    ns_t period_ns = period_of(sim);
    bool new_period = until_ns / period_ns != q->at_ns / period_ns;
    u128 used_ns = new_period ? (u128)q->running * (until_ns % period_ns)
                              : (u128)q->running * (until_ns - q->at_ns) + q->used_ns;
    q->used_ns = used_ns < NS_LIMIT ? (ns_t)used_ns : NS_LIMIT;
    q->at_ns = until_ns;
}

static uint64_t running(const struct sim *sim, const struct quota_state *q)
{
    uint64_t workers = 0;
    for (size_t i = 0; i < q->member_count; i++) {
        const struct station *s = &sim->stations[q->members[i]];
        if (s->suspended == 0)
            workers += s->serving < s->workers ? s->serving : s->workers;
    }
    return workers;
}

/* Using `left_ns` from begin_ns on, as long as the period lasts. */
static bool exhausted_within(const struct quota_state *q, ns_t left_ns, ns_t begin_ns,
                             ns_t period_end_ns, struct exhaustion *out)
{
    ns_t whole_ns = (left_ns - 1) / q->running + 1;
    uint64_t beyond = (uint64_t)((u128)whole_ns * q->running - left_ns);
    ns_t most_ns = period_end_ns - begin_ns;
    if (whole_ns > most_ns || (whole_ns == most_ns && beyond == 0))
        return false;
    *out = (struct exhaustion){begin_ns + whole_ns, beyond};
    return true;
}

/* When the budget will be used up if the same workers go on running. */
static struct exhaustion exhausted(const struct sim *sim, const struct quota_state *q)
{
    ns_t period_ns = period_of(sim), budget_ns = sim->server->quota.budget_ns;
    ns_t renewed_ns = (q->at_ns / period_ns + 1) * period_ns;
    struct exhaustion found = {NEVER, 0};
    if (q->throttled)
        return found;
    if (q->used_ns >= budget_ns)
        return (struct exhaustion){q->at_ns, 0};
    if (q->running == 0)
        return found;
    if (!exhausted_within(q, budget_ns - q->used_ns, q->at_ns, renewed_ns, &found))
        exhausted_within(q, budget_ns, renewed_ns, renewed_ns + period_ns, &found);
    return found;
}

/* At one instant what comes before the completions is the sooner. */
static bool sooner(struct exhaustion a, struct exhaustion b)
{
    return a.at_ns < b.at_ns || (a.at_ns == b.at_ns && a.beyond > 0 && b.beyond == 0);
}

/* One event waits at a time, unless the end comes nearer: it looks again when it comes. */
static void plan_look(struct sim *sim, struct quota_state *q)
{
    struct exhaustion next = exhausted(sim, q);
    if (!sooner(next, q->pending))
        return;
    q->pending = next;
    uint64_t index = (uint64_t)(q - sim->quotas), event = sim->server->stall_count + index;
    if (next.beyond > 0)
        sim_push(sim, LANE_NONE, next.at_ns, EVENT_EXHAUSTION, index, index);
    else
        sim_push(sim, LANE_NONE, next.at_ns, EVENT_STALL_BEGIN, event, event);
}

void quota_changed(struct sim *sim, struct quota_state *q)
{
    settle(sim, q, sim->now_ns);
    q->running = running(sim, q);
    plan_look(sim, q);
}

/* A period counts as throttled once something is stopped in it. */
static void count(struct sim *sim, struct quota_state *q)
{
    sim->totals->throttled += !q->counted;
    q->counted = true;
}

void quota_waits(struct sim *sim, struct quota_state *q)
{
    if (q->throttled)
        count(sim, q);
}

/* Its services went on until now, but the budget was used up within the last ns. */
static void take_back(struct sim *sim, const struct quota_state *q, struct station *s,
                      uint64_t beyond)
{
    if (s->suspended > 0 || s->serving == 0)
        return;
    uint64_t workers = s->serving < s->workers ? s->serving : s->workers;
    u128 step = s->speed * beyond / q->running;
    s->progress -= step;
    sim->totals->busy_area -= step * s->serving;
    sim->totals->running_ns[s->stage] -= (u128)beyond * workers / q->running;
}

/* Whether a service is under way that has not done all it should. */
static bool stops_a_service(const struct sim *sim, const struct station *s)
{
    for (size_t i = s->suspended > 0 ? 0 : s->services.count; i > 0; i--) {
        const struct copy *c = &sim->copies[s->services.items[i - 1].payload];
        u128 ends = ((u128)c->ends << PROGRESS_BITS) | c->ends_part;
        if (c->place == PLACE_SERVICE && ends > s->progress)
            return true;
    }
    return false;
}

static void throttle(struct sim *sim, struct quota_state *q, uint64_t beyond)
{
    bool stops = false;
    for (size_t i = 0; i < q->member_count; i++) {
        struct station *s = &sim->stations[q->members[i]];
        station_advance(sim, s);
        if (beyond > 0)
            take_back(sim, q, s, beyond);
        stops |= s->waiting_count > 0 || stops_a_service(sim, s);
    }
    q->throttled = true;
    q->counted = false;
    if (stops)
        count(sim, q);
    for (size_t i = 0; i < q->member_count; i++) {
        sim->stations[q->members[i]].suspended++;
        sim->stations[q->members[i]].stopped++;
    }
    for (size_t i = 0; i < q->member_count; i++)
        station_changed(sim, &sim->stations[q->members[i]]);
}

void quota_look(struct sim *sim, size_t quota, bool before_completions)
{
    struct quota_state *q = &sim->quotas[quota];
    if (q->pending.at_ns != sim->now_ns || (q->pending.beyond > 0) != before_completions)
        return; /* overtaken by a nearer one */
    q->pending.at_ns = NEVER;
    settle(sim, q, sim->now_ns - (before_completions && q->at_ns < sim->now_ns));
    struct exhaustion found = exhausted(sim, q);
    if (found.at_ns != sim->now_ns || (found.beyond > 0) != before_completions) {
        settle(sim, q, sim->now_ns);
        plan_look(sim, q);
        return;
    }
    ns_t renewed_ns = (q->at_ns / period_of(sim) + 1) * period_of(sim);
    q->used_ns = sim->server->quota.budget_ns;
    q->at_ns = sim->now_ns;
    throttle(sim, q, found.beyond);
    uint64_t event = sim->server->stall_count + quota;
    sim_push(sim, LANE_NONE, renewed_ns, EVENT_STALL_END, event, event);
}

void quota_renew(struct sim *sim, size_t quota)
{
    struct quota_state *q = &sim->quotas[quota];
    for (size_t i = 0; i < q->member_count; i++) {
        struct station *s = &sim->stations[q->members[i]];
        station_advance(sim, s);
        s->suspended--;
        s->stopped--;
    }
    q->throttled = false;
    q->used_ns = 0;
    q->at_ns = sim->now_ns;
    for (size_t i = 0; i < q->member_count; i++) {
        station_changed(sim, &sim->stations[q->members[i]]);
        station_want_dispatch(sim, &sim->stations[q->members[i]]);
    }
}
