/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_SCHEDULER_PIPE_H
#define DUETIME_SCHEDULER_PIPE_H

/* Somebody else's send loop, spoken with in the language of tools/examples/schedulers. */

#include "sim/conform/schedule.h"
#include "tools/dialogue.h"

struct scheduler_pipe {
    struct dialogue dialogue;
    const struct offered *offered;
    bool asked;    /* has had a turn */
    bool refused;  /* it does not do loads of this kind, and says so at once */
    char *problem; /* why there is no more to be heard of it; owned; NULL: nothing */
};

/* One round from its beginning to its end.  `pipe` comes with dialogue's limits and offered set.
   True: the run is there, whatever it is like; false: not even started, or stopped. */
bool scheduler_pipe_run(struct scheduler_pipe *pipe, const struct schedule_request *request,
                        struct schedule_run *out);
void scheduler_pipe_free(struct scheduler_pipe *pipe);

#endif
