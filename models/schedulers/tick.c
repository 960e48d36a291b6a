/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedulers/scheduler.h"

static bool twists(const struct offered *offered, size_t way, struct manner *m)
{
    static const ns_t units_ns[] = {NS_PER_US,       10 * NS_PER_US,  100 * NS_PER_US,
                                    NS_PER_MS,       10 * NS_PER_MS,  50 * NS_PER_MS,
                                    100 * NS_PER_MS, 500 * NS_PER_MS, NS_PER_S};
    if (offered->random)
        return false;
    m->tick_ns = units_ns[way / 2];
    m->claims_now = way % 2 == 1;
    return true;
}

const struct scheduler_type scheduler_tick = {
    .is = {"tick", "sends at the ticks of a coarse timer only, a burst at each", NULL, 0, 0, NULL},
    .item = "memtier, autocannon",
    .ways = 18,
    .twists = twists,
};
