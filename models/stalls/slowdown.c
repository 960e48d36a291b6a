/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/stalls/stall.h"

const struct stall_type stall_slowdown = {
    .is = {"slowdown", "work goes on at a part of full speed: a cold cache, a busy neighbour", NULL,
           0, 0, NULL},
    .slows = true,
};
