/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedulers/scheduler.h"

static bool twists(const struct offered *offered, size_t way, struct manner *m)
{
    if (offered->random || m->listed_ns != NULL)
        return false;
    m->base = BASE_SENT;
    m->claims_now = way == 1;
    return true;
}

const struct scheduler_type scheduler_drift = {
    .is = {"drift",
           "adds the interval to the instant of the last send, so that every lateness stays", NULL,
           0, 0, NULL},
    .item = "FR-45, JLBH",
    .ways = 2,
    .twists = twists,
};
