/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_PAUSES_H
#define DUETIME_PAUSES_H

/* The planned stalls of one server as they follow one another, for the paths beside the event
   engine.  Stalls that overlap or touch are one pause.  A suspended server lives in a time of its
   own, worked(t): how much of [0, t] it was not in a pause. */

#include "models/plan.h"

/* Later than every instant; also as a signed number. */
#define PAUSE_NEVER ((ns_t)INT64_MAX)

/* One walk over the pauses, which goes forward alone: at any time it stands at one of them. */
struct pauses {
    const struct stall *stalls; /* borrowed */
    size_t count;
    bool apart;            /* stalls that touch are two */
    ns_t *next_ns;         /* when each stall begins next; PAUSE_NEVER; owned; NULL: no stalls */
    ns_t begin_ns, end_ns; /* of this pause: [begin, end); PAUSE_NEVER: there are no more */
    ns_t lost_ns;          /* of all pauses before it together */
};

/* Whether such a walk gives the server's stalls: all planned, of one kind, suspend, gate or
   blackout, and leaving the server some of the time.  None at all will do. */
bool pauses_can(const struct server *server);

/* Stands at the first pause; pauses_close releases it. */
void pauses_open(struct pauses *pauses, const struct server *server, bool apart);
void pauses_close(struct pauses *pauses);
void pauses_next(struct pauses *pauses);

/* How many pauses begin before the instant. */
uint64_t pauses_before(const struct server *server, ns_t instant_ns);

/* For walks with stalls that touch as one.  The columns below never go back, neither within one
   call nor from call to call of one walk.  The three are inverse to one another but where a pause
   makes one instant of many. */

/* worked_ns[i] = worked(at_ns[i]). */
void pauses_worked(struct pauses *pauses, const ns_t *at_ns, ns_t *worked_ns, size_t count);

/* The same of one. */
static inline ns_t pauses_worked_at(struct pauses *pauses, ns_t at_ns)
{
    while (at_ns >= pauses->end_ns)
        pauses_next(pauses);
    return (at_ns < pauses->begin_ns ? at_ns : pauses->begin_ns) - pauses->lost_ns;
}

/* The last instant until which so much has been worked: a service that may begin then does. */
void pauses_starts(struct pauses *pauses, const ns_t *worked_ns, ns_t *at_ns, size_t count);

/* The first such instant, at which a service ends; one that takes no time begins and ends at the
   last of them. */
void pauses_ends(struct pauses *pauses, const ns_t *worked_ns, const ns_t *work_ns, ns_t *at_ns,
                 size_t count);

#endif
