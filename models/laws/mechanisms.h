/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_LAWS_MECHANISMS_H
#define DUETIME_LAWS_MECHANISMS_H

/* What a scenario may have beyond one plain request at a plain server.  A law names those that it
   reckons with; law_find does not ask it where another is in use, so that no law answers for what
   it has never heard of. */

#include "models/laws/law.h"

/* In the order in which a refusal names them. */
enum mechanism {
    MECHANISM_AVERAGE,        /* percentiles of groups, averaged */
    MECHANISM_PART,           /* a part of the response time that is no difference of instants */
    MECHANISM_GENERATOR,      /* sending costs the client */
    MECHANISM_NETWORK,        /* a delay on the way */
    MECHANISM_BEHIND,         /* a second station */
    MECHANISM_SHARING,        /* everybody is served at once, each the slower */
    MECHANISM_ORDER,          /* whoever came first is not served first */
    MECHANISM_QUOTA,          /* so much work a period */
    MECHANISM_LOAD_DEPENDENT, /* services that grow with the number present */
    MECHANISM_REFUSES,        /* stalls that refuse */
    MECHANISM_SLOWS,          /* stalls that slow the work down */
    MECHANISM_TARGETED,       /* stalls of something else than the whole server */
    MECHANISM_TIED,           /* copies that are taken back when another begins */
    MECHANISM_PERCENTILE,     /* copies after a measured percentile */
    MECHANISM_WAITS,          /* back-off or jitter between copies */
    MECHANISM_BUDGET,         /* copies at most a share of the requests */
    MECHANISM_TIMEOUT_CANCEL, /* copies taken back at the timeout */
    MECHANISM_SHARED_WORK,    /* copies or parts that share one draw */
    MECHANISM_FIRST_PARTS,    /* some of the parts are enough */
    MECHANISM_OVERHEAD,       /* the client's own time for an answer */
    MECHANISM_COUNT,
};

#define KNOWS(name) (UINT64_C(1) << MECHANISM_##name)
#define KNOWS_ALL ((UINT64_C(1) << MECHANISM_COUNT) - 1)

/* A question without what has no effect in it: copies that would never be sent, a discipline where
   nobody ever waits, a delay that never comes ...  Its own pointers lead into itself and into what
   the first question points to, so it stays where it is made. */
struct plain_question {
    struct law_question asked;
    struct server server;
    struct load_plan load;
};
void plain_question(const struct law_question *q, struct plain_question *out);

/* The mechanisms in use, of a plain question, as bits KNOWS(...). */
uint64_t mechanisms_of(const struct law_question *q);

/* Why a law that does not know it cannot answer: a sentence shorter than LAW_WHY_SIZE. */
const char *mechanism_says(enum mechanism m);

#endif
