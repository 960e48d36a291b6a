/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_SCHEDULES_H
#define DUETIME_SCHEDULES_H

/* `duetime conform --scheduler`: somebody else's send loop, over one scenario or all that are built
   in. */

#include <stdio.h>

#include "tools/dialogue.h"
#include "tools/options.h"

/* limits->command is the scheduler.  JUnit goes to `junit` where it is not NULL.  Returns an exit
   status. */
int schedules_run(const struct options *options, const struct dialogue *limits, FILE *junit);

#endif
