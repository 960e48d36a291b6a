/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/laws/lanes.h"

#include <stdlib.h>

#define RUNS_MOST 4000000

uint64_t lane_length(const struct schedule *s, uint64_t lane)
{
    return s->requests > lane ? (s->requests - 1 - lane) / s->lane_count + 1 : 0;
}

i128 due_num(const struct schedule *s, uint64_t lane, uint64_t k)
{
    return ((i128)lane + (i128)k * s->lane_count) * s->pace.num;
}

i128 due_step(const struct schedule *s)
{
    return (i128)s->lane_count * s->pace.num;
}

static ns_t due_ns(const struct schedule *s, uint64_t lane, uint64_t k)
{
    return (ns_t)(due_num(s, lane, k) / s->pace.den);
}

/* At most `limit`, how many of the lane's requests from k on are due no later than last_ns. */
static uint64_t due_by(const struct schedule *s, uint64_t lane, uint64_t k, ns_t last_ns,
                       uint64_t limit)
{
    if (last_ns >= NS_LIMIT)
        return limit;
    i128 room = ((i128)last_ns + 1) * s->pace.den - due_num(s, lane, k);
    i128 count = room > 0 ? ceil_div(room, due_step(s)) : 0;
    return count < limit ? (uint64_t)count : limit;
}

/* The runs of a lane: requests that find the server idle take S each until the pause. */
static struct run idle_run(struct schedule *s, uint64_t lane, uint64_t k, ns_t until_ns)
{
    ns_t service_ns = s->time.service_ns, reserve_ns = service_ns > 0 ? service_ns : 1;
    struct run run = {k, 0, {true, 0, 0}, {true, service_ns, 0}};
    if (until_ns > reserve_ns)
        run.count = due_by(s, lane, k, until_ns - reserve_ns, lane_length(s, lane) - k);
    return run;
}

/* Requests with a backlog start back to back, the j-th at start + j S, as long as it is due by then
   (for ever, once services last as long as the lane's interval) and done by the pause. */
static struct run busy_run(struct schedule *s, uint64_t lane, uint64_t k, struct segment segment)
{
    ns_t service_ns = s->time.service_ns, start_ns = segment.from_ns;
    uint64_t count = lane_length(s, lane) - k;
    if (service_ns > 0 && segment.until_ns != NEVER &&
        (segment.until_ns - start_ns) / service_ns < count)
        count = (segment.until_ns - start_ns) / service_ns;
    i128 gain = due_step(s) - (i128)service_ns * s->pace.den;
    i128 behind = ((i128)start_ns + 1) * s->pace.den - due_num(s, lane, k);
    if (gain > 0 && ceil_div(behind, gain) < count)
        count = (uint64_t)ceil_div(behind, gain);
    return (struct run){
        k, count, {false, start_ns, service_ns}, {false, start_ns + service_ns, service_ns}};
}

/* One service that the pause meets. */
static struct run lone_run(struct schedule *s, uint64_t k, ns_t start_ns)
{
    ns_t done_ns = timeline_finish(&s->time, start_ns);
    return (struct run){k, 1, {false, start_ns, 0}, {false, done_ns, 0}};
}

static void lane_add(struct schedule *s, uint64_t lane, struct run run)
{
    struct lane *l = &s->lanes[lane];
    if (l->count == l->capacity) {
        l->capacity = l->capacity == 0 ? 4 : l->capacity * 2;
        l->runs = must_grow(l->runs, l->capacity, sizeof l->runs[0]);
    }
    l->runs[l->count++] = run;
    s->run_count++;
    timeline_spend(&s->time, 1);
    if (s->run_count > RUNS_MOST)
        s->time.fault = "There are too many stalls times workers for the exact law to walk.";
}

static ns_t last_done_ns(struct schedule *s, uint64_t lane, const struct run *run)
{
    uint64_t j = run->count - 1;
    u128 last_ns = run->done.at_ns + (u128)j * run->done.step_ns;
    if (run->done.after_due)
        last_ns += due_ns(s, lane, run->first + j);
    if (last_ns >= NS_LIMIT && s->time.fault == NULL)
        s->time.fault = "The run lasts longer than 146 years.";
    return last_ns < NS_LIMIT ? (ns_t)last_ns : NS_LIMIT;
}

static void walk_lane(struct schedule *s, uint64_t lane)
{
    ns_t ready_ns = 0;
    for (uint64_t k = 0; k < lane_length(s, lane) && s->time.fault == NULL;) {
        ns_t due = due_ns(s, lane, k);
        struct segment segment = timeline_free(&s->time, due > ready_ns ? due : ready_ns);
        struct run run;
        if (segment.from_ns == due && !s->overloaded)
            run = idle_run(s, lane, k, segment.until_ns);
        else
            run = busy_run(s, lane, k, segment);
        if (run.count == 0)
            run = lone_run(s, k, segment.from_ns);
        lane_add(s, lane, run);
        k += run.count;
        ready_ns = last_done_ns(s, lane, &run);
    }
}

/* Those due at the free instant `due` and after it, of which none waits for another: they start
   when due, and as long as they meet the same suspends their work takes equally long.  What is done
   inside a blackout leaves at its end. */
static struct run free_run(struct schedule *s, uint64_t k, ns_t due, ns_t until_ns)
{
    bool held;
    ns_t done_ns = timeline_done(&s->time, due), took_ns = done_ns - due;
    ns_t leave_ns = timeline_leave(&s->time, done_ns, &held);
    ns_t done_by_ns =
        held ? timeline_next_suspend(&s->time, done_ns) : timeline_next_change(&s->time, done_ns);
    if (held && done_by_ns >= leave_ns)
        done_by_ns = leave_ns;
    ns_t last_ns = done_by_ns == NEVER ? NEVER : done_by_ns - took_ns;
    if (last_ns >= until_ns)
        last_ns = until_ns == NEVER ? NEVER : until_ns - 1;
    struct run run = {k, 0, {true, 0, 0}, {!held, held ? leave_ns : took_ns, 0}};
    run.count = due_by(s, 0, k, last_ns, s->requests - k);
    return run;
}

/* None waits for another.  Those due in a pause start together at its end. */
static void walk_independent(struct schedule *s)
{
    for (uint64_t k = 0; k < s->requests && s->time.fault == NULL;) {
        ns_t due = due_ns(s, 0, k);
        struct segment segment = timeline_free(&s->time, due);
        struct run run;
        if (segment.from_ns > due) {
            ns_t done_ns = timeline_finish(&s->time, segment.from_ns);
            run = (struct run){k, 0, {false, segment.from_ns, 0}, {false, done_ns, 0}};
            run.count = due_by(s, 0, k, segment.from_ns - 1, s->requests - k);
        } else {
            run = free_run(s, k, due, segment.until_ns);
        }
        lane_add(s, 0, run);
        k += run.count;
    }
}

static void lanes_open(struct schedule *s)
{
    uint64_t together = s->time.server->workers < s->window ? s->time.server->workers : s->window;
    s->independent = together >= s->requests;
    s->lane_count = s->independent ? 1 : together;
    timeline_spend(&s->time, s->lane_count);
    if (s->time.fault != NULL)
        return;
    s->lanes = must_alloc(s->lane_count, sizeof s->lanes[0]);
    for (uint64_t lane = 0; lane < s->lane_count; lane++)
        s->lanes[lane] = (struct lane){NULL, 0, 0};
    s->overloaded = (i128)s->time.service_ns * s->pace.den > due_step(s);
}

void lanes_walk(struct schedule *s)
{
    lanes_open(s);
    for (uint64_t lane = 0; s->time.fault == NULL && lane < s->lane_count; lane++) {
        if (s->independent)
            walk_independent(s);
        else
            walk_lane(s, lane);
    }
}

void lanes_free(struct schedule *s)
{
    for (uint64_t lane = 0; s->lanes != NULL && lane < s->lane_count; lane++)
        free(s->lanes[lane].runs);
    free(s->lanes);
}
