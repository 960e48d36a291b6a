/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_STALL_H
#define DUETIME_STALL_H

/* Ways a server can be away or not itself.  Those that stop starts differ in what happens to the
   one already in service. */

#include "models/variant.h"

struct stall_type {
    struct variant is;
    bool stops_starts;  /* no service begins inside it */
    bool stops_work;    /* what is in service is extended */
    bool holds_answers; /* what is in service goes on, but its answer leaves at the end */
    bool refuses;       /* arrivals are refused at once */
    bool slows;         /* work goes on at 1 - lost of full speed */
    bool names_share;   /* a scenario gives the share that is lost, else the factor that is left */
};

extern const struct stall_type stall_suspend;
extern const struct stall_type stall_gate;
extern const struct stall_type stall_blackout;
extern const struct stall_type stall_reject;

#endif
