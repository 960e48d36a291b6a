/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_AUDIT_H
#define DUETIME_AUDIT_H

/* What arithmetic alone says about the printed summary of a closed-loop run: no new measurement,
   Little's law and the rule of the correction.  Everything is exact; times are fractions of ns. */

#include "tools/fraction.h"

#define AUDIT_PERCENTILES 16
#define AUDIT_LENGTHS 4 /* of slow responses: the maximum, half of it, a quarter, an eighth */
#define AUDIT_MOST_NS (UINT64_C(1) << 50) /* 13 days: of any time that is given */

enum audit_interval { INTERVAL_WRK, INTERVAL_EXACT, INTERVAL_GIVEN };

struct audit_percentile {
    struct ratio p; /* in (0, 1] */
    const char *text;
    ns_t value_ns;
};

/* As printed; 0 where it was not, but connections and the rate (or both of requests and duration)
   are there. */
struct audit_summary {
    uint64_t connections, threads, requests;
    struct ratio rate_per_s;
    ns_t duration_ns, mean_ns, max_ns, timeout_ns, pause_ns, real_mean_ns, interval_ns;
    enum audit_interval interval;
    struct audit_percentile percentiles[AUDIT_PERCENTILES];
    size_t percentile_count;
};

/* Slow responses, all so long, that lift the real mean to the printed one. */
struct audit_slow {
    ns_t length_ns;
    uint64_t added;         /* samples that the correction adds to one of them */
    bool possible;          /* false: no number of them does */
    struct fraction share;  /* of the requests that need be so slow */
    struct fraction count;  /* lost: the number of requests is not known */
    struct fraction pauses; /* so many catch that many, every connection in each */
};

struct audit_rank {
    struct fraction beyond; /* requests expected beyond it; lost: not known */
    uint64_t nearest, floor_plus_one;
    bool supported;      /* at least ten of them */
    bool out_of_order;   /* below a lower percentile, or above the maximum */
    bool mean_too_low;   /* what lies beyond it alone exceeds the mean */
    bool has_all_at_max; /* if every slow response were as long as the maximum: */
    struct fraction all_at_max_ns, all_at_max_fluid_ns; /* it, from whole samples; as a fluid */
    bool contradicts;                                   /* and what was printed is not that */
};

struct audit {
    uint64_t opened;           /* connections, the same number on every thread */
    struct fraction requests;  /* lost: not known */
    struct fraction cap_ns;    /* connections / throughput */
    struct fraction inflation; /* printed mean / cap; lost: no mean */
    struct fraction interval_ns, real_mean_ns;
    bool above_cap, at_cap;                /* by more than 1 %; within 1 % */
    bool above_max;                        /* the printed mean is above the printed maximum */
    bool rate_differs;                     /* by more than 1 % from requests / duration */
    bool too_few;                          /* requests than connections */
    struct audit_slow slow[AUDIT_LENGTHS]; /* [0]: as long as the maximum */
    size_t slow_count;                     /* 0: no maximum, or no mean above the real one */
    uint64_t added_to_max;                 /* samples that the correction adds to the maximum */
    struct fraction longest_pause_ns;      /* that the maximum leaves room for; lost: no maximum */
    struct fraction paused_ns;             /* response to the pause that was given; lost: none */
    struct audit_rank ranks[AUDIT_PERCENTILES];
    bool lost; /* the figures are too large or too fine for 127 bits */
};

struct audit audit_summary(const struct audit_summary *summary);

#endif
