/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedulers/scheduler.h"

static bool twists(const struct offered *offered, size_t way, struct manner *m)
{
    uint64_t senders = offered->paced ? offered->connections : 2 + way;
    if (offered->random || m->listed_ns != NULL || senders < 2 || (offered->paced && way > 0))
        return false;
    m->senders = m->stride = senders;
    m->spread = 0;
    return true;
}

const struct scheduler_type scheduler_in_phase = {
    .is = {"in-phase", "starts all its senders at once: their requests leave together", NULL, 0, 0,
           NULL},
    .item = "FR-17, wrk2",
    .ways = 16,
    .twists = twists,
};
