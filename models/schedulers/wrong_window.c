/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedulers/scheduler.h"

static bool twists(const struct offered *offered, size_t way, struct manner *m)
{
    uint64_t window = offered->window;
    if (window == UINT64_MAX || (way > 1 && window > UINT64_MAX / 2))
        return false;
    const uint64_t others[] = {window + 1, window - 1, 2 * window, window / 2};
    m->window = others[way];
    return m->window > 0;
}

const struct scheduler_type scheduler_wrong_window = {
    .is = {"wrong-window", "has more or fewer requests in flight than it may: by one, or by half",
           NULL, 0, 0, NULL},
    .item = "FR-07",
    .ways = 4,
    .twists = twists,
};
