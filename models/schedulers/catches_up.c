/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedulers/scheduler.h"

static const struct catch_up back_to_back = {{0, 1}};

static bool twists(const struct offered *offered, size_t way, struct manner *m)
{
    (void)way;
    const struct catch_up *asked = offered->late.params;
    if (!offered->paced || (offered->late.type == &late_catch_up.is && asked->factor.num == 0))
        return false;
    m->late = (struct choice){&late_catch_up.is, (void *)(uintptr_t)&back_to_back};
    return true;
}

const struct scheduler_type scheduler_catches_up = {
    .is = {"catches-up", "sends every missed slot back to back, where that was not asked for", NULL,
           0, 0, NULL},
    .item = "FR-31, wrk2",
    .ways = 1,
    .twists = twists,
};
