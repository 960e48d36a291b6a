/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/corrections/correction.h"

static const struct field fields[] = {
    {"interval", FIELD_DURATION, offsetof(struct correction_params, interval_ns), .required = true,
     .min = 1, .says = "the interval e at which samples were expected"},
};

static struct correction_rule rule(ns_t interval_ns)
{
    return (struct correction_rule){.unit_ns = 1, .interval = interval_ns, .lowest = 1};
}

const struct correction_type correction_hdr_py = {
    .is = {"hdr-py", "adds v - e, v - 2e, ... while above 0 (Python HdrHistogram)", fields,
           FIELD_COUNT_OF(fields), sizeof(struct correction_params), NULL},
    .rule = rule,
};
