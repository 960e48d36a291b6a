/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/stalls/stall.h"

const struct stall_type stall_gate = {
    .is = {"gate", "nothing new starts, what is in service finishes: a lock", NULL, 0, 0, NULL},
    .stops_starts = true,
};
