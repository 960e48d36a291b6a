/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/policies/late.h"

static struct late_step next(const void *params, struct connection *connection, ns_t now_ns)
{
    (void)params;
    ns_t due_ns = pace_due(connection->pace, connection->slot);
    if (due_ns >= now_ns)
        return (struct late_step){.due_ns = due_ns, .send_ns = due_ns};
    uint64_t missed = late_missed(connection, connection->slot, now_ns);
    return (struct late_step){.due_ns = due_ns, .send_ns = now_ns, .drop_after = missed - 1};
}

const struct late_type late_coalesce = {
    .is = {"coalesce", "sends the oldest missed slot with its own due time, drops the others", NULL,
           0, 0, NULL},
    .next = next,
};
