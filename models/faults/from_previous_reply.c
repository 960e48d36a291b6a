/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

/* parameter = ANY + EVERY + FIRST of these. */
enum { ANY_CONNECTION = 1, EVERY_REPLY = 2, FIRST_FROM_ZERO = 4, FIRST_LEFT_OUT = 8, WAYS = 12 };

/* A reply that a recorder takes note of: one that counts, or with EVERY_REPLY any. */
static bool is_noted(const struct step *step, size_t i)
{
    const struct requests *r = step->requests;
    bool counts = r->status[i] == STATUS_ANSWERED || step->asked->failures != FAILURES_DROPPED;
    return (step->parameter & EVERY_REPLY) != 0 || (counts && r->due[i] >= step->asked->warmup_ns);
}

static bool value(const struct step *step, size_t i, bool has, ns_t *value_ns)
{
    const struct requests *r = step->requests;
    bool any = (step->parameter & ANY_CONNECTION) != 0;
    for (size_t k = i; k > 0 && has; k--) {
        if ((!any && r->client[k - 1] != r->client[i]) || !is_noted(step, k - 1))
            continue;
        *value_ns = r->finished[i] - r->finished[k - 1];
        return true;
    }
    if (has && (step->parameter & FIRST_FROM_ZERO) != 0)
        *value_ns = r->finished[i];
    return has && (step->parameter & FIRST_LEFT_OUT) == 0;
}

static char *tells(uint64_t parameter)
{
    return must_copy((parameter & ANY_CONNECTION) != 0 ? "of any connection"
                                                       : "of the same connection");
}

const struct fault_type fault_from_previous_reply = {
    .is = {"from-previous-reply", "takes the time since the reply before as a response time", NULL,
           0, 0, NULL},
    .item = "TOOLS 5, FR-01",
    .does = {.value = value},
    .parameter_count = WAYS,
    .tells = tells,
};
