/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_PLAN_H
#define DUETIME_PLAN_H

/* The validated scenario, data only: every default filled, every duration in ns, every name
   resolved. The reader makes it, plan_free releases it, everyone else only looks. */

#include "models/variant.h"

#define UNLIMITED UINT64_MAX
#define NO_INDEX SIZE_MAX
#define REPLICAS_MOST 1000

/* What a disturbance strikes. */
enum target {
    TARGET_SERVER,    /* every replica */
    TARGET_REPLICA,   /* one of them */
    TARGET_BEHIND,    /* the second station */
    TARGET_NETWORK,   /* what is on its way to the server */
    TARGET_GENERATOR, /* the client's sender threads */
};

/* A disturbance over [begin, end): one-off, every `every_ns`, or at random. */
struct stall {
    const struct stall_type *mode;
    ns_t first_ns, every_ns /* 0: one-off */, last_ns;
    struct choice up, down; /* random: up first, then down, and again; type NULL: not random */
    struct ratio lost;      /* of a mode that slows: the share of the speed that is lost, (0, 1) */
    ns_t halves_ns;         /* that share halves each time this has passed; 0: it stays */
    enum target target;
    uint64_t replica; /* TARGET_REPLICA: which, from 0 */
};

/* CFS throttling: so much work in each period [k period, (k + 1) period), counted in ns of running
   workers; then everything stops until the next.  budget 0: none. */
struct quota {
    ns_t budget_ns, period_ns;
    bool shared; /* the client's sender threads spend the same budget, and stop with the server */
};

/* A second station, which every request passes after the first: a connection pool, a database.
   service.type NULL: none. */
struct behind {
    struct choice service;
    uint64_t workers; /* 1 .., or UNLIMITED */
    struct choice queue;
    bool keeps_worker; /* the first station's worker waits for it */
};

/* On the way to the server each attempt takes `delay` with that probability, else no time.
   delay.type NULL: none. */
struct network {
    struct choice delay;
    struct ratio probability;
};

struct server {
    struct choice service;
    uint64_t workers;     /* 1 .., or UNLIMITED */
    struct choice queue;  /* who is served next */
    uint64_t queue_limit; /* waiting requests, or UNLIMITED */
    struct stall *stalls;
    size_t stall_count;
    uint64_t replicas;            /* 1 ..: servers like this one, each with its own queue */
    struct choice routing;        /* which of them a request goes to */
    struct ratio load_dependence; /* each other request there makes a service that begins longer by
                                     this share; num 0: none */
    struct quota quota;
    struct behind behind;
    struct network network;
};

/* What a client does with copies of a request that nobody waits for any more. */
enum cancel { CANCEL_NONE, CANCEL_QUEUED /* those not begun */, CANCEL_IN_SERVICE /* all */ };

/* Sending costs the client: cost_ns of one of its threads a copy, first come first served.
   cost 0: nothing. */
struct generator {
    ns_t cost_ns;
    uint64_t threads; /* 1 .. */
};

/* Whose draw the work of a copy or part is. */
enum work_from { WORK_PER_ATTEMPT, WORK_PER_REQUEST /* all share one */ };

struct load_plan {
    char *name;
    struct choice kind;         /* open, closed, paced, sessions */
    ns_t timeout_ns;            /* after the send; 0: none */
    enum cancel timeout_cancel; /* what becomes of each copy that long after its own send */
    struct choice resend;       /* retry, hedge or tied; type NULL: one copy */
    bool idempotent;            /* false: a copy might do harm, so none is sent */
    enum work_from work;
    uint64_t fan_out;  /* parts of a request, each to another replica */
    uint64_t wait_for; /* answered when so many parts are; 0: all */
    struct generator generator;
    ns_t overhead_ns;    /* the client's own time for each answer, after it is back */
    size_t line, column; /* of its name in the file, from 1; 0: of no file */
};

enum instant { INSTANT_DUE, INSTANT_ACQUIRED, INSTANT_SENT, INSTANT_STARTED, INSTANT_FINISHED };

/* Parts of a response time that are no difference of two instants; together with send lag they make
   it up. */
enum part {
    PART_NONE,
    PART_QUEUE,   /* from send to start, less what of it was a stall */
    PART_STALL,   /* the server could not begin it, or stood still, or held its answer back */
    PART_SERVICE, /* from start to finish, less what of it was a stall */
};

/* A recorder's samples in groups, each with a histogram of its own; their merge is exact. */
enum per { PER_RUN, PER_WINDOW /* of due instants */, PER_CLIENT, PER_REPLICA };

/* How the groups make one figure. */
enum merge { MERGE_COUNTS, MERGE_AVERAGE /* of their percentiles: the mistake */ };

enum failures { FAILURES_DROPPED, FAILURES_TIMEOUT, FAILURES_END, FAILURES_INFINITE };

struct recorder_plan {
    char *name;
    size_t load; /* index into loads */
    enum instant from, to;
    enum part part; /* PART_NONE: from `from` to `to` */
    enum per per;
    ns_t window_ns; /* PER_WINDOW */
    enum merge merge;
    struct choice correction; /* type NULL: none */
    struct choice store;
    struct choice rank;
    enum failures failures;
    ns_t warmup_ns; /* requests due before it are not recorded */
    size_t truth;   /* the load whose schedule is the user's truth; NO_INDEX: the recorder's own */
};

enum start { START_DEFAULT, START_EMPTY, START_STATIONARY };

struct run_plan {
    uint64_t requests;     /* 0: the duration alone ends the run */
    ns_t duration_ns;      /* 0: the requests alone end the run */
    ns_t warmup_ns;        /* default of the recorders' */
    uint64_t replications; /* 0: the default, 1 when deterministic, else 32 */
    uint64_t seed;
    enum start start;
    ns_t cut_ns; /* 0: every request is followed to its end */
    /* Sizing the run from a pilot: requests such that the detectable error of this percentile is
       within this share of it, both in (0, 1); num 0: not asked. */
    struct ratio detect_p, detect_within;
};

#define PERCENTILE_TEXT 64

struct percentile {
    struct ratio p;             /* in [0, 1] */
    char text[PERCENTILE_TEXT]; /* without trailing zeros: "99.9" */
};

struct threshold {
    ns_t ns;
    char *text; /* as written: "1ms" */
};

enum unit { UNIT_AUTO, UNIT_NS, UNIT_US, UNIT_MS, UNIT_S, UNIT_MIN };

struct report_plan {
    struct percentile *percentiles;
    size_t percentile_count;
    struct choice rank; /* default of the recorders' */
    struct threshold *above;
    size_t above_count;
    enum unit unit;
};

/* A figure that the scenario itself states.  Numbers are exact: values in thousandths of a ns for
   times, thousandths for counts and shares. */
struct expectation {
    bool of_load;     /* a load's figure, else a recorder's */
    size_t subject;   /* index */
    char *figure;     /* "p99", "max", "count", "above 1ms", "sent", "stalls" ... */
    char *text;       /* the value as written */
    i128 milli;       /* the value times 1000: of ns for a time, of the number otherwise */
    bool is_duration; /* written with a unit */
    bool is_null;     /* null: the figure must be unknown */
    bool is_share;    /* written as a percentage: "16.6028%" is share 166028 with 4 decimals */
    unsigned decimals;
    uint64_t share;
};

/* One path that takes several values in turn; every combination of all paths is a run. */
struct sweep {
    char *path;
    char **values; /* JSON texts */
    size_t value_count;
};

struct plan {
    char *file;      /* as given on the command line, "-" for standard input */
    char sha256[65]; /* of the scenario's bytes */
    char *title;
    char **about;
    size_t about_count;
    char **claims;
    size_t claim_count;
    struct server server;
    struct load_plan *loads;
    size_t load_count;
    struct recorder_plan *recorders;
    size_t recorder_count;
    struct run_plan run;
    struct report_plan report;
    struct expectation *expectations;
    size_t expectation_count;
    struct sweep *sweeps;
    size_t sweep_count;
    struct choice experiment; /* type NULL: none */
};

void plan_free(struct plan *plan);

#endif
