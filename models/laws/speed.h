/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_LAWS_SPEED_H
#define DUETIME_LAWS_SPEED_H

/* How fast work goes at a server whose stalls slow it down, in exact fractions: speeds are
   multiples of 1/full. */

#include "models/laws/law.h"

struct speed {
    const struct server *server; /* borrowed */
    uint64_t full;               /* speed without stalls, in units */
    bool slows;                  /* some stall does */
};

/* False, and why, where the fractions grow too long or a stall has no end before it begins again.
 */
bool speed_of(const struct server *server, struct speed *out, char why[LAW_WHY_SIZE]);

/* At at_ns: units of speed, 0 while a suspend is on; until *until_ns (NEVER: for good). */
uint64_t speed_at(const struct speed *speed, ns_t at_ns, ns_t *until_ns);

#endif
