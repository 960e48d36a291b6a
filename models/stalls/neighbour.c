/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/stalls/stall.h"

const struct stall_type stall_neighbour = {
    .is = {"neighbour", "somebody else takes a share of the machine, which may die away", NULL, 0,
           0, NULL},
    .slows = true,
    .names_share = true,
};
