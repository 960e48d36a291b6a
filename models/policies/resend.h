/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_RESEND_H
#define DUETIME_RESEND_H

/* Further copies of a request that is not answered yet.  The first answer ends the request. */

#include "models/plan.h"

struct resend {
    ns_t after_ns;   /* copy k leaves k times this after the first, if there is no answer by then */
    uint64_t copies; /* in all, the first included: 2 .. */
    unsigned cancel; /* enum cancel: what becomes of the others at the first answer */
};

struct resend_type {
    struct variant is;
    bool elsewhere; /* a copy goes to another replica than those before it, while there is one */
};

/* Of `cancel`, by enum cancel; NULL ends them. */
extern const char *const cancel_words[];

extern const struct resend_type resend_retry;
extern const struct resend_type resend_hedge;

#endif
