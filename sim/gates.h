/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_GATES_H
#define DUETIME_GATES_H

/* The gates from inside.  gates.c has those of every run; gates_asked.c those that only some
   scenarios give a reason for: they are silent where nothing is there to judge. */

#include "sim/work.h"

#define GATE_SAMPLES_LEAST 10.0 /* beyond a percentile, in clusters */
#define GATE_REQUESTS_LEAST 10  /* fewer are not judged */

/* Takes the reason, which states statistic, threshold and meaning. */
void gate_add(struct work *work, const char *name, size_t load, size_t recorder, bool passes,
              char *reason);

/* Real samples expected beyond a percentile; where they come in clusters, clusters. */
double gate_beyond(const struct work *work, size_t recorder, size_t percentile);

/* Which of a recorder's requests its windows and send lags are of: " of the first replication", or
   nothing where they are of all. */
const char *gate_where(const struct work *work, size_t recorder);

/* gates_asked.c */

/* The ranks from one sample below to one above n p. */
struct gate_ranks {
    uint64_t from, to;
};
struct gate_ranks gate_ranks_around(uint64_t n, struct ratio p);

bool gate_neighbour_coincides(const struct work *work, size_t recorder);
void gates_of_load(struct work *work, size_t load);
void gates_of_recorder(struct work *work, size_t recorder);

#endif
