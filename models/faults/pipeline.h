/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_PIPELINE_H
#define DUETIME_PIPELINE_H

/* What hooks of faults share. */

#include "models/base/batch.h"
#include "models/faults/fault.h"

#define SAMPLES_KEPT_MOST (1u << 22)

/* In the parameter of a fault of the range: limits come before the correction, which then adds to
   what they left. */
#define BEFORE_CORRECTION (UINT64_C(1) << 63)

/* False, and too_many, when there is no more room. */
bool samples_add(struct population *samples, struct sample sample);

/* Every sample of `from`, and below each what the rule adds. */
void samples_correct(struct population *out, const struct population *from,
                     struct correction_rule rule);

/* Exchanges what `samples` holds for what `better` holds, and empties the latter. */
void samples_take(struct population *samples, struct population *better);

/* The rule that is asked for; one that adds nothing where none is. */
struct correction_rule asked_rule(const struct asked *asked);

/* Chooses a rank rule or a correction by its name. */
struct choice rank_named(const char *name);
struct choice correction_named(const char *name);

ns_t instant_ns(const struct requests *requests, enum instant instant, size_t request);

/* A value in ns and thousandths, from whole ns. */
struct said said_ns(ns_t ns);

/* What stands at that place of the sorted samples; unknown where that is infinite. */
struct said said_at(const struct population *sorted, struct rank_at at);

/* "by 250us", "of 16": for `tells`. */
char *tell_duration(const char *word, ns_t ns);

#endif
