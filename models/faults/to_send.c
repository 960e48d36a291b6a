/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static bool value(const struct step *step, size_t i, bool has, ns_t *value_ns)
{
    ns_t from_ns = instant_ns(step->requests, step->asked->from, i);
    ns_t sent_ns = step->requests->sent[i];
    if (has)
        *value_ns = sent_ns > from_ns ? sent_ns - from_ns : 0;
    return has;
}

const struct fault_type fault_to_send = {
    .is = {"to-send", "stops the stopwatch when the request is sent: what it has is the send lag",
           NULL, 0, 0, NULL},
    .item = "S3-8, TOOLS 5",
    .does = {.value = value},
};
