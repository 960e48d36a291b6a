/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_RUN_KERNELS_H
#define DUETIME_RUN_KERNELS_H

#include "models/base/vector.h"
#include "models/corrections/correction.h"

/* Values of one call at most. */
#define RUN_BLOCK 256

/* A larger value is not exact as a double; nor a larger lowest or interval of a rule, which adds
   nothing below such values. */
#define RUN_VALUE_MOST ((UINT64_C(1) << 52) - 1)

/* What a correction adds below a value v is a run: lowest + rest + j interval units, for j = 0 to
   times - 1, where floor(v / unit) = lowest + rest + times interval and rest < interval. */
struct run_block {
    uint64_t times;   /* of all runs together */
    uint64_t rest;    /* the least of a run of at least one; UINT64_MAX: there is none */
    uint64_t rests;   /* the sum of times * rest */
    uint64_t squares; /* the sum of times^2, modulo 2^64 */
};

struct run_kernels {
    /* The run of each value up to RUN_VALUE_MOST. */
    struct run_block (*split)(struct correction_rule rule, const ns_t *values_ns, size_t count,
                              uint64_t *times, uint64_t *rests);

    /* How many of all runs, of values of any size, are below lowest + level * interval + within
       units; level <= 2^62 + 1, within < interval. */
    uint64_t (*below)(const uint64_t *times, const uint64_t *rests, size_t count, uint64_t level,
                      uint64_t within);
};
VECTOR_TABLES(run_kernels)

#endif
