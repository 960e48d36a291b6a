/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_TESTS_ORACLE_NUMBER_H
#define DUETIME_TESTS_ORACLE_NUMBER_H

/* Natural numbers as long as it takes, the slow way: the oracle's fractions of work are whole
   numbers of a common unit, so that nothing is ever rounded. */

#include <stddef.h>
#include <stdint.h>

#define NUMBER_LIMBS 24

/* Least significant limb first, the last used one not 0; 0 uses none. */
struct number {
    uint64_t limb[NUMBER_LIMBS];
    size_t used;
};

struct number number_of(uint64_t value);
int number_compare(const struct number *a, const struct number *b); /* below 0, 0, above 0 */
void number_add(struct number *a, const struct number *b);
void number_subtract(struct number *a, const struct number *b); /* b <= a */
struct number number_times(const struct number *a, uint64_t factor);
/* a := floor(a / by), by > 0; what is left over. */
uint64_t number_divide(struct number *a, uint64_t by);

/* The greatest k with k b <= a, and the least k with k b >= a; b > 0, k < 2^63. */
uint64_t number_floor(const struct number *a, const struct number *b);
uint64_t number_ceil(const struct number *a, const struct number *b);

#endif
