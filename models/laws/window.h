/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_LAWS_WINDOW_H
#define DUETIME_LAWS_WINDOW_H

/* Poisson arrivals at exponential workers behind a window: what its two laws share. */

#include "models/laws/workers.h"

struct window {
    struct workers workers; /* no more of them than the window lets be busy */
    uint64_t queue;         /* how many may wait at the server: the window without the workers */
    double wait;            /* the probability that an arrival finds all of them busy */
};

/* The question's window and the start under which its laws hold; false, and a sentence in why,
   where it has none or is not stationary. */
bool window_of(const struct law_question *q, struct window *out, struct start_law *start,
               char why[LAW_WHY_SIZE]);

#endif
