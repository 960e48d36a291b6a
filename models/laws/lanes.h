/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_LAWS_LANES_H
#define DUETIME_LAWS_LANES_H

/* Constant service on an even schedule: first come, first served, c workers, at most W in flight.

   Services of one length that start in order end in order.  So the worker for request i is the one
   that request i - c freed, the window slot (or the connection) the one that request i - W freed,
   and of two such instants the later one is that of the nearer request: with c' = min(c, W)

       start(i) = first free instant from max(due(i), done(i - c')) on
       done(i)  = the instant at which S of server time after start(i) have passed
       sent(i)  = max(due(i), done(i - W))

   The requests fall into c' lanes, i mod c', that never meet: each is a single worker with its own
   even schedule.  Within one free segment a lane serves a backlog back to back, then waits for each
   due instant; a service that meets a suspend stands alone.  So every segment is a few runs of
   requests whose instants are lines in the request's number, and a latency is an arithmetic
   progression.  Where c' is no less than the number of requests, none waits for another. */

#include "models/laws/timeline.h"

/* An instant along a run: that of its j-th request is due(j) + at, or at + j * step. */
struct instants {
    bool after_due;
    ns_t at_ns, step_ns;
};

/* Requests of a lane one after the other; first counts within the lane. */
struct run {
    uint64_t first, count;
    struct instants start, done;
};

struct lane {
    struct run *runs; /* owned */
    size_t count, capacity;
};

struct schedule {
    struct timeline time;
    struct pace pace;
    uint64_t requests, lane_count;
    uint64_t window;    /* UNLIMITED: none */
    bool independent;   /* none waits for another: one lane, but its requests overlap */
    bool overloaded;    /* a lane's services last longer than its interval */
    struct lane *lanes; /* owned */
    size_t run_count;
};

/* Splits the requests into lanes and walks them over the server's stalls; time, pace, requests and
   window are set.  time.fault says so where the walk is too long. */
void lanes_walk(struct schedule *s);
void lanes_free(struct schedule *s);

uint64_t lane_length(const struct schedule *s, uint64_t lane);

/* The due instant of request k of a lane is floor(due_num / pace.den); the next one's numerator is
   due_step more. */
i128 due_num(const struct schedule *s, uint64_t lane, uint64_t k);
i128 due_step(const struct schedule *s);

#endif
