/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/formats/histogram.h"

#include <stdlib.h>

static unsigned bit_length(uint64_t v)
{
    return v == 0 ? 0 : 64 - (unsigned)__builtin_clzll(v);
}

bool hdr_layout_make(unsigned digits, ns_t lowest, ns_t highest, struct hdr_layout *out)
{
    uint64_t resolution = 2;
    for (unsigned d = 0; d < digits; d++)
        resolution *= 10;
    *out = (struct hdr_layout){.digits = digits,
                               .lowest = lowest,
                               .highest = highest,
                               .unit_bits = bit_length(lowest) - 1,
                               .half_bits = bit_length(resolution - 1) - 1};
    return digits >= 1 && digits <= 5 && lowest >= 1 && highest <= INT64_MAX &&
           highest / 2 >= lowest && out->unit_bits + out->half_bits <= 61;
}

/* How many low bits a value's cell leaves open. */
static unsigned shift_of(const struct hdr_layout *l, ns_t value)
{
    unsigned bits = bit_length(value), all = l->half_bits + 1 + l->unit_bits;
    return (bits > all ? bits : all) - l->half_bits - 1;
}

uint32_t hdr_index(const struct hdr_layout *l, ns_t value)
{
    unsigned shift = shift_of(l, value);
    return (uint32_t)(((uint64_t)(shift - l->unit_bits) << l->half_bits) + (value >> shift));
}

static unsigned shift_at(const struct hdr_layout *l, uint32_t index)
{
    uint32_t bucket = index >> l->half_bits;
    return l->unit_bits + (bucket > 0 ? bucket - 1 : 0);
}

ns_t hdr_low(const struct hdr_layout *l, uint32_t index)
{
    unsigned shift = shift_at(l, index);
    return ((uint64_t)index - ((uint64_t)(shift - l->unit_bits) << l->half_bits)) << shift;
}

ns_t hdr_high(const struct hdr_layout *l, uint32_t index)
{
    return hdr_low(l, index) + ((UINT64_C(1) << shift_at(l, index)) - 1);
}

uint32_t hdr_cells(const struct hdr_layout *l)
{
    return hdr_index(l, l->highest) + 1;
}

unsigned hdr_sub_buckets(const struct hdr_layout *l)
{
    return 2u << l->half_bits;
}

unsigned hdr_buckets(const struct hdr_layout *l)
{
    return shift_of(l, l->highest) - l->unit_bits + 1;
}

void histogram_push(struct histogram *h, uint32_t index, uint64_t count)
{
    if (h->count == h->capacity) {
        h->capacity = h->capacity ? 2 * h->capacity : 64;
        h->counts = must_grow(h->counts, h->capacity, sizeof *h->counts);
    }
    h->counts[h->count++] = (struct hdr_count){index, count};
    h->total += count;
}

void histogram_free(struct histogram *h)
{
    free(h->counts);
    *h = (struct histogram){0};
}
