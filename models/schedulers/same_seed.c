/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedulers/scheduler.h"

/* Known by its looks: there is no schedule to repeat. */
const struct scheduler_type scheduler_same_seed = {
    .is = {"same-seed", "gives every sender the same random numbers: requests leave in bursts",
           NULL, 0, 0, NULL},
    .item = "FR-47",
};
