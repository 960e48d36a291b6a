/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_RESEND_H
#define DUETIME_RESEND_H

/* Further copies of a request that is not answered yet.  The first answer ends the request. */

#include "models/plan.h"

#define AFTER_MEASURED UINT64_MAX

/* Copy k, k = 1 .., leaves its wait after copy k-1 was due to leave, if there is no answer by then.
   The wait of copy 1 is after_ns, that of each further one backoff times the one before, rounded
   down; from each a whole number of ns is taken away that is drawn evenly from 0 to jitter times
   it, rounded down. */
struct resend {
    ns_t after_ns;        /* AFTER_MEASURED where percentile has the say */
    uint64_t copies;      /* in all, the first included: 2 .. */
    unsigned cancel;      /* enum cancel: what becomes of the others at the first answer */
    struct ratio backoff; /* >= 1 */
    struct ratio jitter;  /* in [0, 1] */
    /* Copies beyond the first, over all requests, at most this share of the requests sent so far,
       rounded down; one that the budget refuses is not sent, nor are its request's later ones.
       den 0: no limit. */
    struct ratio budget;
    /* Instead of after_ns, this percentile (between 0 and 100) of the times from send that were
       answered so far: by nearest rank, taken anew when their number reaches 100, 200, 400, ...
       102400; no copy is sent before the first of these.  num 0: after_ns. */
    struct ratio percentile;
};

struct resend_type {
    struct variant is;
    bool elsewhere;        /* a copy goes to another replica than those before it, while there is
                              one, and then round again */
    bool cancels_at_start; /* when one of several begins service, those that wait are taken back */
};

/* Of `cancel`, by enum cancel; NULL ends them. */
extern const char *const cancel_words[];

extern const struct resend_type resend_retry;
extern const struct resend_type resend_hedge;
extern const struct resend_type resend_tied;

#endif
