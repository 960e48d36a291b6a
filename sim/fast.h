/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_FAST_H
#define DUETIME_FAST_H

/* Special-purpose paths beside the event engine.  Of loads whose requests are served in the order
   in which they are sent a run is a recursion over columns, without events; of those that send
   further copies, or to several replicas, it has three kinds of events and no agenda.  A test holds
   them equal to the engine, row by row and total by total. */

#include "sim/engine.h"

/* Whether one of them can run it. */
bool fast_accepts(const struct engine_request *request);

/* As engine_run does; of a request that is accepted. */
enum engine_end fast_run(const struct engine_request *request, struct engine_totals *totals);

#endif
