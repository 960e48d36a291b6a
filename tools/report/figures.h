/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_FIGURES_H
#define DUETIME_FIGURES_H

/* Numbers as text.  Unknown is always the empty text. */

#include "sim/result.h"

#define FIGURE_TEXT 96

/* The unit and the decimals that all times of one table share. */
struct scale {
    ns_t unit_ns;
    const char *name;
    unsigned decimals;
};

/* The largest unit in which every non-zero time of the table is at least 1 (or the one the scenario
   asks for), and the fewest decimals, 1 to 3, that show its whole nanoseconds; else 3. */
struct scale scale_of(const struct result *result);

/* The same for the minima, which in a random run are next to nothing, and for the sums, which are
   far larger than what they are sums of. */
struct scale scale_of_minima(const struct result *result);
struct scale scale_of_sums(const struct result *result);

/* The same for one recorder's groups. */
struct scale scale_of_groups(const struct result *result, size_t recorder);

void scale_write(struct scale scale, struct figure figure, char out[FIGURE_TEXT]);
void scale_write_sum(struct scale scale, struct sum_result sum, char out[FIGURE_TEXT]);

/* In ns: whole or with its thousandths where exact, else `digits` significant digits. */
void figure_write_ns(struct figure figure, int digits, char out[FIGURE_TEXT]);

/* With a unit, for sentences: "1.5ms" where exact. */
void figure_write_words(struct figure figure, char out[FIGURE_TEXT]);

/* `digits` significant digits; NAN is the empty text, infinity "inf". */
void real_write(double value, int digits, char out[FIGURE_TEXT]);

/* As real_write but never with an exponent: 0.0006662. */
void plain_write(double value, int digits, char out[FIGURE_TEXT]);

/* At most `decimals` decimals, without trailing zeros. */
void rate_write(double value, int decimals, char out[FIGURE_TEXT]);

struct figure figure_of_ns(ns_t ns);

#endif
