/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_JUDGE_H
#define DUETIME_JUDGE_H

/* What verdict, diagnosis and suite share. */

#include "sim/conform/conform.h"

/* One trial with what its recorder declares, and the truth by the rank rule that it uses. */
struct bench {
    const struct trial *trial;
    const struct declared *declared;
    struct asked asked;
    struct report truth;      /* owned */
    struct population sorted; /* of the truth; owned */
    ns_t last_ns;             /* the latest instant a recorder is told */
};
void judge_open(struct bench *bench, const struct trial *trial, const struct declared *declared);
void judge_close(struct bench *bench);

/* Figures in one row: count, min, max, mean, sum, then the percentiles.  A count is told in
   thousandths as times are. */
enum { FIGURE_COUNT, FIGURE_MIN, FIGURE_MAX, FIGURE_MEAN, FIGURE_SUM, FIGURE_FIRST_PERCENTILE };
size_t figures_in(const struct report *report);
struct said figure_of(const struct report *report, size_t index);

/* Whether a recorder that found `truth` may say `said`: within what it declares, and within what
   arithmetic in doubles on instants of this size leaves of an exact figure. */
bool may_say(const struct bench *bench, size_t index, struct said truth, struct said said);
/* The same of figure values of this trial's own truth, whose mean is known from its samples. */
bool is_right(const struct bench *bench, size_t index, struct said said);

/* diagnosis.c: how well what was heard is what a recorder with a fault would say. */
enum fit { FIT_NONE, FIT_PERCENTILES /* count, min, max, mean or sum as the truth's */, FIT_WHOLE };
enum fit fit_of(const struct bench *bench, const struct report *faulty, ns_t slack_ns,
                const struct report *heard);
/* Of the fault of that index in set_faults with its parameter of that index.  known may be NULL. */
enum fit fit_of_known(const struct bench *bench, const struct known_reports *known, size_t fault,
                      size_t parameter, const struct report *heard);
enum fit fit_of_uses(const struct bench *bench, const struct fault_use *uses, size_t use_count,
                     const struct report *heard);
bool heard_is_right(const struct bench *bench, const struct report *heard);

/* Parameters of a fault that are tried on a run of so many requests. */
size_t parameters_tried(const struct fault_type *fault, size_t request_count);
uint64_t parameter_at(const struct fault_type *fault, size_t index);

/* "NAME, WITH WHAT: what it does (items)"; owned by the caller. */
char *suspect_text(const struct suspect *suspect);
bool reports_equal(const struct report *a, const struct report *b);

#endif
