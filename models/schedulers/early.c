/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedulers/scheduler.h"

static bool twists(const struct offered *offered, size_t way, struct manner *m)
{
    static const ns_t units_ns[] = {NS_PER_US,       10 * NS_PER_US,  100 * NS_PER_US,
                                    NS_PER_MS,       10 * NS_PER_MS,  50 * NS_PER_MS,
                                    100 * NS_PER_MS, 500 * NS_PER_MS, NS_PER_S};
    if (offered->random)
        return false;
    m->tick_ns = units_ns[way];
    m->tick_way = GRAIN_DOWN;
    return true;
}

const struct scheduler_type scheduler_early = {
    .is = {"early", "sends before a request is due: the wait is rounded down", NULL, 0, 0, NULL},
    .item = "FR-31",
    .ways = 9,
    .twists = twists,
};
