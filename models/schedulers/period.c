/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedulers/scheduler.h"

static bool twists(const struct offered *offered, size_t way, struct manner *m)
{
    static const ns_t units_ns[] = {1, 100, NS_PER_US, 100 * NS_PER_US, NS_PER_MS, 10 * NS_PER_MS};
    ns_t unit_ns = units_ns[way / 3];
    if (offered->pace.den == 0 || offered->random || m->listed_ns != NULL)
        return false;
    u128 grains = m->pace.num, unit = (u128)m->pace.den * unit_ns;
    if (grains % unit == 0)
        return false;
    u128 down = grains / unit;
    bool up = way % 3 == 2 || (way % 3 == 1 && 2 * (grains - down * unit) >= unit);
    u128 ns = (down + up) * unit_ns;
    m->pace = (struct pace){(uint64_t)ns, 1};
    return ns > 0 && ns < NS_LIMIT;
}

const struct scheduler_type scheduler_period = {
    .is = {"period", "rounds the interval to its own unit, and the rate with it", NULL, 0, 0, NULL},
    .item = "FR-33, vegeta",
    .ways = 18,
    .twists = twists,
};
