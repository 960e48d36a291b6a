/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/policies/late.h"

static struct late_step next(const void *params, struct connection *connection, ns_t now_ns)
{
    (void)params;
    uint64_t missed = late_missed(connection, connection->slot, now_ns);
    ns_t due_ns = pace_due(connection->pace, connection->slot + missed * connection->stride);
    return (struct late_step){.drop_before = missed, .due_ns = due_ns, .send_ns = due_ns};
}

const struct late_type late_skip = {
    .is = {"skip", "drops and counts the slots due strictly before the reply", NULL, 0, 0, NULL},
    .next = next,
};
