/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_RAN_H
#define DUETIME_RAN_H

/* What is kept of a point that was run: no more than rows and experiments want of it, so that
   results, of some hundred KB, go back where they were made. */

#include "sim/experiments/points.h"
#include "tools/report/figures.h"

enum ran_end {
    RAN_UNREADABLE, /* there is no such scenario: why is in the errors */
    RAN_BROKEN,     /* it could not be run, or not to its end: why is in the errors, if anywhere */
    RAN_WHOLE,
};

struct ran {
    enum ran_end end;
    struct errors errors;
    /* Of one that is whole: */
    struct seen seen;    /* but for its number */
    const char **checks; /* owned; a word a recorder: "FAILS", "holds" or "" */
    struct scale scale;  /* that suits its times */
    bool fails;          /* anything that was judged */
};

/* What the result shows, which may be NULL, or was interrupted: broken. */
void ran_keep(struct ran *ran, const struct result *result);
void ran_free(struct ran *ran);

#endif
