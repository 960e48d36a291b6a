/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/policies/late.h"

static struct late_step next(const void *params, struct connection *connection, ns_t now_ns)
{
    (void)params;
    ns_t due_ns = pace_due(connection->pace, connection->slot) + connection->shift_ns;
    if (due_ns < now_ns) {
        connection->shift_ns += now_ns - due_ns;
        due_ns = now_ns;
    }
    return (struct late_step){.due_ns = due_ns, .send_ns = due_ns};
}

const struct late_type late_rebase = {
    .is = {"rebase", "makes a missed slot due now and moves all later ones: the classic mistake",
           NULL, 0, 0, NULL},
    .next = next,
};
