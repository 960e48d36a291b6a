/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/fast.h"

#include "models/queues/queue.h"
#include "sim/fast_parts.h"

/* The simplest first. */
static const struct shape {
    bool one_copy; /* of each request, served to its end by the only server */
    bool (*accepts)(const struct engine_request *request);
    enum engine_end (*run)(const struct engine_request *request, struct engine_totals *totals);
} shapes[] = {
    {true, fast_line_accepts, fast_line_run},
    {true, fast_crew_accepts, fast_crew_run},
    {false, fast_copies_accepts, fast_copies_run},
};
#define SHAPE_COUNT (sizeof shapes / sizeof shapes[0])

/* Stations that serve first come first served, and nothing before or behind them. */
static bool is_simple(const struct engine_request *request)
{
    const struct server *server = &request->plan->server;
    const struct load_plan *load = &request->plan->loads[request->load];
    return server->queue.type == &queue_fifo.is && server->load_dependence.num == 0 &&
           server->quota.budget_ns == 0 && server->behind.service.type == NULL &&
           server->network.delay.type == NULL && load->fan_out == 1 &&
           load->generator.cost_ns == 0 && load->overhead_ns == 0 && request->plan->run.cut_ns == 0;
}

/* It takes whatever comes, and gives back nothing. */
static bool has_one_copy(const struct engine_request *request)
{
    const struct server *server = &request->plan->server;
    const struct load_plan *load = &request->plan->loads[request->load];
    return server->replicas == 1 && server->queue_limit == UNLIMITED && load->resend.type == NULL &&
           (load->timeout_ns == 0 || load->timeout_cancel == CANCEL_NONE);
}

/* SHAPE_COUNT: none of them. */
static size_t shape_of(const struct engine_request *request)
{
    size_t i = 0;
    if (!is_simple(request))
        return SHAPE_COUNT;
    bool one_copy = has_one_copy(request);
    while (i < SHAPE_COUNT && !((one_copy || !shapes[i].one_copy) && shapes[i].accepts(request)))
        i++;
    return i;
}

bool fast_accepts(const struct engine_request *request)
{
    return shape_of(request) < SHAPE_COUNT;
}

enum engine_end fast_run(const struct engine_request *request, struct engine_totals *totals)
{
    size_t shape = shape_of(request);
    BUG_IF(shape == SHAPE_COUNT);
    return shapes[shape].run(request, totals);
}
