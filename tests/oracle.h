/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_TESTS_ORACLE_H
#define DUETIME_TESTS_ORACLE_H

/* What one load of a scenario does, the slow and obvious way: at every step the next thing that
   happens is looked for among everything that could, and work is counted in exact fractions.  It
   shares no code with the engine and is the definition of the semantics that the engine is held
   against. */

#include "models/base/batch.h"
#include "models/plan.h"

/* The stations of a copy's way, in order. */
enum leg { LEG_GENERATOR, LEG_NETWORK, LEG_SERVER, LEG_BEHIND, LEG_CLIENT };
#define LEG_COUNT (LEG_CLIENT + 1)

struct oracle_question {
    const struct plan *plan;
    size_t load; /* index into plan->loads */
    uint32_t run, replication;
    /* Work of the load's earlier requests, there at time 0 in queue order and not reported;
       borrowed. They hold window slots; the last of them hold the connections of a paced load; of a
       closed load there is one a client. */
    const ns_t *jobs_ns;
    const size_t *jobs_station; /* the replica of each; borrowed; NULL: the first */
    size_t job_count;
};

/* One request that was sent; all instants in ns, as in models/base/batch.h.  started is that of the
   copy or part whose answer ended the request; of one given up, that of the last to be served
   or broken off, else finished; where a cut leaves copies behind, that of the last sent among those
   begun, or the cut itself. ended is when the last copy left the last of its stations. */
struct oracle_row {
    uint64_t number;
    ns_t due, acquired, sent, started, finished, ended;
    enum status status;
    uint64_t client, replica;
    ns_t waited_stalled, served_stalled, waited_behind;
};

struct oracle_answer {
    struct oracle_row *rows; /* by number; owned: oracle_free */
    size_t count;
    uint64_t claimed; /* slots that count, dropped ones included */
    uint64_t dropped;
    uint64_t in_flight_max; /* jobs there at time 0 included, refused requests not */
    u128 in_flight_ns;      /* the number in flight, integrated over time */
    u128 work_ns;           /* done at all stations together, up to whole instants; rounded down */
    u128 running_ns[LEG_COUNT]; /* workers that run, integrated over time; rounded down */
    uint64_t attempts;          /* copies and parts sent, refused ones included */
    uint64_t withheld;          /* copies that the budget refused */
    uint64_t cancelled;         /* copies taken back */
    uint64_t wasted;            /* copies that came to their end for a request that was over */
    uint64_t throttled;         /* periods of a quota in which it stopped something */
    uint64_t periods;           /* of a quota, begun by the last answer, over all replicas */
    uint64_t stalls;            /* of the union of all, that begin before the last answer */
    bool has_answer;
    ns_t last_answer;
    bool has_window_end; /* a slot or send came that no longer counts: */
    ns_t window_end;     /* the first such instant, or the duration where that is earlier */
};

void oracle_run(const struct oracle_question *question, struct oracle_answer *out);
void oracle_free(struct oracle_answer *answer);

#endif
