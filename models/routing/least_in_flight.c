/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/routing/routing.h"

static uint64_t replica(const void *params, struct stream stream, uint64_t number,
                        uint64_t replicas, const uint64_t *in_flight)
{
    (void)params;
    (void)stream;
    (void)number;
    uint64_t least = 0;
    for (uint64_t i = 1; i < replicas; i++)
        if (in_flight[i] < in_flight[least])
            least = i;
    return least;
}

const struct routing_type routing_least_in_flight = {
    .is = {"least-in-flight",
           "the replica with the fewest on their way or there, the first of "
           "several",
           NULL, 0, 0, NULL},
    .replica = replica,
};
