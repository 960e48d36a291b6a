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
void averages_report(const struct step *step,
                     size_t *(*groups)(const struct step *, const struct population *),
                     const struct population *sorted, struct report *report);
const char *aggregate_words(uint64_t parameter);

/* Ways to cut a run into windows: cut 0 .. CUTS_KNOWN - 1.  First those by all answers, then those
   by what is recorded of them; then parts that take answers in turn, all or those recorded; then
   windows by time of which those where nothing is recorded are left out. */
#define CUTS_OF_ALL 64
#define CUTS_WINDOWS 96
#define CUTS_TURNS_OF_ALL 7
#define CUTS_TURNS 14
#define CUTS_KNOWN 130
/* The window each of the samples stands in; owned by the caller. */
size_t *cut_groups(const struct step *step, uint64_t cut, const struct population *samples);
/* The same of a cut that is of all. */
size_t cut_group(const struct step *step, uint64_t cut, size_t request);
bool cut_is_of_all(uint64_t cut);
size_t cut_total(const struct step *step, uint64_t cut);
char *cut_words(uint64_t cut); /* "of 1s by the instant of the answer"; owned by the caller */

#endif
