/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_SUITE_TRIALS_H
#define DUETIME_SUITE_TRIALS_H

/* The scenarios of the conformance suite, run: what the recorders of tests are asked about. */

#include "sim/conform/conform.h"

struct scene {
    struct plan *plan;
    struct trial trial;
    char name[64]; /* "spread" */
};
struct scenes {
    struct scene *items;
    size_t count;
};

/* Ends the program where one cannot be run. */
void scenes_open(struct scenes *scenes);
void scenes_close(struct scenes *scenes);

/* The same for a group of tests: *state is the scenes. */
int scenes_set_up(void **state);
int scenes_tear_down(void **state);

const struct trial *scene_named(const struct scenes *scenes, const char *name);

/* The same trial with another rank rule asked for; borrows all else. */
struct trial with_rank(const struct trial *trial, const char *rank);

#endif
