/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_UNQUEUED_H
#define DUETIME_UNQUEUED_H

/* Several independent services for one request on unlimited workers, where nothing waits: the parts
   of a fan-out, or the copies of a retry or a hedge. */

#include "models/distributions/distribution.h"
#include "models/laws/law.h"

struct unqueued {
    const struct distribution_type *service;
    const void *params;
    uint64_t count; /* parts or copies */
    uint64_t first; /* so many parts are enough; 0: all */
    ns_t after_ns;  /* copy j leaves j times this after the first */
};

/* Whether the question is about the time from the send to the answer where nobody waits and every
   request is followed to its end; fills service and params. */
bool unqueued_question(const struct law_question *q, struct unqueued *out, char why[LAW_WHY_SIZE]);

/* P(S > x) of one service. */
double unqueued_service_tail(const struct unqueued *u, double x_ns);

/* The distribution of a law keeps its own copy. */
void unqueued_keep(struct law_distribution *d, struct unqueued u);
struct unqueued unqueued_of(const struct law_distribution *d);

/* For law_distribution: the tail from x on, and independence. */
double unqueued_tail_from(const struct law_distribution *d, double x_ns);
double unqueued_inflation(const struct law_distribution *d, double p, double q);

/* The mean, as the integral of d's tail. */
double unqueued_mean_ns(const struct law_distribution *d);

#endif
