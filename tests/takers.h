/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_TESTS_TAKERS_H
#define DUETIME_TESTS_TAKERS_H

/* Recorders that take the same samples, the first of which leads, and a store beside each that adds
   every sample by itself. */

#include "sim/sharing.h"

#define TAKERS 4
#define DAY_NS (24 * 3600 * NS_PER_S)

static const ns_t taken_thresholds_ns[] = {1000, 123457, DAY_NS / 3};
#define TAKEN_THRESHOLDS (sizeof taken_thresholds_ns / sizeof taken_thresholds_ns[0])

struct taker {
    struct recorder_plan plan;
    struct recorder recorder;
    struct choice of; /* what the store beside is: of an odd store, what that is of */
    void *beside;
};

struct takers {
    struct taker of[TAKERS];
    size_t count;
    struct columns *columns; /* owned */
    uint64_t samples, ended; /* so far, and when the last replication ended */
    uint64_t above[TAKEN_THRESHOLDS];
};

/* The parameters of a store, which must not be an odd one, are borrowed and not changed. */
struct choice store_named(const char *name, const void *params);

/* The plan's samples, each into a store of its own. */
void takers_open(struct takers *takers, const struct recorder_plan *plan,
                 const struct choice *stores, size_t count);
void takers_close(struct takers *takers);

/* Answered requests that took so long. */
void takers_take(struct takers *takers, const ns_t *values_ns, size_t count);

/* Adds a sample to the stores beside alone. */
void takers_beside(struct takers *takers, ns_t value_ns);

/* Ends a replication: all that is counted must be as many as there were samples. */
void takers_end(struct takers *takers);

/* Whether the stores of one say the same of each rank up to that of so many samples. */
bool takers_alike(const struct takers *takers, size_t which, uint64_t samples);
void takers_expect_alike(const struct takers *takers);

/* As if two threads had taken them. */
void takers_merge(struct takers *into, struct takers *from);

#endif
