/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/corrections/correction.h"

static const struct field fields[] = {
    {"interval", FIELD_DURATION, offsetof(struct correction_params, interval_ns), .min = 1,
     .absent = "\"auto\"", .word = "auto", .word_value = INTERVAL_AUTO,
     .says = "the interval e; auto: floor(run us / floor(answered / connections))"},
};

static const char *refuses(const void *params)
{
    const struct correction_params *p = params;
    if (p->interval_ns != INTERVAL_AUTO && p->interval_ns % NS_PER_US != 0)
        return "wrk counts in whole us: its interval must be a whole number of us";
    return NULL;
}

/* wrk keeps whole us and adds strictly above e: at least e + 1. */
static struct correction_rule rule(ns_t interval_ns)
{
    uint64_t interval_us = interval_ns / NS_PER_US;
    return (struct correction_rule){
        .unit_ns = NS_PER_US, .interval = interval_us, .lowest = interval_us + 1};
}

const struct correction_type correction_wrk = {
    .is = {"wrk", "adds v - e, v - 2e, ... while above e, in whole us (wrk)", fields,
           FIELD_COUNT_OF(fields), sizeof(struct correction_params), refuses},
    .rule = rule,
};
