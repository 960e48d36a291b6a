/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_SERIES_H
#define DUETIME_SERIES_H

/* Long sums of a function over whole numbers, at a cost that grows with the logarithm of their
   length: a correction with an interval of 1 ns adds 10^9 samples to a response of 1 s. */

#include <stdbool.h>

typedef double (*series_term)(const void *context, double i);

/* A block of 2^level terms is summed by the Gauss rule for sums: NODES terms, at points between the
   whole numbers, give the exact sum of any polynomial of degree 2 * NODES - 1. */
enum { SERIES_NODES = 12, SERIES_LEVELS = 64 };

struct series_rule {
    bool known;
    double at[SERIES_NODES]; /* offsets from the block's first term */
    double weight[SERIES_NODES];
    double right[SERIES_NODES]; /* what the nodes say the last term is; mirrored, the first */
};

/* The rules made so far, zero at first: sums inside sums share them. */
struct series_rules {
    struct series_rule level[SERIES_LEVELS];
};

/* Sum of term(i) over i = 1 .. last, to a relative 1e-11.  term is >= 0 and falls in the end;
   jumps and kinks are allowed.  Ends early where what is left cannot matter. */
double series_sum(struct series_rules *rules, series_term term, const void *context, double last);

/* Sum over i = first .. first+count-1: a stretch of such a series. */
double series_stretch(struct series_rules *rules, series_term term, const void *context,
                      double first, double count);

#endif
