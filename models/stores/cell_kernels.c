/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/stores/cell_kernels.h"

#include "models/base/bits.h"

/* For w = v >> unit_bits of at least h = 2^half_bits, exponent and leading half_bits bits of the
   mantissa, as one number, count the cells from h on.  Below h every whole number has a cell, as
   from h to 2 h: such a w is raised by h, and its cell is that of w + h less h.

   Values are below 2^62, so a < b exactly when a - b wraps. */
static inline struct cell_block hdr_cells(const ns_t *values_ns, size_t count, unsigned unit_bits,
                                          unsigned half_bits, ns_t most_ns,
                                          uint64_t *restrict cells)
{
    uint64_t h = UINT64_C(1) << half_bits, wraps = 0, differs = 0, one = values_ns[0];
    unsigned drop = 52 - half_bits;
    uint64_t skipped = (to_bits(whole(h)) >> drop) - h;
    for (size_t i = 0; i < count; i++) {
        uint64_t w = values_ns[i] >> unit_bits, raised = (0 - ((w - h) >> 63)) & h;
        cells[i] = (to_bits(whole(w + raised)) >> drop) - raised - skipped;
        wraps |= most_ns - values_ns[i];
        differs |= values_ns[i] ^ one;
    }
    return (struct cell_block){wraps >> 63 != 0, differs == 0};
}

/* Three digits from 1 ns on, as most have it, with shifts that are known beforehand. */
static struct cell_block hdr(const ns_t *values_ns, size_t count, unsigned unit_bits,
                             unsigned half_bits, ns_t most_ns, uint64_t *cells)
{
    if (unit_bits == 0 && half_bits == 10)
        return hdr_cells(values_ns, count, 0, 10, most_ns, cells);
    return hdr_cells(values_ns, count, unit_bits, half_bits, most_ns, cells);
}

/* The quotient is off an integer k above it by 1/width at least, which is more than 2^-53 of k: it
   is never rounded up to k, and cutting it off is the division of integers. */
static struct cell_block linear(const ns_t *values_ns, size_t count, ns_t width_ns, ns_t most_ns,
                                uint64_t *restrict cells)
{
    double width = (double)width_ns, most = (double)most_ns;
    uint64_t wraps = 0, differs = 0, one = values_ns[0];
    for (size_t i = 0; i < count; i++) {
        double v = whole(values_ns[i] & CELL_VALUE_MOST);
        cells[i] = (uint64_t)(int32_t)((v < most ? v : most) / width);
        wraps |= most_ns - values_ns[i];
        differs |= values_ns[i] ^ one;
    }
    return (struct cell_block){wraps >> 63 != 0, differs == 0};
}

const struct cell_kernels VECTOR_NAME(cell_kernels) = {hdr, linear};
