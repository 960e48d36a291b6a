/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A network that delays every request alike: the same law, later. */
#include "models/laws/another.h"
#include "models/laws/domain.h"
#include "models/laws/mechanisms.h"

/* Nobody overtakes on the way, so the server sees the load's sends, all so much later.  What
   strikes it at instants of its own would come so much earlier. */
static bool in_domain(const struct law_question *q, char why[LAW_WHY_SIZE])
{
    const struct network *network = &q->server->network;
    if (network->delay.type == NULL)
        return law_refuses(why, LAW_ELSEWHERE "requests that take time on their way.");
    if (network->delay.type != &distribution_constant.is ||
        network->probability.num != network->probability.den)
        return law_refuses(why, LAW_ELSEWHERE "requests that all take the same time on their way.");
    if (q->part != PART_NONE)
        return law_refuses(why, "A part of the response time has no law here where requests take "
                                "time on their way.");
    if (q->load->resend.type != NULL || q->load->timeout_ns != 0)
        return law_refuses(why, "The client's timers run while a request is on its way, and that "
                                "has no law here.");
    for (size_t i = 0; i < q->server->stall_count; i++)
        if (q->server->stalls[i].last_ns > 0 || q->server->stalls[i].up.type != NULL)
            return law_refuses(why, "Disturbances come at instants of their own, while the network "
                                    "makes requests come later: no law here has both.");
    if (q->server->quota.budget_ns != 0)
        return law_refuses(why, "The quota's periods start at instants of their own, while the "
                                "network makes requests come later: no law here has both.");
    return true;
}

static bool holds(const struct law_question *q, struct law *out, char why[LAW_WHY_SIZE])
{
    if (!in_domain(q, why))
        return false;
    ns_t delay_ns = ((const struct constant *)q->server->network.delay.params)->value_ns;
    struct another *other = another_of(q);
    other->server.network.delay = (struct choice){NULL, NULL};
    if (!another_thinks(other, delay_ns, why)) {
        another_free(other);
        return false;
    }
    bool sent = q->from == INSTANT_STARTED || q->from == INSTANT_FINISHED;
    bool arrives = q->to == INSTANT_STARTED || q->to == INSTANT_FINISHED;
    if (!another_law(other, !sent && arrives ? delay_ns : 0, out, why))
        return false;
    another_later(out, delay_ns);
    return true;
}

const struct law_type law_on_the_way = {
    .is = {.name = "on-the-way", .says = "a network that delays every request alike: so much more"},
    .formula = "V = W + d; P(V > x) = P(W > x - d)",
    .symbols = "d the constant delay, W the time of the same question without a network, of "
               "clients that think for d longer",
    .domain = "network with a constant delay and probability 1; open load without a window, or "
              "closed load or sessions that think for a constant time; no stalls, no quota, no "
              "timeout, no copies; whatever has a law without it",
    .source = "nobody overtakes on the way, so the server sees the same arrivals, all d later",
    .check = "even arrivals every 2 ms, service 1 ms, d = 5 ms: every request takes 6 ms",
    .knows = KNOWS_ALL,
    .by_another = holds,
};
