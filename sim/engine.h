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
    unsigned wants;           /* enum batch_wants: columns the consumer reads */
    struct consumer consumer; /* take may be NULL */
    const volatile sig_atomic_t *stop; /* looked at once a batch; may be NULL */
};

/* The stations that a copy passes, in order; which of them there are is the scenario's affair. */
enum stage { STAGE_GENERATOR, STAGE_NETWORK, STAGE_SERVER, STAGE_BEHIND, STAGE_CLIENT };
#define STAGE_COUNT (STAGE_CLIENT + 1)

/* What happened, over all requests, initial jobs apart. */
struct engine_totals {
    uint64_t due;        /* slots claimed at or after the run's warm-up, dropped ones included */
    ns_t window_end_ns;  /* the run's duration, or the instant the next slot would be due */
    ns_t record_from_ns; /* due instant from which requests are recorded */
    bool window_known;   /* false: the schedule ended by itself, or the run was cut */
    bool window_ends;    /* the window has an end: a list of times alone gives none */
    ns_t last_due_ns;    /* the latest instant of a claimed slot */
    uint64_t sent, answered, timed_out, refused, dropped;
    uint64_t attempts;  /* copies sent: at least one a request */
    uint64_t resent;    /* copies sent because no answer had come */
    uint64_t withheld;  /* copies that the budget refused */
    uint64_t cancelled; /* copies taken back before they were served */
    uint64_t wasted;    /* copies served to the end for a request that was over */
    uint64_t throttled; /* quota periods in which a server was stopped, over all replicas */
    uint64_t periods;   /* quota periods begun before the last answer, over all replicas */
    u128 running_ns[STAGE_COUNT]; /* integral of running workers over time, by stage */
    uint64_t in_flight_at_end, in_flight_max;
    uint64_t stalls; /* begun before the last answer */
    ns_t first_send_ns, last_answer_ns;
    ns_t end_ns; /* the last instant at which the number in flight changed, or the cut */

    /* For the identities: each pair is kept by different code. */
    u128 flight_area;      /* integral of the number in flight, initial jobs included */
    u128 initial_time_ns;  /* time in system of initial jobs, within the run */
    uint64_t initial_left; /* initial jobs still there at a cut */
    /* In units of 2^-64 ns, modulo 2^128, over all stations: */
    u128 busy_area; /* the integral of services going on over each station's own progress */
    u128 work_done; /* demands of completed services, and what was done of the others */
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
