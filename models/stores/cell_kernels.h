/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_STORES_CELL_KERNELS_H
#define DUETIME_STORES_CELL_KERNELS_H

#include <stdint.h>

#include "models/base/time.h"
#include "models/base/vector.h"

/* Values of one call at most. */
#define CELL_BLOCK 256

/* Of values up to it: they are exact as doubles, and so is all that the kernels do to them. */
#define CELL_VALUE_MOST ((UINT64_C(1) << 52) - 1)

struct cell_kernels {
    /* The counters of values, from least_ns on, in the layout of HdrHistogram. */
    void (*hdr)(const ns_t *values_ns, size_t count, unsigned unit_bits, unsigned half_bits,
                ns_t least_ns, uint32_t *cells);

    /* Whether all of these are as far from other numbers, modulo 2^32. */
    bool (*hdr_apart)(const ns_t *values_ns, size_t count, unsigned unit_bits, unsigned half_bits,
                      ns_t least_ns, const uint32_t *numbers, uint32_t apart);

    /* values / width_ns, all below 2^31. */
    void (*linear)(const ns_t *values_ns, size_t count, ns_t width_ns, uint32_t *cells);
};
VECTOR_TABLES(cell_kernels)

#endif
