/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/stalls/stall.h"

const struct stall_type stall_reject = {
    .is = {"reject", "what arrives is refused at once, what is there goes on: an alarm", NULL, 0, 0,
           NULL},
    .refuses = true,
};
