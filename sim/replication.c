/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/fast.h"
#include "sim/pass.h"

enum engine_end replication_run(const struct replication_request *r, struct engine_totals *totals)
{
    uint64_t by_number = start_settle_requests(r->plan, r->load, r->start);
    struct engine_request request = {
        .plan = r->plan,
        .load = r->load,
        .run = r->run,
        .replication = r->replication,
        .initial = start_draw(r->plan, r->load, r->start, r->run, r->replication),
        .settle_ns = by_number > 0 ? 0 : r->start.settle_ns,
        .settle_requests = by_number,
        .again = r->again,
        .wants = r->wants,
        .consumer = r->consumer,
        .stop = r->stop,
    };
    enum engine_end end =
        fast_accepts(&request) ? fast_run(&request, totals) : engine_run(&request, totals);
    start_release(request.initial);
    return end;
}
