/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedulers/scheduler.h"

static bool twists(const struct offered *offered, size_t way, struct manner *m)
{
    if (offered->random || m->listed_ns != NULL)
        return false;
    if (way == 0 && m->duration_ns != 0)
        m->includes_end = true;
    else if (way == 1 && m->duration_ns != 0)
        m->duration_ns += (ns_t)(m->pace.num / m->pace.den);
    if (m->requests != 0)
        m->requests += way == 2 ? m->senders : 1;
    return m->requests != 0 || way < 2;
}

const struct scheduler_type scheduler_one_too_many = {
    .is = {"one-too-many", "sends one request more than there are slots, at the end", NULL, 0, 0,
           NULL},
    .item = "FR-45",
    .ways = 3,
    .twists = twists,
};
