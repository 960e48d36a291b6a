/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_FAST_H
#define DUETIME_FAST_H

/* Special-purpose paths beside the event engine, for loads whose requests are served in the order
   in which they are sent: there a run is a recursion over columns, without events.  A test holds
   them equal to the engine, row by row and total by total. */

#include "sim/engine.h"

/* Whether one of them can run it. */
bool fast_accepts(const struct engine_request *request);

/* As engine_run does; of a request that is accepted. */
enum engine_end fast_run(const struct engine_request *request, struct engine_totals *totals);

#endif
