/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/queues/queue.h"

/* Only during a stall does anybody wait. */
const struct queue_type queue_processor_sharing = {
    .is = {"processor-sharing", "all are served at once and share the workers evenly", NULL, 0, 0,
           NULL},
    .shares = true,
    .push = waiting_push,
    .pop = waiting_pop_front,
};
