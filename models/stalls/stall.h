/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_STALL_H
#define DUETIME_STALL_H

/* Ways a server can be away.  No service starts inside any of them; they differ in what happens to
   the one already in service. */

#include "models/variant.h"

struct stall_type {
    struct variant is;
    bool stops_work;    /* what is in service is extended */
    bool holds_answers; /* what is in service goes on, but its answer leaves at the end */
};

extern const struct stall_type stall_suspend;
extern const struct stall_type stall_gate;
extern const struct stall_type stall_blackout;

#endif
