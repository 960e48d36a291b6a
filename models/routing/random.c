/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/routing/routing.h"

static uint64_t replica(const void *params, struct stream stream, uint64_t number,
                        uint64_t replicas, const uint64_t *in_flight)
{
    (void)in_flight;
    (void)params;
    return below(stream_word(stream, number), replicas);
}

const struct routing_type routing_random = {
    .is = {"random", "any replica with the same probability", NULL, 0, 0, NULL},
    .random = true,
    .replica = replica,
};
