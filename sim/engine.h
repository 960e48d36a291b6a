/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_ENGINE_H
#define DUETIME_ENGINE_H

/* The event engine: one load against the server, one replication, on the virtual clock. */

#include <signal.h>

#include "models/base/batch.h"
#include "models/plan.h"

/* The load's own earlier requests, at the server or on their way to it at time 0: served first, in
   order, and never reported as rows. */
struct initial_jobs {
    const ns_t *work_ns;   /* borrowed: their remaining work */
    const size_t *station; /* borrowed: the replica of each; NULL: all at the first */
    size_t count;
};

struct engine_request {
    const struct plan *plan;
    size_t load;
    uint32_t run, replication; /* of the random streams */
    struct initial_jobs initial;
    /* Requests due before settle_ns, or with numbers below settle_requests (of which one is 0), are
       sent over and above the run's, and not recorded. */
    ns_t settle_ns;
    uint64_t settle_requests;
    bool again;               /* the same run once more, for its rows: totals need not be whole */
    struct consumer consumer; /* take may be NULL */
    const volatile sig_atomic_t *stop; /* looked at once a batch; may be NULL */
};

/* What happened, over all requests, initial jobs apart. */
struct engine_totals {
    uint64_t due;        /* slots claimed at or after the run's warm-up, dropped ones included */
    ns_t window_end_ns;  /* the run's duration, or the instant the next slot would be due */
    ns_t record_from_ns; /* due instant from which requests are recorded */
    bool window_known;   /* false: the schedule ended by itself, or the run was cut */
    bool window_ends;    /* the window has an end: a list of times alone gives none */
    ns_t last_due_ns;    /* the latest instant of a claimed slot */
    uint64_t sent, answered, timed_out, refused, dropped;
    uint64_t attempts; /* copies sent: at least one a request */
    uint64_t in_flight_at_end, in_flight_max;
    uint64_t stalls; /* begun before the last answer */
    ns_t first_send_ns, last_answer_ns;
    ns_t end_ns; /* the last instant at which the number in flight changed, or the cut */

    /* For the identities: each pair is kept by different code. */
    u128 flight_area;      /* integral of the number in flight, initial jobs included */
    u128 initial_time_ns;  /* time in system of initial jobs, within the run */
    uint64_t initial_left; /* initial jobs still there at a cut */
    u128 busy_area_ns;     /* integral of busy workers over available time */
    u128 work_done_ns;     /* demands of completed services, and what was done of the others */
};

enum engine_end {
    ENGINE_DONE,
    ENGINE_STOPPED,  /* by the stop flag */
    ENGINE_OVERFLOW, /* the virtual clock would pass 146 years */
    /* No end in sight: requests that cost nothing are sent again at once, or the stalls leave the
       server no time. */
    ENGINE_STUCK,
};

/* Runs one replication to its end; rows reach the consumer in the order in which requests leave the
   server. */
enum engine_end engine_run(const struct engine_request *request, struct engine_totals *totals);

#endif
