/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/laws/saturated.h"

#include "models/distributions/distribution.h"
#include "models/laws/domain.h"
#include "models/loads/load.h"

bool saturated_of(const struct law_question *q, const struct queue_type *order,
                  struct saturated *out, char why[LAW_WHY_SIZE])
{
    const struct closed_load *closed = q->load->kind.params;
    if (q->load->kind.type != &load_closed.is || queue_kind(q->server->queue) != order)
        return law_refuses(why, LAW_ELSEWHERE "a closed loop served in another order.");
    if (q->server->service.type != &distribution_constant.is)
        return law_refuses(why,
                           "In this order a closed loop has a law only with constant service.");
    if (!domain_no_think(closed) || closed->stagger_ns != 0)
        return law_refuses(why,
                           "In this order a closed loop has a law only with clients that start "
                           "together and never think.");
    if (q->server->replicas > 1)
        return law_refuses(why, "The load is shared by replicas, each with a queue of its own, and "
                                "the law is that of a single one.");
    if (domain_stalls(q->server))
        return law_refuses(why, "In this order a closed loop has a law only without stalls.");
    if (!domain_from_due(q))
        return law_refuses(why, "In this order the law is that of the time from the send to the "
                                "answer.");
    *out = (struct saturated){closed->clients, q->server->workers,
                              ((const struct constant *)q->server->service.params)->value_ns};
    if (out->service_ns == 0)
        return law_refuses(why, "Without service time the loop never gets past an instant.");
    if (q->run->start == START_STATIONARY)
        return law_refuses(why, "The law is that of clients that all start at time 0.");
    return domain_serves_all(q, why);
}

uint64_t saturated_instants(ns_t end_ns, ns_t step_ns, uint64_t most)
{
    uint64_t count = end_ns == 0 ? 0 : (end_ns - 1) / step_ns + 1;
    return count < most ? count : most;
}

ns_t saturated_end(const struct law_question *q)
{
    return q->run->duration_ns != 0 ? q->run->duration_ns : NS_LIMIT;
}

uint64_t saturated_most(const struct law_question *q)
{
    return q->run->requests != 0 ? q->run->requests : UINT64_MAX;
}

bool saturated_fits(u128 last_ns, char why[LAW_WHY_SIZE])
{
    if (last_ns < NS_LIMIT)
        return true;
    return law_refuses(why, "The run's last answers lie beyond the clock.");
}
