/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedulers/scheduler.h"

/* Known by its looks: there is no schedule to repeat. */
const struct scheduler_type scheduler_not_poisson = {
    .is = {"not-poisson", "draws gaps that are not exponential, or not of the mean asked for", NULL,
           0, 0, NULL},
    .item = "FR-47",
};
