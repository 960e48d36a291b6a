/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_DECIMAL_TEXT_H
#define DUETIME_DECIMAL_TEXT_H

/* Decimal numbers of any length, as other programs print them, scaled without a double. */

#include "models/base/time.h"

struct decimal {
    i128 whole;     /* |value| * 10^exponent, rounded half to even; below 10^36 */
    bool negative;  /* and not 0 */
    bool exact;     /* nothing was rounded */
    bool too_large; /* for whole */
};

/* Reads "-12.5e3" times 10^exponent; false where the text is no such number. */
bool decimal_scaled(const char *text, size_t length, int exponent, struct decimal *out);

#endif
