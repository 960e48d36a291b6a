/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/policies/late.h"

static const struct field fields[] = {
    {"factor", FIELD_RATIO, offsetof(struct catch_up, factor), .min = 1, .absent = "\"unlimited\"",
     .word = "unlimited",
     .says = "how much faster than the schedule it may catch up; unlimited: back to back"},
};

static struct late_step next(const void *params, struct connection *connection, ns_t now_ns)
{
    const struct catch_up *policy = params;
    struct pace pace = connection->pace;
    ns_t due_ns = pace_due(pace, connection->slot);
    ns_t send_ns = due_ns > now_ns ? due_ns : now_ns;
    if (policy->factor.num != 0 && connection->has_sent) {
        u128 gap_ns = (u128)connection->stride * pace.num * policy->factor.den /
                      ((u128)pace.den * policy->factor.num);
        ns_t earliest_ns = connection->sent_ns + (ns_t)gap_ns;
        send_ns = send_ns > earliest_ns ? send_ns : earliest_ns;
    }
    return (struct late_step){.due_ns = due_ns, .send_ns = send_ns};
}

const struct late_type late_catch_up = {
    .is = {"catch-up", "sends every missed slot, each keeping its due time", fields,
           FIELD_COUNT_OF(fields), sizeof(struct catch_up), NULL},
    .next = next,
};
