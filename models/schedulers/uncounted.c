/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedulers/scheduler.h"

static bool twists(const struct offered *offered, size_t way, struct manner *m)
{
    if (!offered->paced)
        return false;
    if (way == 1)
        m->late = (struct choice){&late_skip.is, NULL};
    if (way == 2)
        m->late = (struct choice){&late_coalesce.is, NULL};
    m->renumbers = true;
    m->claims_now = way == 3;
    return true;
}

const struct scheduler_type scheduler_uncounted = {
    .is = {"uncounted",
           "does not count the slots that it drops: the next request takes their number", NULL, 0,
           0, NULL},
    .item = "FR-31",
    .ways = 4,
    .twists = twists,
};
