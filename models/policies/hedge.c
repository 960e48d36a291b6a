/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/policies/resend.h"

static const struct field fields[] = {
    {"after", FIELD_DURATION, offsetof(struct resend, after_ns), .absent = "\"measured\"",
     .word = "measured", .word_value = AFTER_MEASURED,
     .says = "copy k leaves k times this after the first, if there is no answer by then; 0: all at "
             "once; measured: after as long as percentile says, which then must be given"},
    {"percentile", FIELD_RATIO, offsetof(struct resend, percentile), .above_min = true, .max = 100,
     .below_max = true,
     .says = "where after is measured: this percentile of the times from send that were answered "
             "so far"},
    {"copies", FIELD_COUNT, offsetof(struct resend, copies), .min = 2, .max = 1000, .absent = "2",
     .says = "how many in all, the original included; each goes to the next replica, round again "
             "where there are more of them than replicas"},
    {"cancel", FIELD_WORD, offsetof(struct resend, cancel), .absent = "\"in-service\"",
     .words = cancel_words,
     .says = "which of the others are taken back at the first answer: none, those not begun, or "
             "all"},
};

static const char *refuses(const void *params)
{
    const struct resend *hedge = params;
    bool measured = hedge->percentile.num != 0;
    if (measured != (hedge->after_ns == AFTER_MEASURED))
        return measured ? "a duration in \"after\" stands beside \"percentile\"; allowed: a "
                          "duration, or a percentile and \"measured\""
                        : "\"after\" is \"measured\", by default, and no \"percentile\" is given; "
                          "allowed: a duration, or a percentile and \"measured\"";
    return NULL;
}

const struct resend_type resend_hedge = {
    .is = {"hedge", "sends a request that is slow to another replica too", fields,
           FIELD_COUNT_OF(fields), sizeof(struct resend), refuses},
    .elsewhere = true,
};
