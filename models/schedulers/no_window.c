/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedulers/scheduler.h"

static bool twists(const struct offered *offered, size_t way, struct manner *m)
{
    (void)way;
    bool limited = offered->window != UINT64_MAX;
    m->window = UINT64_MAX;
    return limited;
}

const struct scheduler_type scheduler_no_window = {
    .is = {"no-window", "sends whether or not there is room in the window", NULL, 0, 0, NULL},
    .item = "FR-07",
    .ways = 1,
    .twists = twists,
};
