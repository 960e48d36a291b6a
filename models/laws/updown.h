/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_LAWS_UPDOWN_H
#define DUETIME_LAWS_UPDOWN_H

/* What the laws of random stalls ask: one suspend stall, up and down for exponential times in turn,
   one worker with exponential service.  All in ns. */

#include "models/laws/law.h"

struct updown {
    double up_ns, down_ns, service_ns; /* means, each at least 1 us */
};

/* False, and a sentence in why, where the server is not so. */
bool updown_of(const struct server *server, struct updown *out, char why[LAW_WHY_SIZE]);

#endif
