/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/laws/domain.h"

#include <stdio.h>

#include "models/routing/routing.h"
#include "models/policies/late.h"
#include "models/stalls/stall.h"

bool domain_strikes_server(const struct stall *stall)
{
    bool ever = stall->last_ns > 0 || stall->up.type != NULL;
    return ever && (stall->target == TARGET_SERVER || stall->target == TARGET_REPLICA);
}

bool domain_work_stops(const struct server *server)
{
    for (size_t i = 0; i < server->stall_count; i++)
        if (domain_strikes_server(&server->stalls[i]) && server->stalls[i].mode->stops_work)
            return true;
    return false;
}

bool domain_holds_answers(const struct server *server)
{
    for (size_t i = 0; i < server->stall_count; i++)
        if (domain_strikes_server(&server->stalls[i]) && server->stalls[i].mode->holds_answers)
            return true;
    return false;
}

bool domain_stalls(const struct server *server)
{
    for (size_t i = 0; i < server->stall_count; i++)
        if (domain_strikes_server(&server->stalls[i]) && server->stalls[i].mode->stops_starts)
            return true;
    return false;
}

uint64_t domain_most_in_flight(const struct load_plan *load)
{
    if (load->kind.type == &load_closed.is)
        return ((const struct closed_load *)load->kind.params)->clients;
    if (load->kind.type == &load_paced.is)
        return ((const struct paced_load *)load->kind.params)->connections;
    if (load->kind.type == &load_open.is)
        return ((const struct open_load *)load->kind.params)->max_in_flight;
    return UNLIMITED;
}

bool domain_sent_when_due(const struct load_plan *load)
{
    if (load->kind.type == &load_open.is)
        return ((const struct open_load *)load->kind.params)->max_in_flight == UNLIMITED;
    return load->kind.type == &load_closed.is || load->kind.type == &load_sessions.is;
}

bool domain_from_due(const struct law_question *q)
{
    if (q->to != INSTANT_FINISHED)
        return false;
    switch (q->from) {
    case INSTANT_DUE: return true;
    case INSTANT_ACQUIRED:
    case INSTANT_SENT: return domain_sent_when_due(q->load);
    case INSTANT_STARTED:
    case INSTANT_FINISHED: return false;
    }
    BUG("an instant outside its enum");
}

bool domain_whole_time(const struct law_question *q, char why[LAW_WHY_SIZE])
{
    if (domain_from_due(q))
        return true;
    if (!domain_sent_when_due(q->load))
        return law_refuses(why,
                           "Behind a window the law is that of the time from due to the answer.");
    return law_refuses(why, "The law is that of the whole time from due to the answer.");
}

/* Whether a paced connection sends the moment it gets its turn. */
static bool sends_at_once(const struct paced_load *load)
{
    const struct catch_up *policy = load->late.params;
    return load->late.type != &late_catch_up.is || policy->factor.num == 0;
}

bool domain_from_send(const struct law_question *q)
{
    switch (q->from) {
    case INSTANT_SENT: return true;
    case INSTANT_ACQUIRED:
        return q->load->kind.type != &load_paced.is || sends_at_once(q->load->kind.params);
    case INSTANT_DUE: return domain_sent_when_due(q->load);
    case INSTANT_STARTED:
    case INSTANT_FINISHED: return false;
    }
    BUG("an instant outside its enum");
}

bool domain_counts_from_empty(const struct law_question *q)
{
    bool counted = q->run->requests != 0, timed = q->run->duration_ns != 0;
    return q->warmup_ns == 0 && counted != timed && (timed || q->server->replicas <= 1);
}

bool domain_no_think(const struct closed_load *load)
{
    return load->think.type == NULL ||
           (load->think.type == &distribution_constant.is &&
            ((const struct constant *)load->think.params)->value_ns == 0);
}

bool domain_sends_once(const struct law_question *q, char why[LAW_WHY_SIZE])
{
    if (q->load->resend.type != NULL)
        return law_refuses(why, "Requests are sent again, and the law is that of a single copy.");
    if (q->load->fan_out > 1)
        return law_refuses(why, "A request is answered when all its parts are, and the law is that "
                                "of a single one.");
    return true;
}

bool domain_serves_all(const struct law_question *q, char why[LAW_WHY_SIZE])
{
    const struct server *server = q->server;
    if (!domain_sends_once(q, why))
        return false;
    if (q->load->timeout_ns != 0)
        return law_refuses(why, "The client gives up after a timeout, which cuts the law's tail.");
    if (q->run->cut_ns != 0)
        return law_refuses(why, "The run is cut, and a cut loses long responses first.");
    uint64_t most = domain_most_in_flight(q->load);
    bool never_full = server->workers == UNLIMITED || server->queue_limit == UNLIMITED ||
                      most <= server->workers || most - server->workers <= server->queue_limit;
    if (!never_full)
        return law_refuses(why,
                           "The queue is limited, and what it refuses is missing from the law.");
    return true;
}

bool domain_single_worker(const struct law_question *q, char why[LAW_WHY_SIZE])
{
    if (q->server->workers != 1)
        return law_refuses(why,
                           "The law is that of one worker, and this server has another number.");
    if (domain_stalls(q->server))
        return law_refuses(why, LAW_ELSEWHERE "a server without stalls.");
    return domain_serves_all(q, why);
}

bool domain_single_server(const struct law_question *q, char why[LAW_WHY_SIZE])
{
    if (q->server->replicas > 1)
        return law_refuses(why, "The load is shared by replicas, each with a queue of its own, and "
                                "the law is that of a single one.");
    return domain_single_worker(q, why);
}

bool domain_poisson_pace(const struct law_question *q, struct pace *out, char why[LAW_WHY_SIZE])
{
    const struct open_load *load = q->load->kind.params;
    if (q->load->kind.type != &load_open.is || load->arrivals.type != &arrivals_poisson.is)
        return law_refuses(why, LAW_ELSEWHERE "an open load with Poisson arrivals.");
    *out = pace_of(load->rate_per_s, load->every_ns);
    uint64_t replicas = q->server->replicas;
    if (replicas <= 1)
        return true;
    if (q->server->routing.type != &routing_random.is)
        return law_refuses(why, "Only requests that go to a random replica arrive there as a "
                                "Poisson process of its own.");
    if (!domain_sent_when_due(q->load))
        return law_refuses(why, "Behind a window the replicas are not independent of each other.");
    if (out->num > UINT64_MAX / replicas)
        return law_refuses(why, "A replica's share of the arrivals is too small to compute with.");
    out->num *= replicas;
    return true;
}

struct utilisation domain_utilisation(struct pace pace, ns_t service_ns)
{
    u128 work = (u128)service_ns * pace.den;
    double interval = (double)pace.num, busy = (double)service_ns * (double)pace.den;
    return (struct utilisation){
        .rho = busy / interval,
        .spare = (double)((i128)pace.num - (i128)work) / interval,
        .per_ns = (double)pace.den / interval,
        .stable = work < pace.num,
    };
}

bool domain_stable(struct pace pace, ns_t service_ns, struct utilisation *out,
                   char why[LAW_WHY_SIZE])
{
    if (service_ns < NS_PER_US)
        return law_refuses(why,
                           "The mean service time is below 1 us, where rounding durations to whole "
                           "ns shows in the law.");
    *out = domain_utilisation(pace, service_ns);
    if (!out->stable)
        return law_refuses(why,
                           "The load is at or beyond the server's capacity: response times grow "
                           "with the length of the run and have no stationary law.");
    return true;
}
