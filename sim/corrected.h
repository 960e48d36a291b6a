/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_CORRECTED_H
#define DUETIME_CORRECTED_H

/* The samples that a recorder's correction adds below its values: runs, which are counted as such.
   Tally and counters have them at once; of long ones the store may lack some until they are
   settled. */

#include "sim/columns.h"

struct corrected; /* what a recorder holds back */
struct recorder;

/* Adds below each of the values what the recorder's rule says, whose interval is not 0.  Looks at
   the recorder's stop flag between blocks of values. */
void corrected_take(struct recorder *recorder, const struct column *values);

/* Gives the store all that is held back: before anything reads it. */
void corrected_settle(struct recorder *recorder);

void corrected_close(struct corrected *corrected); /* may be NULL */

#endif
