/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/policies/resend.h"

const char *const cancel_words[] = {
    [CANCEL_NONE] = "none",
    [CANCEL_QUEUED] = "queued",
    [CANCEL_IN_SERVICE] = "in-service",
    NULL,
};
