/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/stalls/stall.h"

const struct stall_type stall_suspend = {
    .is = {"suspend", "work stops and is taken up again: a GC pause, SIGSTOP", NULL, 0, 0, NULL},
    .stops_starts = true,
    .stops_work = true,
};
