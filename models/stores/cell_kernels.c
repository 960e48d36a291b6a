/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/stores/cell_kernels.h"

#include "models/base/bits.h"

/* For w = v >> unit_bits of at least h = 2^half_bits, exponent and leading half_bits bits of the
   mantissa, as one number, count the cells from h on.  Below h every whole number has a cell, as
   from h to 2 h: such a w is raised by h, and its cell is that of w + h less h.

   Values are below 2^62, so a < b exactly when a - b wraps. */
struct hdr_layout {
    unsigned unit_bits, drop;
    uint64_t h, skipped;
    bool raises;
};

static inline struct hdr_layout layout_of(unsigned unit_bits, unsigned half_bits, bool raises)
{
    uint64_t h = UINT64_C(1) << half_bits;
    unsigned drop = MANTISSA_BITS - half_bits;
    return (struct hdr_layout){unit_bits, drop, h, (to_bits(whole(h)) >> drop) - h, raises};
}

static inline uint32_t hdr_cell(struct hdr_layout l, ns_t value_ns)
{
    uint64_t w = value_ns >> l.unit_bits, raised = l.raises ? (0 - ((w - l.h) >> 63)) & l.h : 0;
    return (uint32_t)((to_bits(whole(w + raised)) >> l.drop) - raised - l.skipped);
}

static inline void hdr_cells(const ns_t *restrict values_ns, size_t count, struct hdr_layout l,
                             uint32_t *restrict cells)
{
    for (size_t i = 0; i < count; i++)
        cells[i] = hdr_cell(l, values_ns[i]);
}

static inline bool hdr_cells_apart(const ns_t *restrict values_ns, size_t count,
                                   struct hdr_layout l, const uint32_t *restrict numbers,
                                   uint32_t apart)
{
    uint32_t unlike = 0;
    for (size_t i = 0; i < count; i++)
        unlike |= (hdr_cell(l, values_ns[i]) - numbers[i]) ^ apart;
    return unlike == 0;
}

/* Three digits from 1 ns on, as most have it, with shifts that are known beforehand. */
static void hdr(const ns_t *values_ns, size_t count, unsigned unit_bits, unsigned half_bits,
                ns_t least_ns, uint32_t *cells)
{
    bool raises = least_ns >> unit_bits >> half_bits == 0;
    if (unit_bits == 0 && half_bits == 10 && !raises)
        hdr_cells(values_ns, count, layout_of(0, 10, false), cells);
    else if (unit_bits == 0 && half_bits == 10)
        hdr_cells(values_ns, count, layout_of(0, 10, true), cells);
    else
        hdr_cells(values_ns, count, layout_of(unit_bits, half_bits, raises), cells);
}

static bool hdr_apart(const ns_t *values_ns, size_t count, unsigned unit_bits, unsigned half_bits,
                      ns_t least_ns, const uint32_t *numbers, uint32_t apart)
{
    bool raises = least_ns >> unit_bits >> half_bits == 0;
    if (unit_bits == 0 && half_bits == 10 && !raises)
        return hdr_cells_apart(values_ns, count, layout_of(0, 10, false), numbers, apart);
    return hdr_cells_apart(values_ns, count, layout_of(unit_bits, half_bits, raises), numbers,
                           apart);
}

/* The quotient is off an integer k above it by 1/width at least, which is more than 2^-53 of k: it
   is never rounded up to k, and cutting it off is the division of integers. */
static void linear(const ns_t *restrict values_ns, size_t count, ns_t width_ns,
                   uint32_t *restrict cells)
{
    double width = (double)width_ns;
    for (size_t i = 0; i < count; i++)
        cells[i] = (uint32_t)(int32_t)(whole(values_ns[i]) / width);
}

const struct cell_kernels VECTOR_NAME(cell_kernels) = {hdr, hdr_apart, linear};
