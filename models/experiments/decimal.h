/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_DECIMAL_H
#define DUETIME_DECIMAL_H

/* Exact decimals with a unit, for settings that are worked out: rates as fractions of a capacity,
   the steps from one duration to another. */

#include <stdbool.h>
#include <stddef.h>

#include "models/base/time.h"

/* digits / 10^places; the unit is "", or that of a duration. */
struct decimal {
    u128 digits;
    unsigned places;
    char unit[4];
};

/* Reads 0.75, 1.5e3, "10ms" (with its quotes or without); at most 18 digits, none negative. */
bool decimal_parse(const char *text, struct decimal *out);

/* JSON text without needless zeros, in quotes where there is a unit.  Owned by the caller. */
char *decimal_text(struct decimal d);

/* a + n b, of one unit and at most 18 digits each.  n at most 10^9. */
struct decimal decimal_steps(struct decimal a, uint64_t n, struct decimal b);

/* a b; b has no unit. */
struct decimal decimal_times(struct decimal a, struct decimal b);

/* Rounded down to a whole number, and to the nearest, a half upwards. */
struct decimal decimal_floor(struct decimal d);
struct decimal decimal_round(struct decimal d);

/* Below 0, 0 or above 0 as a is below, equal to or above b, of one unit. */
int decimal_compare(struct decimal a, struct decimal b);

/* The largest n with a + n b <= top; b above 0. */
uint64_t decimal_count(struct decimal a, struct decimal b, struct decimal top);

bool decimal_same_unit(struct decimal a, struct decimal b);
double decimal_double(struct decimal d);

/* A rate or a throughput, to thousandths. */
struct decimal decimal_of_double(double value);
struct decimal decimal_of_ratio(struct ratio r);

#endif
