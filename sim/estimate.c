/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/loads/load.h"
#include "models/stores/store.h"
#include "sim/run.h"
#include "sim/start.h"

double run_load_requests(const struct plan *plan, size_t load)
{
    double requests = (double)plan->run.requests;
    if (plan->run.duration_ns == 0)
        return requests;
    struct choice service = plan->server.service, kind = plan->loads[load].kind;
    double gap_ns = load_kind(kind)->interval_ns(
        kind.params, distribution(service)->mean_ns(service.params), plan->server.workers);
    double within = gap_ns > 0.0 ? (double)plan->run.duration_ns / gap_ns : requests;
    return plan->run.requests != 0 && requests < within ? requests : within;
}

/* What a replication costs beside its requests, in requests: its set-up, its clients' first sends,
   and the stalls that come and go while it lasts. */
static double overhead(const struct plan *plan, size_t load, double rows)
{
    struct choice service = plan->server.service, kind = plan->loads[load].kind;
    double gap_ns = load_kind(kind)->interval_ns(
        kind.params, distribution(service)->mean_ns(service.params), plan->server.workers);
    double length_ns = plan->run.duration_ns != 0 ? (double)plan->run.duration_ns : rows * gap_ns;
    double cost = 50.0 + (double)load_kind(kind)->in_flight_limit(kind.params);
    for (size_t i = 0; i < plan->server.stall_count; i++) {
        const struct stall *stall = &plan->server.stalls[i];
        if (stall->every_ns != 0)
            cost += length_ns / (double)stall->every_ns;
    }
    return cost;
}

struct run_cost run_estimate(const struct plan *plan)
{
    struct run_cost cost = {0.0, 0.0};
    for (size_t i = 0; i < plan->load_count; i++) {
        uint64_t most = plan->run.replications ? plan->run.replications : 32;
        double replications = load_is_random(plan, i) ? (double)most : 1.0;
        double rows = run_load_requests(plan, i);
        /* recorded, then counted again */
        cost.requests += 2.0 * replications * (rows + overhead(plan, i, rows));
        for (size_t r = 0; r < plan->recorder_count; r++)
            if (plan->recorders[r].load == i)
                cost.bytes +=
                    (double)store_kind(plan->recorders[r].store)
                        ->memory(plan->recorders[r].store.params, (uint64_t)(rows * replications));
    }
    return cost;
}
