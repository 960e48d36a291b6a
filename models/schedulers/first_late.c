/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedulers/scheduler.h"

static bool twists(const struct offered *offered, size_t way, struct manner *m)
{
    if (offered->random || m->listed_ns != NULL)
        return false;
    m->from = way == 2 ? m->stride : 1;
    if (way == 1 && m->requests > 1)
        m->requests--;
    m->includes_end = way == 3;
    return true;
}

const struct scheduler_type scheduler_first_late = {
    .is = {"first-late", "begins an interval late: the first request is due at T and not at 0",
           NULL, 0, 0, NULL},
    .item = "FR-45",
    .ways = 4,
    .twists = twists,
};
