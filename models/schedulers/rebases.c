/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedulers/scheduler.h"

static bool twists(const struct offered *offered, size_t way, struct manner *m)
{
    if (!offered->paced || offered->late.type == &late_rebase.is)
        return false;
    m->late = (struct choice){&late_rebase.is, NULL};
    if (way > 0)
        m->base = BASE_SENT;
    m->claims_now = way == 2;
    return true;
}

const struct scheduler_type scheduler_rebases = {
    .is = {"rebases",
           "makes a missed slot due now and moves the rest of the schedule: a stall is forgotten",
           NULL, 0, 0, NULL},
    .item = "S0-2, JMeter, Locust",
    .ways = 3,
    .twists = twists,
};
