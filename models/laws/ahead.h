/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_LAWS_AHEAD_H
#define DUETIME_LAWS_AHEAD_H

/* The response time of a request that finds j = 0 .. most others on c exponential workers, j with a
   given probability: it waits for max(0, j - c + 1) answers at rate c mu, then for its own service.

   Counted in events of a clock of rate c mu, the wait is that many events and its own service a
   geometric number, each the last with probability 1/c.  So the tail is a mixture of Poisson
   probabilities with the survival function of the number of events, all terms positive. */

#include "models/laws/law.h"

/* Makes *out: its tail, table and parameters.  share[j] is the probability of j others; workers at
   most most + 1, since more would be idle. */
void ahead_law(const double *share, size_t most, size_t workers, double service_ns,
               struct law_distribution *out);

#endif
