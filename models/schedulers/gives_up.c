/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedulers/scheduler.h"

static bool twists(const struct offered *offered, size_t way, struct manner *m)
{
    if (offered->random || offered->slots == 0)
        return false;
    ns_t last_ns = m->listed_ns != NULL ? m->listed_ns[offered->slots - 1]
                                        : pace_due(m->pace, offered->slots - 1);
    if (way == 0)
        m->gives_up_ns = m->duration_ns != 0 ? m->duration_ns : last_ns + 1;
    else
        m->gives_up_ns = m->listed_ns != NULL ? 0 : pace_due(m->pace, offered->slots);
    return m->gives_up_ns != 0;
}

const struct scheduler_type scheduler_gives_up = {
    .is = {"gives-up", "ends when its time is over, and drops what it still owes", NULL, 0, 0,
           NULL},
    .item = "wrk2",
    .ways = 2,
    .twists = twists,
};
