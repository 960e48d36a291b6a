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

struct run_cost run_estimate(const struct plan *plan)
{
    struct run_cost cost = {0.0, 0.0};
    uint64_t replications = plan->run.replications ? plan->run.replications : 32;
    for (size_t i = 0; i < plan->load_count; i++) {
        double rows = run_load_requests(plan, i);
        if (load_is_random(plan, i))
            rows *= (double)replications;
        cost.requests += 2.0 * rows; /* recorded, then counted again */
        for (size_t r = 0; r < plan->recorder_count; r++)
            if (plan->recorders[r].load == i)
                cost.bytes += (double)store_kind(plan->recorders[r].store)
                                  ->memory(plan->recorders[r].store.params, (uint64_t)rows);
    }
    return cost;
}
