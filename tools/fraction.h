/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_FRACTION_H
#define DUETIME_FRACTION_H

/* Exact rational numbers for the audit of a printed summary. */

#include "models/base/time.h"

/* In lowest terms, den > 0.  What does not fit 127 bits is lost: lost stays with whatever is made
   of it, and such a number compares as neither less nor more. */
struct fraction {
    i128 num, den;
    bool lost;
};

struct fraction fraction_whole(i128 whole);
struct fraction fraction_of(i128 num, i128 den); /* lost where den is 0 */
struct fraction fraction_add(struct fraction a, struct fraction b);
struct fraction fraction_subtract(struct fraction a, struct fraction b);
struct fraction fraction_multiply(struct fraction a, struct fraction b);
struct fraction fraction_divide(struct fraction a, struct fraction b); /* lost where b is 0 */

bool fraction_less(struct fraction a, struct fraction b);
i128 fraction_floor(struct fraction a); /* 0 of a lost one */
i128 fraction_ceiling(struct fraction a);
double fraction_double(struct fraction a); /* NAN of a lost one */

#endif
