/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/start.h"

#include <stdio.h>

#include "models/loads/load.h"

bool load_is_random(const struct plan *plan, size_t load)
{
    const struct load_plan *l = &plan->loads[load];
    return distribution(plan->server.service)->random || load_kind(l->kind)->random(l->kind.params);
}

struct start_law start_find(const struct plan *plan, size_t load, char why[LAW_WHY_SIZE])
{
    struct start_law start = {STATE_NONE, 0.0};
    struct choice kind = plan->loads[load].kind;
    bool closed = load_kind(kind) == &load_closed;
    struct law_question question = {.server = &plan->server,
                                    .load = &plan->loads[load],
                                    .run = &plan->run,
                                    .from = closed ? INSTANT_SENT : INSTANT_DUE,
                                    .to = INSTANT_FINISHED};
    struct law law;
    law_find(&question, &law);
    if (law.shape == LAW_RANDOM && (law.state == STATE_RESIDUALS || law.state == STATE_CLIENTS))
        start = (struct start_law){law.state, law.probability};
    else
        snprintf(why, LAW_WHY_SIZE, "%s",
                 law.shape == LAW_NONE ? law.why : "No law gives its stationary state.");
    law_free(&law);
    return start;
}

/* Geometric: one more while a coin of the law's probability, itself a multiple of 2^-40, falls. */
static struct initial_jobs draw_residuals(const struct plan *plan, double probability,
                                          struct stream stream)
{
    struct choice service = plan->server.service;
    size_t count = 0, capacity = 64;
    ns_t *work_ns = must_alloc(capacity, sizeof *work_ns);
    while (happens(stream_word(stream, 2 * count), probability)) {
        if (count == capacity) {
            capacity *= 2;
            work_ns = must_grow(work_ns, capacity, sizeof *work_ns);
        }
        work_ns[count] = distribution(service)->residual(service.params, stream, 2 * count + 1);
        count++;
    }
    return (struct initial_jobs){work_ns, count};
}

static struct initial_jobs draw_clients(const struct plan *plan, size_t load, struct stream stream)
{
    const struct closed_load *closed = plan->loads[load].kind.params;
    struct choice service = plan->server.service;
    ns_t *work_ns = must_alloc((size_t)closed->clients, sizeof *work_ns);
    distribution(service)->draw(service.params, stream, 0, work_ns, (size_t)closed->clients);
    return (struct initial_jobs){work_ns, (size_t)closed->clients};
}

struct initial_jobs start_draw(const struct plan *plan, size_t load, struct start_law law,
                               uint32_t run, uint32_t replication)
{
    struct stream stream = stream_open(plan->run.seed, run, replication, PURPOSE_START);
    switch (law.state) {
    case STATE_RESIDUALS: return draw_residuals(plan, law.probability, stream);
    case STATE_CLIENTS: return draw_clients(plan, load, stream);
    case STATE_NONE:
    case STATE_ANY:
    case STATE_IDLE: break;
    }
    return (struct initial_jobs){NULL, 0};
}
