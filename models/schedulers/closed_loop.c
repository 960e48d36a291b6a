/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedulers/scheduler.h"

static const struct catch_up back_to_back = {{0, 1}};

static bool twists(const struct offered *offered, size_t way, struct manner *m)
{
    static const struct late_type *const policies[] = {&late_catch_up, &late_skip, &late_coalesce,
                                                       &late_rebase};
    if (offered->random || (offered->paced && (offered->connections == 1 || way > 1)))
        return false;
    m->senders = m->stride = 1;
    m->waits = true;
    m->claims_now = way % 2 == 1;
    if (way >= 8)
        return m->base = BASE_REPLY, m->listed_ns == NULL;
    m->late = (struct choice){&policies[way / 2]->is, (void *)(uintptr_t)&back_to_back};
    return m->listed_ns == NULL || way < 2;
}

const struct scheduler_type scheduler_closed_loop = {
    .is = {"closed-loop",
           "waits for each answer before it sends again, whatever connections there are", NULL, 0,
           0, NULL},
    .item = "S0-2, wrk",
    .ways = 10,
    .twists = twists,
};
