/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_LAWS_SATURATED_H
#define DUETIME_LAWS_SATURATED_H

/* N clients that never think, constant service, more clients than workers: all requests are sent at
   the instants at which services end, and all workers begin their services together.  What the
   order of service then makes of the wait. */

#include "models/laws/law.h"
#include "models/queues/queue.h"

/* N clients, c < N workers, service S. */
struct saturated {
    uint64_t clients, workers;
    ns_t service_ns;
};

/* The loop of a question about the time from the send to the answer, served in that order; false,
   and why, for others. */
bool saturated_of(const struct law_question *q, const struct queue_type *order,
                  struct saturated *out, char why[LAW_WHY_SIZE]);

/* How many instants 0, step, 2 step, ... lie before end, at most `most`. */
uint64_t saturated_instants(ns_t end_ns, ns_t step_ns, uint64_t most);

/* When sending ends, NS_LIMIT where only a count does; and how many requests there are at most. */
ns_t saturated_end(const struct law_question *q);
uint64_t saturated_most(const struct law_question *q);

/* False, and why, where the last answer would come after the clock's end. */
bool saturated_fits(u128 last_ns, char why[LAW_WHY_SIZE]);

#endif
