/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedulers/scheduler.h"

static bool twists(const struct offered *offered, size_t way, struct manner *m)
{
    uint64_t less = way == 1 ? m->senders : way == 3 ? 2 : 1;
    if (offered->random || (offered->slots <= less && m->requests != 0))
        return false;
    if (m->requests != 0) {
        m->requests -= less;
        return way != 2;
    }
    if (offered->slots <= less)
        return false;
    m->requests = offered->slots - less;
    if (way == 2) {
        m->requests = 0;
        m->duration_ns -= (ns_t)(m->pace.num / m->pace.den);
    }
    return true;
}

const struct scheduler_type scheduler_one_too_few = {
    .is = {"one-too-few", "sends one request less than there are slots: the last is missing", NULL,
           0, 0, NULL},
    .item = "FR-45",
    .ways = 4,
    .twists = twists,
};
