/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_CORRECTION_H
#define DUETIME_CORRECTION_H

/* Corrections for coordinated omission: samples invented below a slow one.  Every rule the field
   uses is one shape: in whole units u, w = floor(v/u), add w - e, w - 2e, ... while the value is at
   least `lowest`. */

#include "models/variant.h"

#define INTERVAL_AUTO UINT64_MAX

/* Printed with every corrected recorder, followed by the interval: when invented samples stand
   for real ones. */
#define CORRECTION_ASSUMES "sends were blocked, one at a time, every"

struct correction_params {
    ns_t interval_ns; /* INTERVAL_AUTO: from the run itself, where the rule has that */
};

struct correction_rule {
    uint64_t unit_ns;  /* 1, or 1000 where values are whole us */
    uint64_t interval; /* in units; 0: adds nothing */
    uint64_t lowest;   /* in units: no added value is below it */
};

struct correction_type {
    struct variant is;
    struct correction_rule (*rule)(ns_t interval_ns);
};

static inline const struct correction_type *correction(struct choice c)
{
    return (const struct correction_type *)(const void *)c.type;
}

/* How many samples the rule adds to a value. */
static inline uint64_t correction_adds(struct correction_rule rule, ns_t value_ns)
{
    uint64_t w = value_ns / rule.unit_ns;
    if (rule.interval == 0 || w < rule.interval + rule.lowest)
        return 0;
    return (w - rule.lowest) / rule.interval;
}

#endif
