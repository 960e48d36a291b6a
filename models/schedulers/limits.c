/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedulers/scheduler.h"

static const struct catch_up factors[] = {{{1, 1}}, {{3, 2}}, {{2, 1}},
                                          {{5, 4}}, {{3, 1}}, {{11, 10}}};

static bool twists(const struct offered *offered, size_t way, struct manner *m)
{
    if (!offered->paced)
        return false;
    const struct catch_up *asked = offered->late.params;
    struct ratio factor = factors[way].factor;
    if (offered->late.type == &late_catch_up.is && asked->factor.num == factor.num &&
        asked->factor.den == factor.den)
        return false;
    m->late = (struct choice){&late_catch_up.is, (void *)(uintptr_t)&factors[way]};
    return true;
}

const struct scheduler_type scheduler_limits = {
    .is = {"limits", "catches up at a limited pace, or not at all, where that was not asked for",
           NULL, 0, 0, NULL},
    .item = "FR-31, wrk2",
    .ways = 6,
    .twists = twists,
};
