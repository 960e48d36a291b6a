/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_FORMATS_IMPORTED_H
#define DUETIME_FORMATS_IMPORTED_H

/* What somebody else measured, as far as their file tells it: which values, or between which bounds
   how many of them lie.  Times in thousandths of a ns. */

#include "models/base/error.h"
#include "models/base/time.h"
#include "models/ranks/rank.h"

enum imported_kind {
    IMPORTED_LIST,      /* every value */
    IMPORTED_HISTOGRAM, /* bounds and counts, CSV or JSON */
    IMPORTED_HGRM,      /* percentile distribution text of an HdrHistogram */
    IMPORTED_HLOG,      /* interval log of HdrHistograms, all lines together */
};

/* Values in (low, high], or in [low, high]; equal ends are one value.  Open: nothing says where
   above low they lie. */
struct bin {
    i128 low_milli, high_milli;
    bool low_in, open;
    uint64_t count; /* > 0 */
    /* Of a percentile distribution: so many of the largest are end_low or more, for they lie in the
       cell that the bin ends with. */
    uint64_t in_end;
    i128 end_low_milli;
};

struct told {
    bool known;
    i128 milli;
};

struct imported {
    enum imported_kind kind;
    struct bin *bins; /* ascending, none overlaps another; owned */
    size_t bin_count, capacity;
    uint64_t count;
    struct told min, max, sum; /* as the file says, or as all its values give */
    unsigned digits;           /* of an HdrHistogram; 0: of none, or not known */
    i128 step_milli;           /* bounds are printed to so much, and lie half of it off; 0: exact */
    i128 *bounds_milli; /* of a histogram: all finite upper ones, with counts or not; owned */
    size_t bound_count;
    size_t joined; /* buckets that had to be joined with others when files were merged */
};

/* Reads any of them: which it is shows in the text itself.  unit_ns is that of plain numbers; 0:
   ns, but ms in a percentile distribution text, as its writers use it.  False and *errors with file
   and line where it is none or contradicts itself; else imported_free releases it. */
bool imported_read(const char *file, const char *text, size_t length, ns_t unit_ns,
                   struct imported *out, struct errors *errors);
void imported_free(struct imported *imported);

/* Counts together.  Exact: where a bucket with counts reaches over another's bounds the two become
   one bucket, which `joined` counts.  False: more than 2^63 - 1 counts. */
bool imported_merge(struct imported *into, const struct imported *from);

/* What is known of a percentile. */
enum known { KNOWN_NOT, KNOWN_EXACTLY, KNOWN_WITHIN, KNOWN_FROM_BELOW };
struct known_percentile {
    enum known known;
    i128 low_milli, high_milli; /* KNOWN_EXACTLY: both the value; KNOWN_FROM_BELOW: low alone */
    bool low_in;                /* the value may be low itself */
};
struct known_percentile imported_percentile(const struct imported *imported, struct ratio p,
                                            const struct rank_type *rank);

/* The parts of imported_read, for each kind one; text.h has what they share. */
bool read_list(const char *file, const char *text, size_t length, ns_t unit_ns,
               struct imported *out, struct errors *errors);
bool read_histogram_csv(const char *file, const char *text, size_t length, ns_t unit_ns,
                        struct imported *out, struct errors *errors);
bool read_histogram_json(const char *file, const char *text, size_t length, ns_t unit_ns,
                         struct imported *out, struct errors *errors);
bool read_hgrm(const char *file, const char *text, size_t length, ns_t unit_ns,
               struct imported *out, struct errors *errors);
bool read_hlog(const char *file, const char *text, size_t length, ns_t unit_ns,
               struct imported *out, struct errors *errors);

/* Appends a bin; nothing where its count is 0. */
void imported_push(struct imported *imported, struct bin bin);

/* A histogram from its buckets, once all is read: bounds ascending, the last possibly open, counts
   of each bucket; what the file says of count, min, max and sum must agree with them. */
struct buckets {
    i128 *bounds_milli;
    uint64_t *counts; /* cumulative or not */
    size_t count, capacity;
    bool cumulative, open; /* the last bound is none */
    bool has_total;
    uint64_t total;
    struct told min, max, sum;
};
void buckets_push(struct buckets *buckets, i128 bound_milli, uint64_t count);
void buckets_free(struct buckets *buckets);
/* NULL, or what contradicts what: owned by the caller. */
char *buckets_close(struct buckets *buckets, struct imported *out);

#endif
