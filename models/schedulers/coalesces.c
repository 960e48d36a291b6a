/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedulers/scheduler.h"

static bool twists(const struct offered *offered, size_t way, struct manner *m)
{
    if (!offered->paced || offered->late.type == &late_coalesce.is)
        return false;
    m->late = (struct choice){&late_coalesce.is, NULL};
    m->claims_now = way == 1;
    return true;
}

const struct scheduler_type scheduler_coalesces = {
    .is = {"coalesces",
           "sends one request for all the slots that it missed, where that was not asked for", NULL,
           0, 0, NULL},
    .item = "hey",
    .ways = 2,
    .twists = twists,
};
