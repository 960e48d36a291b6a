/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/chance.h"

#include "models/distributions/distribution.h"
#include "models/loads/load.h"
#include "models/policies/resend.h"
#include "models/queues/queue.h"
#include "models/routing/routing.h"

static bool is_random(struct choice duration)
{
    return duration.type != NULL && distribution(duration)->random;
}

bool chance_in_server(const struct server *server)
{
    const struct behind *behind = &server->behind;
    const struct network *network = &server->network;
    bool random = is_random(server->service) || queue_kind(server->queue)->random ||
                  (server->replicas > 1 && routing(server->routing)->random);
    if (behind->service.type != NULL)
        random |= is_random(behind->service) || queue_kind(behind->queue)->random;
    if (network->delay.type != NULL)
        random |= is_random(network->delay) || network->probability.num < network->probability.den;
    for (size_t i = 0; i < server->stall_count; i++)
        random |= is_random(server->stalls[i].up) || is_random(server->stalls[i].down);
    return random;
}

bool chance_in_load(const struct load_plan *load)
{
    const struct resend *resend = load->resend.params;
    return load_kind(load->kind)->random(load->kind.params) ||
           (load->resend.type != NULL && load->idempotent && resend->jitter.num != 0);
}
