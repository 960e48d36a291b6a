/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedulers/scheduler.h"

static bool twists(const struct offered *offered, size_t way, struct manner *m)
{
    (void)way;
    m->senders = m->stride = 1;
    m->waits = false;
    return offered->paced;
}

const struct scheduler_type scheduler_open_loop = {
    .is = {"open-loop", "sends when due, whether or not the connection has its answer", NULL, 0, 0,
           NULL},
    .item = "S0-2, vegeta",
    .ways = 1,
    .twists = twists,
};
