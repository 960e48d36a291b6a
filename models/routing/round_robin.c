/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/routing/routing.h"

static uint64_t replica(const void *params, struct stream stream, uint64_t number,
                        uint64_t replicas, const uint64_t *in_flight)
{
    (void)in_flight;
    (void)params;
    (void)stream;
    return number % replicas;
}

const struct routing_type routing_round_robin = {
    .is = {"round-robin", "request i to replica i modulo their number", NULL, 0, 0, NULL},
    .random = false,
    .replica = replica,
};
