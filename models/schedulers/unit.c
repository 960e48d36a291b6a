/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedulers/scheduler.h"

static bool twists(const struct offered *offered, size_t way, struct manner *m)
{
    static const struct ratio factors[] = {{1000, 1}, {1, 1000}, {1000000, 1}, {1, 1000000},
                                           {60, 1},   {1, 60},   {10, 1},      {1, 10}};
    struct ratio f = factors[way];
    if (offered->random || m->listed_ns != NULL || m->pace.num > NS_LIMIT / f.num ||
        m->pace.den > NS_LIMIT / f.den)
        return false;
    m->pace = (struct pace){m->pace.num * f.num, m->pace.den * f.den};
    return true;
}

const struct scheduler_type scheduler_unit = {
    .is = {"unit", "takes the interval or the rate in another unit", NULL, 0, 0, NULL},
    .item = "FR-11, FR-45, autocannon",
    .ways = 8,
    .twists = twists,
};
