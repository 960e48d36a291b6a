/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_TESTS_RANDOM_PLAN_H
#define DUETIME_TESTS_RANDOM_PLAN_H

/* Small random scenarios of one load, of whole ns so small that ties are common. */

#include <stdint.h>

enum flavour {
    FLAVOUR_SMALL,        /* at most 60 requests or 200 ns, everything there is */
    FLAVOUR_LONG,         /* the same, some hundred requests */
    FLAVOUR_NEARLY_PLAIN, /* an open load and a worker, and at most one thing more */
    FLAVOUR_PLAIN_OPEN /* what the engine's fast path takes; now and then about a batch of rows */
};

/* The scenario of that seed, as JSON; owned by the caller.  Stable: a seed is a test case. */
char *random_scenario(uint64_t seed, enum flavour flavour);

#endif
