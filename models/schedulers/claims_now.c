/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedulers/scheduler.h"

static bool twists(const struct offered *offered, size_t way, struct manner *m)
{
    (void)way;
    if (offered->random)
        return false;
    m->claims_now = true;
    return true;
}

const struct scheduler_type scheduler_claims_now = {
    .is = {"claims-now",
           "keeps the schedule, but says that a request was due when it left: the send lag is lost",
           NULL, 0, 0, NULL},
    .item = "S0-2, wrk2 -U",
    .ways = 1,
    .twists = twists,
};
