/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedulers/scheduler.h"

static bool twists(const struct offered *offered, size_t way, struct manner *m)
{
    /* Ways: each at full rate, in phase; the same spread; each at a share of a share; by senders.
     */
    uint64_t senders = offered->paced ? offered->connections : 2 + way / 3;
    if (offered->random || m->listed_ns != NULL || senders < 2 || (offered->paced && way > 2))
        return false;
    m->senders = senders;
    m->stride = way % 3 == 0 ? 1 : senders;
    m->spread = way % 3 == 0 ? 0 : 1;
    if (way % 3 == 1 && m->pace.den < UINT64_MAX / senders)
        m->pace.den *= senders;
    if (way % 3 == 2 && m->pace.num < NS_LIMIT / senders)
        m->pace.num *= senders;
    return true;
}

const struct scheduler_type scheduler_per_connection = {
    .is = {"per-connection",
           "takes the rate of the whole for that of each sender, or divides it twice", NULL, 0, 0,
           NULL},
    .item = "FR-33",
    .ways = 48,
    .twists = twists,
};
