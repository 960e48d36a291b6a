/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_COMPARISON_H
#define DUETIME_COMPARISON_H

/* Whether the figures of two scenarios may be set side by side: nothing that they declare differs
   but what is studied, and both pass their gates. */

#include "sim/result.h"

/* What a run's percentiles may be used for. */
enum standing {
    STANDING_ELIGIBLE,    /* every gate passes */
    STANDING_EXPLORATORY, /* a gate fails */
    STANDING_DESCRIPTIVE, /* of a closed loop: of no offered rate */
};

struct side {
    struct plan *plan;     /* owned */
    struct result *result; /* owned; of that plan */
};

struct comparison {
    struct side sides[2]; /* borrowed by judging; owned by whoever made them */
    enum standing standings[2];
    char **differs; /* paths; owned */
    bool *studied;  /* one a difference */
    size_t differ_count, unstudied;
    char **warnings; /* owned */
    size_t warning_count;
    bool comparable;
};

const char *standing_name(enum standing standing);
enum standing standing_of(const struct result *result);

/* Fills everything but the sides, which are there.  studied: paths; what lies under one of them is
   studied too. */
void comparison_judge(struct comparison *comparison, const char *const *studied,
                      size_t studied_count);

/* All of it but the sides. */
void comparison_free(struct comparison *comparison);

#endif
