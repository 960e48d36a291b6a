/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/policies/resend.h"

static const struct field fields[] = {
    {"after", FIELD_DURATION, offsetof(struct resend, after_ns), .required = true, .min = 1,
     .says = "a second copy leaves so long after the first, if there is no answer by then"},
    {"copies", FIELD_COUNT, offsetof(struct resend, copies), .min = 2, .max = 1000, .absent = "2",
     .says = "how many in all, the original included"},
    {"backoff", FIELD_RATIO, offsetof(struct resend, backoff), .min = 1, .absent = "1",
     .says = "each further wait is so many times the one before"},
    {"jitter", FIELD_RATIO, offsetof(struct resend, jitter), .max = 1, .absent = "0",
     .says = "of each wait a part is taken away at random, up to this share of it"},
    {"budget", FIELD_RATIO, offsetof(struct resend, budget), .absent = "\"unlimited\"",
     .word = "unlimited", .word_value = NO_RATIO, .percent = true,
     .says = "copies beyond the first at most, as a share of the requests sent so far"},
    {"cancel", FIELD_WORD, offsetof(struct resend, cancel), .absent = "\"none\"",
     .words = cancel_words,
     .says = "which of the others are taken back at the first answer: none, those not begun, or "
             "all"},
};

const struct resend_type resend_retry = {
    .is = {"retry", "sends a request that is not answered in time again, to any replica", fields,
           FIELD_COUNT_OF(fields), sizeof(struct resend), NULL},
    .elsewhere = false,
};
