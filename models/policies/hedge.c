/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/policies/resend.h"

static const struct field fields[] = {
    {"after", FIELD_DURATION, offsetof(struct resend, after_ns), .required = true,
     .says = "copy k leaves k times this after the first, if there is no answer by then; 0: all at "
             "once"},
    {"copies", FIELD_COUNT, offsetof(struct resend, copies), .min = 2, .max = 1000, .absent = "2",
     .says = "how many in all, the original included"},
    {"cancel", FIELD_WORD, offsetof(struct resend, cancel), .absent = "\"in-service\"",
     .words = cancel_words,
     .says = "which of the others are taken back at the first answer: none, those not begun, or "
             "all"},
};

const struct resend_type resend_hedge = {
    .is = {"hedge", "sends a request that is slow to another replica too", fields,
           FIELD_COUNT_OF(fields), sizeof(struct resend), NULL},
    .elsewhere = true,
};
