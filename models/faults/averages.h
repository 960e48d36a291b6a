/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_AVERAGES_H
#define DUETIME_AVERAGES_H

/* Percentiles of parts of the samples made into one, which is never right; and how people cut a run
   into parts. */

#include "models/faults/pipeline.h"

/* parameter = aggregate + AGGREGATES * the cut's index. */
enum aggregate { AGGREGATE_PLAIN, AGGREGATE_WEIGHTED, AGGREGATE_MAX, AGGREGATE_MEDIAN };
#define AGGREGATES 4

/* Percentiles of each group of the sorted samples, as asked for, made into one by the step's
   aggregate.  The other figures stay. */
void averages_report(const struct step *step, size_t (*group)(const struct step *, size_t),
                     const struct population *sorted, struct report *report);
const char *aggregate_words(uint64_t parameter);

/* Ways to cut a run into windows: cut 0 .. CUTS_KNOWN - 1. */
#define CUTS_KNOWN 69
size_t cut_group(const struct step *step, uint64_t cut, size_t request);
size_t cut_total(const struct step *step, uint64_t cut);
char *cut_words(uint64_t cut); /* "of 1s by the instant of the answer"; owned by the caller */

#endif
