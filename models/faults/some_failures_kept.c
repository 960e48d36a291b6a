/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

enum { TIMEOUTS_DROPPED, REFUSALS_DROPPED };

/* Where failures count, one kind does not; where they do not, the other does. */
static bool value(const struct step *step, size_t i, bool has, ns_t *value_ns)
{
    enum status status = (enum status)step->requests->status[i];
    if (status == STATUS_ANSWERED)
        return has;
    enum status dropped = step->parameter == TIMEOUTS_DROPPED ? STATUS_TIMED_OUT : STATUS_REFUSED;
    ns_t from_ns = instant_ns(step->requests, step->asked->from, i);
    *value_ns = step->requests->finished[i] - from_ns;
    return status != dropped && step->requests->finished[i] >= from_ns;
}

static char *tells(uint64_t parameter)
{
    return must_copy(parameter == TIMEOUTS_DROPPED ? "refusals count, timeouts do not"
                                                   : "timeouts count, refusals do not");
}

const struct fault_type fault_some_failures_kept = {
    .is = {"some-failures-kept", "knows only some kinds of failure", NULL, 0, 0, NULL},
    .item = "FR-29",
    .does = {.value = value},
    .parameter_count = 2,
    .tells = tells,
};
