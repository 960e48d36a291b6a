/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_LAWS_ANOTHER_H
#define DUETIME_LAWS_ANOTHER_H

/* For laws that answer by the law of another question: what differs is a constant, or nothing. */

#include "models/distributions/distribution.h"
#include "models/laws/law.h"
#include "models/loads/load.h"

/* The other question, with room for what is changed in it.  Held by pointer: its parts point to
   each other. */
struct another {
    struct law_question asked;
    struct server server;
    struct load_plan load;
    struct open_load open;
    struct closed_load closed;
    struct sessions_load sessions;
    struct constant service, think;
    struct stall *stalls; /* owned; may be NULL */
};

/* A copy of q to change; owned by the caller until another_law takes it. */
struct another *another_of(const struct law_question *q);
void another_free(struct another *another);

/* Puts so much more between an answer and the client's next send.  False, and why, where the load's
   sends wait for its answers in another way than by thinking for a constant time. */
bool another_thinks(struct another *another, ns_t more_ns, char why[LAW_WHY_SIZE]);

/* Answers by the law of the other question, by_ns added to every value, and takes `another`. */
bool another_law(struct another *another, ns_t by_ns, struct law *out, char why[LAW_WHY_SIZE]);

/* Of an answer of another_law whose server stands behind something that starts empty at time 0 and
   keeps every request for by_ns, or is that itself (0): a state of the server alone, drawn for time
   0, is none of the whole, which settles instead where it is known how long that takes. */
void another_later(struct law *law, ns_t by_ns);

#endif
