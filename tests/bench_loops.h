/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_BENCH_LOOPS_H
#define DUETIME_BENCH_LOOPS_H

/* Loops by hand: how fast the bare model goes on this machine.  They share no code with what they
   are held against, check nothing and do not care about the last bit. */

#include <stddef.h>
#include <stdint.h>

#include "models/base/vector.h"

/* Cells of 2^-10 relative width, by the exponent and the top mantissa bits of a double. */
#define CELL_SHIFT 42
#define CELL_FIRST (UINT64_C(1023) << 10)
#define CELL_COUNT (52u << 10)

struct histogram {
    uint64_t cells[CELL_COUNT];
    double sum, least, most;
};

struct bench_vector {
    /* n requests, a multiple of 256, of an M/M/1 at 75 %, mean service 10^6 ns. */
    void (*queue)(size_t n, struct histogram *out);
    /* The sum of n draws, n a multiple of 256. */
    double (*draws)(size_t n);
    double (*hashed)(size_t n); /* of words made from their number alone */
};
VECTOR_TABLES(bench_vector)

#endif
