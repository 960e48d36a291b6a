/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_MADE_RESULT_H
#define DUETIME_MADE_RESULT_H

/* A result that no engine made, for tests of the writers: the figures of the reference scenario,
   and room to spoil them. */

#include "sim/result.h"

#define MADE_RECORDERS 3
#define MADE_PERCENTILES 5

struct made_result {
    struct plan plan;
    struct result result;
    struct load_plan loads[2];
    struct load_result load_results[2];
    struct recorder_plan recorders[MADE_RECORDERS];
    struct recorder_result recorder_results[MADE_RECORDERS];
    struct cell cells[MADE_RECORDERS][MADE_PERCENTILES];
    struct above_result above_results[MADE_RECORDERS];
    struct percentile percentiles[MADE_PERCENTILES];
    struct threshold above;
    struct identity_result identity;
    struct gate_result gates[2];
    struct expectation expectation;
    struct expect_result expect;
    struct variant nothing; /* of choices that no writer looks into */
};

/* One block of memory: free() releases it.  Texts in it are literals. */
struct made_result *made_result(void);

#endif
