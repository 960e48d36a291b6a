/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_STORES_CELL_KERNELS_H
#define DUETIME_STORES_CELL_KERNELS_H

#include <stdint.h>

#include "models/base/time.h"
#include "models/base/vector.h"

/* Values of one call at most. */
#define CELL_BLOCK 256

/* Values up to it are exact as doubles, and so is all that the kernels do to them. */
#define CELL_VALUE_MOST ((UINT64_C(1) << 52) - 1)

/* What a block has beside its cells. */
struct cell_block {
    bool beyond; /* some value is above most_ns: no cell of the block may be used */
    bool one;    /* all values are the same */
};

struct cell_kernels {
    /* The counters of values at most most_ns <= CELL_VALUE_MOST in the layout of HdrHistogram. */
    struct cell_block (*hdr)(const ns_t *values_ns, size_t count, unsigned unit_bits,
                             unsigned half_bits, ns_t most_ns, uint64_t *cells);

    /* values / width_ns, where most_ns / width_ns < 2^31. */
    struct cell_block (*linear)(const ns_t *values_ns, size_t count, ns_t width_ns, ns_t most_ns,
                                uint64_t *cells);
};
VECTOR_TABLES(cell_kernels)

#endif
