/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_WORKERS_H
#define DUETIME_WORKERS_H

/* Poisson arrivals and exponential service on c workers with one queue: how many requests are
   there, and how long it takes until that no longer depends on the start. */

#include "models/laws/domain.h"

/* Most workers the laws reckon with: the recursions below take a step for each. */
enum { WORKERS_MOST = 1000000 };

struct workers {
    double count;      /* c */
    double service_ns; /* 1/mu */
    double per_ns;     /* lambda */
    double rho;        /* lambda / (c mu) */
    double spare;      /* 1 - rho, exact to the last bit near rho = 1 too; negative beyond */
};

/* The load on that many workers; false, and a sentence in why, where there are more than
   WORKERS_MOST, or the mean service is below 1 us. */
bool workers_of(struct pace pace, ns_t service_ns, uint64_t count, struct workers *out,
                char why[LAW_WHY_SIZE]);

/* False, and a sentence in why, at or beyond capacity. */
bool workers_stable(const struct workers *w, char why[LAW_WHY_SIZE]);

/* Erlang's B: the share of arrivals that find all of c workers busy when nobody waits. */
double workers_erlang_b(const struct workers *w);

/* Erlang's C: the probability that an arrival waits, rho < 1. */
double workers_erlang_c(const struct workers *w);

/* STATE_SETTLED: the time after which an empty server is stationary to 1e-12 in total variation;
   STATE_NONE where that is more than a century.  queue_limit: UNLIMITED, then rho < 1. */
struct start_law workers_settle(const struct workers *w, uint64_t queue_limit);

#endif
