/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_MADE_LAB_H
#define DUETIME_MADE_LAB_H

/* A lab in which nothing runs: each point shows figures that the test makes up, and what the
   experiment finds is kept as text. */

#include <stdio.h>

#include "models/experiments/experiment.h"

struct made_lab {
    struct lab lab;
    /* Fills in what a point shows; everything is 0 and no gate fails before. */
    void (*show)(struct made_lab *made, const char *group, const char *const *values,
                 struct seen *seen);
    double number;             /* for show: whatever the test wants to say */
    size_t points, stop_after; /* 0: never */
    size_t knob_count;
    char *knobs;   /* "rate=/loads/open/open/rate ..." */
    char *found;   /* "NAME: VALUE; SAYS\n" for each finding */
    char *rows;    /* "TABLE|cell|cell\n" */
    char *refused; /* "" */
    char *values;  /* of every point, "a b\n" */
    char *ahead;   /* of the points announced and not asked for yet; these must come next */
    char *table;
    enum column_kind kinds[16];
    size_t columns;
};

/* A closed load and an open one, in this order, a recorder on each, and the experiment. */
struct plan *made_plan(const char *experiment);

/* Runs the experiment of the plan; made_lab_free releases what it left. */
void made_lab_run(struct made_lab *made, const struct plan *plan);
void made_lab_free(struct made_lab *made);

/* All times of a recorder, with no chance in them. */
void made_times(struct seen *seen, const struct plan *plan, size_t recorder, double ns);

/* The value of a finding; fails the test where there is none.  Owned by the caller. */
char *made_value(const struct made_lab *made, const char *name);
void made_value_is(const struct made_lab *made, const char *name, const char *wanted);

/* How often a part stands in a text. */
size_t made_count(const char *text, const char *part);

#endif
