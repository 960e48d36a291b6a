/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/trace.h"

#include "sim/pass.h"

enum engine_end trace_run(const struct trace_request *request)
{
    char why[LAW_WHY_SIZE];
    struct start_law start = {.state = STATE_NONE};
    if (load_is_random(request->plan, request->load) && request->plan->run.start != START_EMPTY)
        start = start_find(request->plan, request->load, NULL, why);
    struct engine_totals totals;
    struct replication_request replication = {.plan = request->plan,
                                              .load = request->load,
                                              .start = start,
                                              .replication = request->replication,
                                              .again = true,
                                              .wants = WANTS_ALL,
                                              .consumer = request->consumer,
                                              .stop = request->stop};
    return replication_run(&replication, &totals);
}
