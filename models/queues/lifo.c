/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/queues/queue.h"

const struct queue_type queue_lifo = {
    .is = {"lifo", "last come, first served; what is in service is not interrupted", NULL, 0, 0,
           NULL},
    .late = true,
    .push = waiting_push,
    .pop = waiting_pop_back,
};
