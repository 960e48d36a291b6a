/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedulers/scheduler.h"

static bool twists(const struct offered *offered, size_t way, struct manner *m)
{
    if (offered->random || m->listed_ns != NULL)
        return false;
    m->base = BASE_REPLY;
    m->waits = true;
    m->claims_now = way == 1;
    return true;
}

const struct scheduler_type scheduler_think = {
    .is = {"think",
           "sends an interval after the last answer: the pace is slower by every response time",
           NULL, 0, 0, NULL},
    .item = "JMeter, Locust",
    .ways = 2,
    .twists = twists,
};
