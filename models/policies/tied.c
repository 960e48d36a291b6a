/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/policies/resend.h"

static const struct field fields[] = {
    {"copies", FIELD_COUNT, offsetof(struct resend, copies), .min = 2, .max = 1000, .absent = "2",
     .says = "how many in all, at once; each goes to the next replica, round again where there are "
             "more of them than replicas"},
    {"cancel", FIELD_WORD, offsetof(struct resend, cancel), .absent = "\"none\"",
     .words = cancel_words,
     .says = "which of the others are taken back at the first answer: none, those not begun, or "
             "all"},
};

const struct resend_type resend_tied = {
    .is = {"tied", "sends all copies at once; the first to begin takes back those that wait",
           fields, FIELD_COUNT_OF(fields), sizeof(struct resend), NULL},
    .elsewhere = true,
    .cancels_at_start = true,
};
