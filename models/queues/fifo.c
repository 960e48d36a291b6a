/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/queues/queue.h"

const struct queue_type queue_fifo = {
    .is = {"fifo", "first come, first served", NULL, 0, 0, NULL},
    .push = waiting_push,
    .pop = waiting_pop_front,
};
