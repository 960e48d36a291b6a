/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_LOST_H
#define DUETIME_LOST_H

/* Samples lost at an end of the run.  parameter = 2 * how many, and 1 more where they are counted
   in the order in which they were due, not answered.  Or LOST_TIME | how long in ns, and LOST_DUE
   where that is told by the due instants, LOST_RECORDED where it is by the first or last answer
   that is recorded, LOST_CLOCK from time 0 on. */

#include "models/faults/pipeline.h"

#define LOST_TIME (UINT64_C(1) << 63)
#define LOST_DUE (UINT64_C(1) << 62)
#define LOST_RECORDED (UINT64_C(1) << 61)
#define LOST_CLOCK (UINT64_C(1) << 60)

void samples_lose(const struct requests *requests, struct population *samples, uint64_t parameter,
                  bool last);

/* How many are missing tells how many were lost. */
size_t lost_guesses(const struct requests *requests, const struct asked *asked,
                    const struct report *truth, const struct report *heard,
                    uint64_t out[GUESSES_MOST]);
char *lost_words(uint64_t parameter); /* owned by the caller */

#endif
