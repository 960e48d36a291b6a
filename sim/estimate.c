/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "models/corrections/correction.h"
#include "models/loads/load.h"
#include "models/stores/store.h"
#include "sim/fast.h"
#include "sim/groups.h"
#include "sim/recorder.h"
#include "sim/replaying.h"
#include "sim/run.h"
#include "sim/start.h"

static double service_ns(const struct plan *plan)
{
    struct choice service = plan->server.service;
    return distribution(service)->mean_ns(service.params);
}

static double gap_ns(const struct plan *plan, size_t load)
{
    struct choice kind = plan->loads[load].kind;
    return load_kind(kind)->interval_ns(kind.params, service_ns(plan), plan->server.workers);
}

double run_load_requests(const struct plan *plan, size_t load)
{
    double requests = (double)plan->run.requests;
    if (plan->run.duration_ns == 0)
        return requests;
    double between_ns = gap_ns(plan, load);
    double within = between_ns > 0.0 ? (double)plan->run.duration_ns / between_ns : requests;
    return plan->run.requests != 0 && requests < within ? requests : within;
}

/* Whether the quota holds back work that never stops. */
static bool is_throttled(const struct plan *plan)
{
    const struct quota *quota = &plan->server.quota;
    return quota->budget_ns != 0 &&
           (double)quota->budget_ns < (double)plan->server.workers * (double)quota->period_ns;
}

/* How long a replication lasts: as the load sends, or as long as the work takes. */
static double length_ns(const struct plan *plan, size_t load, double rows)
{
    const struct quota *quota = &plan->server.quota;
    double by_load_ns = rows * gap_ns(plan, load), work_ns = rows * service_ns(plan);
    double speed = (double)plan->server.workers;
    if (is_throttled(plan))
        speed = (double)quota->budget_ns / (double)quota->period_ns;
    double by_work_ns = work_ns / (speed * (double)plan->server.replicas);
    if (plan->run.duration_ns != 0)
        return (double)plan->run.duration_ns;
    return by_load_ns > by_work_ns ? by_load_ns : by_work_ns;
}

/* From one beginning of a stall to the next; 0: there is one at most. */
static double stall_gap_ns(const struct stall *stall)
{
    if (stall->up.type == NULL)
        return (double)stall->every_ns;
    return distribution(stall->up)->mean_ns(stall->up.params) +
           distribution(stall->down)->mean_ns(stall->down.params);
}

/* What a replication costs beside its requests, in requests: its set-up, its clients' first sends,
   the stalls that come and go while it lasts, and the periods whose budget its work uses up. */
static double overhead(const struct plan *plan, size_t load, double rows)
{
    struct choice kind = plan->loads[load].kind;
    double cost = 50.0 + (double)load_kind(kind)->in_flight_limit(kind.params);
    for (size_t i = 0; i < plan->server.stall_count; i++) {
        double between_ns = stall_gap_ns(&plan->server.stalls[i]);
        if (between_ns > 0.0)
            cost += length_ns(plan, load, rows) / between_ns;
    }
    if (is_throttled(plan))
        cost += rows * service_ns(plan) / (double)plan->server.quota.budget_ns;
    return cost;
}

/* How many groups a recorder keeps apart; 1: it keeps none. */
static double groups_expected(const struct plan *plan, size_t recorder, double rows)
{
    const struct recorder_plan *r = &plan->recorders[recorder];
    struct choice kind = plan->loads[r->load].kind;
    double clients;
    switch (r->per) {
    case PER_RUN: return 1.0;
    case PER_WINDOW: return length_ns(plan, r->load, rows) / (double)r->window_ns + 1.0;
    case PER_CLIENT:
        clients = (double)load_kind(kind)->in_flight_limit(kind.params);
        return clients > 0.0 ? clients : rows;
    case PER_REPLICA: return (double)plan->server.replicas;
    }
    BUG("a per outside its enum");
}

/* What an exact store keeps of a sample and of all that a correction adds below it, in samples: at
   least what the service alone makes of it.  A long run of added ones is one. */
static double kept_each(const struct plan *plan, const struct recorder_plan *r)
{
    const struct correction_params *params = r->correction.params;
    struct choice kind = plan->loads[r->load].kind;
    if (r->correction.type == NULL)
        return 1.0;
    double interval_ns = (double)params->interval_ns;
    if (params->interval_ns == INTERVAL_AUTO)
        interval_ns = gap_ns(plan, r->load) *
                      fmax((double)load_kind(kind)->in_flight_limit(kind.params), 1.0);
    double added = interval_ns > 0.0 ? service_ns(plan) / interval_ns : 0.0;
    return added < COUNT_RUN_LEAST ? 1.0 + added : 2.0;
}

/* A table of groups has an entry for each cell that is used: at most one a sample, or all the cells
   of each group.  A table that grows is there twice, and sorted once more. */
static double recorder_bytes(const struct plan *plan, size_t recorder, double rows, double samples,
                             uint64_t exact_limit)
{
    const struct recorder_plan *r = &plan->recorders[recorder];
    const struct store_type *store = store_kind(r->store);
    if (replaying_suits(plan, recorder, exact_limit))
        return (double)store_replayed.memory(NULL, 1);
    samples *= kept_each(plan, r);
    double whole = (double)store->memory(r->store.params, (uint64_t)samples);
    if (r->per == PER_RUN)
        return whole;
    double groups = groups_expected(plan, recorder, rows);
    bool flat = store->memory(r->store.params, 2) == store->memory(r->store.params, 1);
    double cells = (double)store->memory(r->store.params, 1) / (double)sizeof(uint64_t);
    double entries = flat ? fmin(samples, cells * groups) : samples;
    return whole + entries * 4.0 * sizeof(struct count_entry) + groups * sizeof(struct group_tally);
}

/* How often the requests are run once more: in part, for the gates; to count what the census of the
   first pass cannot, as its cells end elsewhere; and again until replayed samples are known. */
static double times_again(const struct plan *plan, size_t load, uint64_t exact_limit)
{
    double most = load_is_random(plan, load) ? 1.0 / REPLICATIONS_DEFAULT : 1.0;
    for (size_t i = 0; i < plan->recorder_count; i++) {
        const struct recorder_plan *r = &plan->recorders[i];
        if (r->load != load)
            continue;
        double again = replaying_suits(plan, i, exact_limit) ? 4.0
                       : recorder_suits_census(r)            ? most
                                                             : 1.0;
        most = again > most ? again : most;
    }
    return most;
}

/* What a request costs, roughly, where a fast path takes the load and where events are needed. */
#define FAST_REQUEST_NS 6.0
#define EVENT_REQUEST_NS 150.0

static double request_ns(const struct plan *plan, size_t load)
{
    const struct engine_request request = {.plan = plan, .load = load};
    return fast_accepts(&request) ? FAST_REQUEST_NS : EVENT_REQUEST_NS;
}

struct run_cost run_estimate(const struct plan *plan, uint64_t exact_limit)
{
    struct run_cost cost = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < plan->load_count; i++) {
        double replications = (double)load_replications(plan, i);
        double rows = run_load_requests(plan, i);
        double again = times_again(plan, i, exact_limit);
        double requests = (1.0 + again) * replications * (rows + overhead(plan, i, rows));
        cost.requests += requests;
        cost.time_ns += requests * request_ns(plan, i);
        for (size_t r = 0; r < plan->recorder_count; r++)
            if (plan->recorders[r].load == i)
                cost.bytes += recorder_bytes(plan, r, rows, rows * replications, exact_limit);
    }
    return cost;
}
