/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_FORMATS_HISTOGRAM_H
#define DUETIME_FORMATS_HISTOGRAM_H

/* An HdrHistogram as its files know it: a layout, and counts by cell. */

#include <stdio.h>

#include "models/base/error.h"
#include "models/base/time.h"

/* Values of one cell agree in their leading bits.  Cells are numbered from 0 upwards. */
struct hdr_layout {
    unsigned digits; /* 1..5 */
    ns_t lowest, highest;
    unsigned unit_bits, half_bits;
};

/* digits 1..5, 1 <= lowest, 2 lowest <= highest <= 2^63 - 1; false: so many bits there are not. */
bool hdr_layout_make(unsigned digits, ns_t lowest, ns_t highest, struct hdr_layout *out);
uint32_t hdr_index(const struct hdr_layout *layout, ns_t value);
ns_t hdr_low(const struct hdr_layout *layout, uint32_t index);  /* the least value of a cell */
ns_t hdr_high(const struct hdr_layout *layout, uint32_t index); /* the largest */
uint32_t hdr_cells(const struct hdr_layout *layout);            /* up to that of `highest` */
unsigned hdr_buckets(const struct hdr_layout *layout);          /* halvings, as files say it */
unsigned hdr_sub_buckets(const struct hdr_layout *layout);

struct hdr_count {
    uint32_t index;
    uint64_t count; /* > 0 */
};

/* Over [begin, begin + length) of time where it is a window. */
struct histogram {
    struct hdr_layout layout;
    struct hdr_count *counts; /* ascending by index; owned */
    size_t count, capacity;
    uint64_t total;
    ns_t begin_ns, length_ns;
};

/* Appends; indices come in ascending order. */
void histogram_push(struct histogram *histogram, uint32_t index, uint64_t count);
void histogram_free(struct histogram *histogram);

/* V2, compressed, base64: one line without its end; owned by the caller. */
char *histogram_pack(const struct histogram *histogram);

/* False, and *why (owned by the caller) where the text is none. */
bool histogram_unpack(const char *text, size_t length, struct histogram *out, char **why);

/* The percentile distribution text, in units of unit_ns, five ticks a half distance. */
void hgrm_write(const struct histogram *histogram, ns_t unit_ns, FILE *out);

/* The interval log: its head, and a line a window. */
void hlog_write_head(const char *comment, FILE *out);
void hlog_write(const struct histogram *window, FILE *out);

#endif
