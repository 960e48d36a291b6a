/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_TESTS_STALLED_QUESTION_H
#define DUETIME_TESTS_STALLED_QUESTION_H

/* Questions about stalled servers and thinking clients, and what every law's tail must be like. */

#include "tests/random_question.h"

#define MS NS_PER_MS

/* Asked again with more than the shared question holds. */
struct stalled {
    struct asked a;
    struct exponential think, up, down;
};

void stall_periodically(struct asked *a, ns_t first_ns, ns_t every_ns, ns_t last_ns,
                        uint64_t periods);
void stall_randomly(struct stalled *s, ns_t up_ns, ns_t down_ns);
void think(struct stalled *s, ns_t mean_ns);

/* The mean is the integral of the tail: 400 steps a mean, to 1e-5 or as said. */
void mean_is_area_to(const struct law *law, double relative);
void mean_is_area(const struct law *law);

/* Falls from 1, is never negative, and ends. */
void tails_fall(const struct law *law, double to_ns);

#endif
