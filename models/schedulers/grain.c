/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedulers/scheduler.h"

static bool twists(const struct offered *offered, size_t way, struct manner *m)
{
    static const ns_t units_ns[] = {NS_PER_US,       10 * NS_PER_US,  100 * NS_PER_US,
                                    NS_PER_MS,       10 * NS_PER_MS,  50 * NS_PER_MS,
                                    100 * NS_PER_MS, 500 * NS_PER_MS, NS_PER_S};
    if (offered->random)
        return false;
    m->grain_ns = units_ns[way / 3];
    m->way = (enum grain_way)(way % 3);
    return true;
}

const struct scheduler_type scheduler_grain = {
    .is = {"grain", "says that requests were due at whole units of its clock", NULL, 0, 0, NULL},
    .item = "wrk2, memtier",
    .ways = 27,
    .twists = twists,
};
