/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_LOST_H
#define DUETIME_LOST_H

/* Samples lost at an end of the run.  parameter = 2 * how many, and 1 more where they are counted
   in the order in which they were due, not answered. */

#include "models/faults/pipeline.h"

void samples_lose(const struct requests *requests, struct population *samples, uint64_t parameter,
                  bool last);

/* How many are missing tells how many were lost. */
size_t lost_guesses(const struct requests *requests, const struct asked *asked,
                    const struct report *truth, const struct report *heard,
                    uint64_t out[GUESSES_MOST]);
char *lost_words(uint64_t parameter); /* owned by the caller */

#endif
