/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_VECTOR_CASES_H
#define DUETIME_VECTOR_CASES_H

/* What results/vectors/ asks: inputs alone.  The right answers and those of faults are worked out.
 */

#include "models/base/batch.h"
#include "models/plan.h"

/* first, first + step, ... : so many values, seen by one worker. */
struct value_run {
    ns_t first_ns;
    uint64_t times;
    ns_t step_ns;
    uint64_t worker;
};

/* A load on one worker that takes its requests in turn; the first of them takes long. */
enum sends { SENDS_NONE /* the case has values */, SENDS_OPEN, SENDS_CATCH_UP, SENDS_CLOSED };
struct stalled_load {
    enum sends sends;
    uint64_t requests, failures; /* the last ones have no answer */
    ns_t every_ns, service_ns, first_service_ns;
    enum status failed_as; /* finished after first_service_ns */
};

struct wrong_answer {
    const char *fault; /* NULL ends the list */
    uint64_t parameter;
};

#define VECTOR_RUNS 10
#define VECTOR_PERCENTILES 14
#define VECTOR_WRONG 10

struct vector_case {
    const char *name;
    struct value_run runs[VECTOR_RUNS]; /* times 0 ends the list */
    struct stalled_load load;
    enum instant from;
    enum failures failures;
    const char *correction; /* NULL: none */
    ns_t interval_ns;
    const char *percentiles[VECTOR_PERCENTILES];
    bool all_ranks;     /* by every rule; else by the nearest alone */
    unsigned digits[5]; /* also as cells of an HdrHistogram; 0 ends the list */
    ns_t highest_ns;    /* of that histogram; 0: no limit */
    ns_t bounds_ns[6];  /* also as buckets; 0 ends the list */
    struct wrong_answer wrong[VECTOR_WRONG];
};

struct vector {
    const char *name, *title, *about;
    const char *items[6];
    const struct vector_case *cases;
    size_t case_count;
};

extern const struct vector vectors[];
extern const size_t vector_count;

#endif
