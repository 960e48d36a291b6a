/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedulers/scheduler.h"

static bool twists(const struct offered *offered, size_t way, struct manner *m)
{
    /* Ways: 1 to 16 senders, in phase or spread, the quotient rounded down or up. */
    uint64_t senders = 1 + way / 4;
    if (offered->pace.den == 0 || offered->random || m->listed_ns != NULL)
        return false;
    if (offered->paced && senders != 1 && senders != offered->connections)
        return false;
    u128 rate = (u128)NS_PER_S * offered->pace.den, each = (u128)offered->pace.num * senders;
    u128 share = rate / each + (way % 2);
    if (share == 0 || share * each == rate || share > NS_PER_S)
        return false;
    bool whole = senders == 1 && offered->paced;
    m->senders = whole ? offered->connections : senders;
    m->stride = whole ? m->stride : way / 2 % 2 == 0 ? 1 : senders;
    m->spread = way / 2 % 2 == 0 && !whole ? 0 : 1;
    m->pace = (struct pace){NS_PER_S, (uint64_t)share};
    m->pace.den *= m->stride == senders && !whole ? senders : 1;
    return senders > 1 || way / 2 % 2 == 0;
}

const struct scheduler_type scheduler_integer_rate = {
    .is = {"integer-rate",
           "divides the rate among its senders in whole numbers, or drops its fraction", NULL, 0, 0,
           NULL},
    .item = "FR-33",
    .ways = 64,
    .twists = twists,
};
