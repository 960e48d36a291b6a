/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_ROUTING_H
#define DUETIME_ROUTING_H

/* Which replica the first copy of a request goes to.  A new rule is one file here and one name in
   meson.build. */

#include "models/base/random.h"
#include "models/variant.h"

struct routing_type {
    struct variant is;
    bool random;
    /* For request `number`, 0 .. replicas-1.  in_flight: copies sent to each and not yet gone. */
    uint64_t (*replica)(const void *params, struct stream stream, uint64_t number,
                        uint64_t replicas, const uint64_t *in_flight);
};

static inline const struct routing_type *routing(struct choice c)
{
    return (const struct routing_type *)(const void *)c.type;
}

extern const struct routing_type routing_random;
extern const struct routing_type routing_round_robin;

#endif
