/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_START_H
#define DUETIME_START_H

/* The state a run starts in: empty, or drawn from the law that the load obeys. */

#include "models/laws/memo.h"
#include "sim/engine.h"

/* The state for this load, from the first law that gives one.  why says, where there is none, which
   reason the laws gave.  The memo may be NULL. */
struct start_law start_find(const struct plan *plan, size_t load, struct law_memo *memo,
                            char why[LAW_WHY_SIZE]);

/* The law's state as a run that ends by a count has to start in it. */
struct start_law start_of_count(const struct plan *plan, const struct load_plan *load,
                                struct start_law start);

/* Requests that are sent before any is recorded, where the run settles by their number; 0: by time.
 */
uint64_t start_settle_requests(const struct plan *plan, size_t load, struct start_law start);

/* Whether the state has jobs that are drawn, and is there from time 0 on. */
bool start_is_drawn(struct start_law start);

/* Draws the jobs of one replication; start_release releases them. */
struct initial_jobs start_draw(const struct plan *plan, size_t load, struct start_law law,
                               uint32_t run, uint32_t replication);

void start_release(struct initial_jobs jobs);

/* What the run will start in, as far as one word says it of all loads: START_DEFAULT where some
   start in their law's state and others empty, or where a pilot has yet to say how long it is. */
enum start start_of_run(const struct plan *plan);

/* Whether anything about the load or the server is drawn at random. */
bool load_is_random(const struct plan *plan, size_t load);

/* Of a random load where the scenario names no number. */
#define REPLICATIONS_DEFAULT 32

/* How often it runs. */
uint64_t load_replications(const struct plan *plan, size_t load);

#endif
