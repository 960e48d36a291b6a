/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_START_H
#define DUETIME_START_H

/* The state a run starts in: empty, or drawn from the law that the load obeys. */

#include "models/laws/law.h"
#include "sim/engine.h"

struct start_law {
    enum start_state state; /* STATE_NONE: empty */
    double probability;
};

/* The state for this load, from the first law that gives one.  why says, where there is none, which
   reason the laws gave. */
struct start_law start_find(const struct plan *plan, size_t load, char why[LAW_WHY_SIZE]);

/* Draws the jobs of one replication; free(jobs.work_ns) releases them. */
struct initial_jobs start_draw(const struct plan *plan, size_t load, struct start_law law,
                               uint32_t run, uint32_t replication);

/* Whether anything about the load or the server is drawn at random. */
bool load_is_random(const struct plan *plan, size_t load);

#endif
