/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_FAST_OPEN_H
#define DUETIME_FAST_OPEN_H

/* A special-purpose path beside the event engine: an open load without a window, one worker, first
   come first served, nothing that stalls, refuses or gives up.  There the whole run is Lindley's
   recursion, started[i] = max(due[i], finished[i-1]).  A test holds it equal to the engine, row by
   row. */

#include "sim/engine.h"

bool fast_open_accepts(const struct engine_request *request);
enum engine_end fast_open_run(const struct engine_request *request, struct engine_totals *totals);

#endif
