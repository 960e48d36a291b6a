/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/start.h"

#include <stdio.h>
#include <stdlib.h>

#include "models/base/maths.h"
#include "models/chance.h"
#include "models/loads/load.h"
#include "models/routing/routing.h"

bool load_is_random(const struct plan *plan, size_t load)
{
    return chance_in_server(&plan->server) || chance_in_load(&plan->loads[load]);
}

uint64_t load_replications(const struct plan *plan, size_t load)
{
    if (!load_is_random(plan, load))
        return 1;
    return plan->run.replications != 0 ? plan->run.replications : REPLICATIONS_DEFAULT;
}

bool start_is_drawn(struct start_law start)
{
    switch (start.state) {
    case STATE_RESIDUALS:
    case STATE_EPOCH:
    case STATE_CLIENTS: return true;
    case STATE_NONE:
    case STATE_IDLE:
    case STATE_ANY:
    case STATE_SETTLED: return false;
    }
    BUG("a start state outside its enum");
}

/* A state with a closed form before one that has to settle, and the one that takes longest. */
static bool is_better(struct start_law offer, struct start_law held)
{
    if (start_is_drawn(offer))
        return !start_is_drawn(held);
    return offer.state == STATE_SETTLED &&
           (held.state == STATE_NONE ||
            (held.state == STATE_SETTLED && offer.settle_ns > held.settle_ns));
}

/* An open load whose arrivals are random: time 0 is then no arrival. */
static bool arrives_at_random(const struct load_plan *load)
{
    const struct open_load *open = load->kind.params;
    return load_kind(load->kind) == &load_open && arrivals_random(open->arrivals);
}

/* The first n arrivals after an instant do not see what an arrival sees: the first comes when none
   has come for a while.  So a run that counts starts behind an arrival. */
struct start_law start_of_count(const struct plan *plan, const struct load_plan *load,
                                struct start_law start)
{
    if (plan->run.requests != 0 && start.state == STATE_RESIDUALS && arrives_at_random(load))
        start.state = STATE_EPOCH;
    return start;
}

/* ... and settles for so many arrivals: twice as many as are due in the time, and some. */
uint64_t start_settle_requests(const struct plan *plan, size_t load, struct start_law start)
{
    const struct load_plan *l = &plan->loads[load];
    if (start.state != STATE_SETTLED || plan->run.requests == 0 || !arrives_at_random(l))
        return 0;
    double gap_ns = load_kind(l->kind)->interval_ns(l->kind.params, 0.0, 1);
    return 60 + 2 * round_ns((double)start.settle_ns / gap_ns);
}

struct start_law start_find(const struct plan *plan, size_t load, struct law_memo *memo,
                            char why[LAW_WHY_SIZE])
{
    struct law_memo own = {0};
    static const enum instant asked[][2] = {{INSTANT_DUE, INSTANT_FINISHED},
                                            {INSTANT_SENT, INSTANT_FINISHED},
                                            {INSTANT_DUE, INSTANT_SENT}};
    struct start_law start = {STATE_NONE, 0.0, 0};
    snprintf(why, LAW_WHY_SIZE, "No law gives its stationary state.");
    for (size_t i = 0; i < sizeof asked / sizeof asked[0] && plan->run.cut_ns == 0; i++) {
        struct law_question question = {.server = &plan->server,
                                        .load = &plan->loads[load],
                                        .run = &plan->run,
                                        .from = asked[i][0],
                                        .to = asked[i][1]};
        struct law law;
        law_memo_find(memo != NULL ? memo : &own, &question, &law);
        if (law.shape == LAW_RANDOM && is_better(law.start, start))
            start = start_of_count(plan, &plan->loads[load], law.start);
        else if (law.shape == LAW_NONE && i == 0)
            snprintf(why, LAW_WHY_SIZE, "%s", law.why);
        law_free(&law);
    }
    law_memo_free(&own);
    return start;
}

enum start start_of_run(const struct plan *plan)
{
    if (plan->run.start != START_DEFAULT || plan->run.detect_p.num != 0)
        return plan->run.start;
    size_t stationary = 0;
    for (size_t i = 0; i < plan->load_count; i++) {
        char why[LAW_WHY_SIZE];
        if (load_is_random(plan, i) && start_find(plan, i, NULL, why).state != STATE_NONE)
            stationary++;
    }
    if (stationary == 0)
        return START_EMPTY;
    return stationary == plan->load_count ? START_STATIONARY : START_DEFAULT;
}

/* Jobs while they are drawn. */
struct jobs {
    ns_t *work_ns;
    size_t *station;
    size_t count, capacity;
};

static void jobs_add(struct jobs *jobs, ns_t work_ns, size_t station)
{
    if (jobs->count == jobs->capacity) {
        jobs->capacity = jobs->capacity ? 2 * jobs->capacity : 64;
        jobs->work_ns = must_grow(jobs->work_ns, jobs->capacity, sizeof *jobs->work_ns);
        jobs->station = must_grow(jobs->station, jobs->capacity, sizeof *jobs->station);
    }
    jobs->work_ns[jobs->count] = work_ns;
    jobs->station[jobs->count++] = station;
}

/* Geometric: one more while a coin of the law's probability, itself a multiple of 2^-40, falls. Two
   works may share a word, so that coins have none of theirs. */
static void draw_residuals(const struct plan *plan, double probability, struct stream stream,
                           size_t station, struct jobs *jobs)
{
    struct choice service = plan->server.service;
    struct stream works = stream_at(stream, UINT64_MAX - 1);
    for (uint64_t k = 0; happens(stream_word(stream, k), probability); k++)
        jobs_add(jobs, distribution(service)->residual(service.params, works, k), station);
}

static void draw_all_residuals(const struct plan *plan, double probability, struct stream stream,
                               struct jobs *jobs)
{
    for (size_t s = 0; s < plan->server.replicas; s++)
        draw_residuals(plan, probability, s == 0 ? stream : stream_at(stream, s), s, jobs);
}

/* The residuals an arrival finds, and the work of that arrival behind them, at any replica. */
static void draw_epoch(const struct plan *plan, double probability, struct stream stream,
                       struct jobs *jobs)
{
    struct choice service = plan->server.service;
    struct stream own = stream_at(stream, UINT64_MAX);
    ns_t work_ns;
    draw_all_residuals(plan, probability, stream, jobs);
    distribution(service)->draw(service.params, own, 0, &work_ns, 1);
    jobs_add(jobs, work_ns, (size_t)below(stream_word(own, 1), plan->server.replicas));
}

static void draw_clients(const struct plan *plan, size_t load, struct stream stream,
                         struct jobs *jobs)
{
    const struct closed_load *closed = plan->loads[load].kind.params;
    struct choice service = plan->server.service;
    for (uint64_t k = 0; k < closed->clients; k++) {
        ns_t work_ns;
        distribution(service)->draw(service.params, stream, k, &work_ns, 1);
        jobs_add(jobs, work_ns, 0);
    }
}

struct initial_jobs start_draw(const struct plan *plan, size_t load, struct start_law law,
                               uint32_t run, uint32_t replication)
{
    struct stream stream = stream_open(plan->run.seed, run, replication, PURPOSE_START);
    struct jobs jobs = {0};
    switch (law.state) {
    case STATE_RESIDUALS: draw_all_residuals(plan, law.probability, stream, &jobs); break;
    case STATE_EPOCH: draw_epoch(plan, law.probability, stream, &jobs); break;
    case STATE_CLIENTS: draw_clients(plan, load, stream, &jobs); break;
    case STATE_NONE:
    case STATE_IDLE:
    case STATE_ANY:
    case STATE_SETTLED: break;
    }
    return (struct initial_jobs){jobs.work_ns, jobs.station, jobs.count};
}

void start_release(struct initial_jobs jobs)
{
    free((void *)(uintptr_t)jobs.work_ns);
    free((void *)(uintptr_t)jobs.station);
}
