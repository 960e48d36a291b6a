/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/loads/load.h"
#include "models/stores/store.h"
#include "sim/start.h"
#include "sim/work.h"

uint64_t load_connections(const struct load_plan *load)
{
    if (load_kind(load->kind) == &load_closed)
        return ((const struct closed_load *)load->kind.params)->clients;
    if (load_kind(load->kind) == &load_paced)
        return ((const struct paced_load *)load->kind.params)->connections;
    if (load_kind(load->kind) == &load_open) {
        uint64_t window = ((const struct open_load *)load->kind.params)->max_in_flight;
        return window == UNLIMITED ? 0 : window;
    }
    return 0;
}

/* Mean interval between the load's sends, roughly: a schedule's, or what a closed loop can do. */
static double interval_ns(const struct plan *plan, const struct load_plan *load)
{
    if (load_kind(load->kind) == &load_closed) {
        const struct closed_load *closed = load->kind.params;
        double service_ns = distribution(plan->server.service)->mean_ns(plan->server.service.params);
        double round_ns = service_ns + distribution(closed->think)->mean_ns(closed->think.params);
        double by_clients_ns = round_ns / (double)closed->clients;
        double by_workers_ns = service_ns / (double)plan->server.workers;
        return by_clients_ns > by_workers_ns ? by_clients_ns : by_workers_ns;
    }
    struct pace pace = {1, 1};
    if (load_kind(load->kind) == &load_paced) {
        const struct paced_load *paced = load->kind.params;
        pace = pace_of(paced->rate_per_s, paced->every_ns);
    } else if (load_kind(load->kind) == &load_open) {
        const struct open_load *open = load->kind.params;
        if (!arrivals(open->arrivals)->paced)
            return 0.0; /* a list: as long as its file */
        pace = pace_of(open->rate_per_s, open->every_ns);
    }
    return (double)pace.num / (double)pace.den;
}

double run_load_requests(const struct plan *plan, size_t load)
{
    double requests = (double)plan->run.requests;
    if (plan->run.duration_ns == 0)
        return requests;
    double gap_ns = interval_ns(plan, &plan->loads[load]);
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
