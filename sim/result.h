/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_RESULT_H
#define DUETIME_RESULT_H

/* What a run found, complete: writers print it and compute nothing but units. */

#include "models/plan.h"
#include "sim/engine.h"

/* A figure that may be unknown and may be no whole number. */
enum figure_kind { FIGURE_UNKNOWN, FIGURE_EXACT, FIGURE_REAL };
struct figure {
    enum figure_kind kind;
    struct quantity exact; /* FIGURE_EXACT, ns and thousandths */
    double real;           /* FIGURE_REAL, ns: laws of statistical checks, means */
};

enum check { CHECK_NONE, CHECK_EXACT, CHECK_STATISTICAL, CHECK_TOO_FEW };
enum verdict { VERDICT_UNKNOWN, VERDICT_HOLDS, VERDICT_FAILS };

/* One percentile of one recorder. */
struct cell {
    struct figure
        value; /* unknown: no sample, or beyond what the store or a timeout lets one know */
    struct figure at_least; /* where the value is only known from below */
    bool infinite;          /* the rank falls on a failure that counts as infinite */
    struct figure law;
    enum check check;
    enum verdict holds;
    char *why;         /* of check none and too-few, and of a failure; may be NULL */
    double detectable; /* relative; NAN: null */
    double clusters;   /* expected clusters beyond the percentile; NAN: not statistical */
    double p_value;    /* of the reported run; NAN: not statistical */
    struct figure truth;
    double ratio; /* value / truth; NAN: unknown */
    /* 95 % interval of the percentile, from independent replications and never from the samples of
       one run as if they were independent; each end on its own may be unknown. */
    struct figure low, high;
    const char *interval_why; /* why an end is unknown; NULL: both are there */
    char *interval_found;     /* owned: the same where it was found in this run; else NULL */
    double wander; /* how far a percentile of so many samples wanders: its relative standard
                      error by the law; NAN: not known */
};

struct above_result {
    uint64_t count;
    double share;            /* NAN when there are no samples */
    struct figure law_count; /* exact laws only: count in .exact.ns */
    enum verdict holds;
};

/* Exact 128-bit sums, with a law's beside it. */
struct sum_result {
    bool known;
    u128 ns;
};

/* One window, client or replica of a recorder that keeps them apart. */
struct group_cell {
    struct figure value, at_least; /* as a cell's */
    bool infinite;
};

struct group_result {
    char *label; /* "1s to 2s", "client 3", "replica 0" */
    uint64_t index, count;
    struct group_cell *cells; /* one a percentile of the plan */
};

struct recorder_result {
    uint64_t count; /* samples, added ones included */
    uint64_t added;
    uint64_t excluded;   /* failures that were dropped */
    uint64_t from_below; /* of count: known from below only, and with them max, mean and sum */
    bool min_from_below; /* and the minimum too */
    struct figure min, max, mean;
    struct sum_result sum;
    struct cell *cells;         /* one a percentile of the plan */
    struct above_result *above; /* one a threshold of the plan */
    const char *law_name;       /* NULL: no law */
    const char *truth_name;     /* law of the user's truth, or NULL */
    char *law_why;              /* why there is no law; NULL where there is */
    char *law_note;             /* what else follows from the law (the extra load, say), or NULL */
    /* the whole-recorder figures against an exact law */
    enum check tally_check;
    enum verdict tally_holds; /* count, sum, min, max, mean together */
    char *tally_why;
    struct figure law_mean, law_max;             /* and what the law says */
    struct figure law_count, law_added, law_min; /* of exact laws; counts in .exact.ns */
    struct sum_result law_sum;                   /* of exact laws */
    struct group_result *groups;                 /* those with samples, in order */
    size_t group_count;
    char *group_text;      /* "per window of 1s", "average over clients"; NULL: no groups */
    char *correction_text; /* "hdr, every 200us: valid if ..." or NULL */
    char *store_text, *rank_text;
    char **warnings;
    size_t warning_count;
};

struct load_result {
    double offered_per_s;  /* NAN: null (closed) */
    double achieved_per_s; /* NAN: unknown */
    double answered_per_s; /* all answers over the time of the last one; NAN: none */
    double
        goodput_per_s; /* of the requests due in the window, those answered at all; NAN: unknown */
    uint64_t sent, answered, timed_out, refused, dropped, in_flight_at_end, in_flight_max;
    uint64_t attempts;               /* copies sent, at least one a request */
    double amplification;            /* attempts a request; NAN: nothing was sent */
    uint64_t withheld;               /* copies that the budget refused */
    uint64_t cancelled;              /* copies taken back before they were served */
    uint64_t wasted;                 /* copies served to the end for a request that was over */
    uint64_t throttled;              /* quota periods in which a server was stopped ... */
    uint64_t periods;                /* ... and all of them */
    double utilisation[STAGE_COUNT]; /* share of the time of its workers; NAN: there is no such
                                        stage, or no limit to its workers */
    ns_t lag_p99_ns;                 /* of the send lags, to about 3 digits */
    double in_flight_mean;           /* NAN: unknown */
    ns_t settle_ns; /* run before anything is recorded, until the state is stationary */
    uint64_t stalls;
    ns_t last_answer_ns;
    bool has_answer;
    bool random; /* something about it or the server is drawn */
    char *text;  /* "paced 5000/s, 1 connection, catch-up" */
};

struct identity_result {
    const char *name;
    size_t load;
    bool holds;
    char *why; /* both sides, when it does not hold */
};

struct gate_result {
    const char *name;
    size_t load;     /* NO_INDEX: of no load */
    size_t recorder; /* NO_INDEX: of no recorder */
    bool passes;
    char *reason; /* statistic, threshold, meaning */
};

struct expect_result {
    const struct expectation *expectation;
    char *found; /* as text; "null" when unknown */
    bool holds;
};

struct result {
    const struct plan *plan; /* borrowed */
    uint64_t replications;
    const char *start; /* "empty" or "stationary" */
    char *server_text; /* the server in one line */
    char *sizing;      /* how the run's length was chosen, in words; NULL: it was given */
    struct load_result *loads;
    struct recorder_result *recorders;
    struct identity_result *identities;
    size_t identity_count;
    struct gate_result *gates;
    size_t gate_count;
    struct expect_result *expects;
    size_t expect_count;
    enum verdict holds; /* unknown: nothing was judged */
    bool law_only;      /* no run was made: values are unknown, laws are filled */
    bool interrupted;
};

struct result *result_new(const struct plan *plan);
void result_free(struct result *result);

#endif
