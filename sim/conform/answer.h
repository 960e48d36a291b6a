/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_ANSWER_H
#define DUETIME_ANSWER_H

/* An answer while it is read; nothing else includes this. */

#include "sim/conform/conform.h"
#include "sim/conform/decimal_text.h"
#include "sim/scenario/reading.h"

#define THOUSANDTHS 3 /* decimals kept of a ns */

struct answer {
    struct reading r;
    const struct asked *asked;
    struct report *report;
    struct declared *declared;
    int unit_exponent; /* 10^this ns */
    bool says;         /* anything at all */
};

/* It does not say: the key is not there, or null. */
bool answer_absent(const struct answer *a, uint32_t value);

/* "found THIS; allowed: ...". */
void answer_complain(struct answer *a, uint32_t value, const char *allowed);

/* A decimal times 10^exponent as a whole number, rounded half to even; false and a fault where it
   is none. */
bool answer_decimal(struct answer *a, uint32_t value, int exponent, const char *allowed,
                    struct decimal *out);
/* The same of what cannot be negative: else a fault, too. */
bool answer_size(struct answer *a, uint32_t value, int exponent, const char *allowed,
                 struct decimal *out);

/* Tells of slips among the keys of an object. */
void answer_keys(struct answer *a, uint32_t object, const char *const *allowed, size_t count);

void answer_declares(struct answer *a, uint32_t object);

/* Closes the reading: the first fault, and how many there are.  Owned by the caller; NULL: none. */
char *answer_fault(struct reading *r);

#endif
