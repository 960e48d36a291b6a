/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_ARRIVALS_H
#define DUETIME_ARRIVALS_H

/* When requests are due.  A new arrival process is one file here and one name in meson.build. */

#include "models/base/random.h"
#include "models/variant.h"

/* The mean interval between due instants, exactly: num/den ns. */
struct pace {
    uint64_t num, den;
};

/* From a rate per second (rate.num > 0) or else an exact interval. */
struct pace pace_of(struct ratio rate_per_s, ns_t every_ns);

/* "5000/s" or "every 200us".  Owned by the caller. */
char *pace_describe(struct ratio rate_per_s, ns_t every_ns);

/* Due instant i of an even schedule: floor(i * num / den), the first at 0; NS_LIMIT where it lies
   beyond the clock. */
static inline ns_t pace_due(struct pace pace, uint64_t i)
{
    u128 due_ns = (u128)i * pace.num / pace.den;
    return due_ns < NS_LIMIT ? (ns_t)due_ns : NS_LIMIT;
}

/* Where a process stands: the next due instants come from here. */
struct arrival_cursor {
    struct pace pace;
    struct stream stream;
    uint64_t next; /* index of the next due instant */
    ns_t last_ns;  /* due instant next-1; 0 before the first */
};

struct arrivals_type {
    struct variant is;
    bool random; /* where is_random is NULL */
    bool (*is_random)(const void *params);
    bool paced;                                /* needs a rate or an interval */
    double (*mean_gap_ns)(const void *params); /* of one that is not paced; NULL: a list, as long as
                                                  it is */

    /* Writes the next due instants, non-decreasing, at most count; fewer when the process ends. */
    size_t (*due)(const void *params, struct arrival_cursor *cursor, ns_t *out_ns, size_t count);
};

static inline const struct arrivals_type *arrivals(struct choice c)
{
    return (const struct arrivals_type *)(const void *)c.type;
}

static inline bool arrivals_random(struct choice c)
{
    const struct arrivals_type *type = arrivals(c);
    return type->is_random != NULL ? type->is_random(c.params) : type->random;
}

/* Parameters that laws read. */
struct times {
    struct durations at; /* non-decreasing, at least one */
};

struct gaps {
    struct choice gap; /* a distribution: independent gaps, the first request after one */
};

extern const struct arrivals_type arrivals_even;
extern const struct arrivals_type arrivals_poisson;
extern const struct arrivals_type arrivals_times;
extern const struct arrivals_type arrivals_gaps;

#endif
