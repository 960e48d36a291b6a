/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/stalls/stall.h"

const struct stall_type stall_blackout = {
    .is = {"blackout",
           "what is in service goes on, its answer leaves at the end: a frozen event loop", NULL, 0,
           0, NULL},
    .stops_starts = true,
    .holds_answers = true,
};
