/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_LAW_H
#define DUETIME_LAW_H

/* Closed forms of what a recorder must report.  A law sees the plan and nothing of the engine.
   It answers in one of two shapes: the exact multiset of values (deterministic scenarios), or a
   distribution function (random ones). */

#include "models/corrections/correction.h"
#include "models/laws/multiset.h"
#include "models/plan.h"

#define LAW_WHY_SIZE 200
#define LAW_NOTE_SIZE 200

/* What is asked: the law of (to - from) for the requests of this load on this server. */
struct law_question {
    const struct server *server;
    const struct load_plan *load;
    const struct run_plan *run;
    enum instant from, to;
    ns_t warmup_ns;         /* requests due before it are left out */
    enum failures failures; /* what becomes of requests that are not answered */
    enum part part;         /* PART_NONE: from `from` to `to` */
    enum merge merge;
};

/* A distribution of durations in ns, x real.  tail(x) = P(V > x), to a relative 1e-12 or better
   where it is above 1e-300. */
struct law_distribution {
    double (*tail)(const struct law_distribution *d, double x_ns);
    double (*tail_from)(const struct law_distribution *d, double x_ns); /* P(V >= x); NULL: tail */
    /* Variance inflation of the empirical distribution at level p, n Var(F_n) / (p q) for large n;
       NULL where it is not known. */
    double (*inflation)(const struct law_distribution *d, double p, double q);
    /* Something it does not exceed, where the inflation itself is not known: what the number of
       clusters is judged by.  May be NULL. */
    double (*inflation_bound)(const struct law_distribution *d, double p, double q);
    double mean_ns;
    bool costly; /* a tail takes so long that no correction of it can be summed */
    double parameters[8];
    double *table; /* owned; may be NULL */
    size_t table_count;
    struct law_distribution *under; /* owned: one that this stands on; may be NULL */
    void *lent;                     /* owned: what `under` borrows; may be NULL */
    char note[LAW_NOTE_SIZE]; /* what else follows, a sentence (the extra load, say), or empty */
};

/* The state a run must start in for the law to hold from the first recorded request on. */
enum start_state {
    STATE_NONE,      /* the law gives no stationary start */
    STATE_RESIDUALS, /* a geometric number of residual services: P(N >= k) = probability^k */
    STATE_EPOCH,     /* those and a whole service: an unrecorded arrival at time 0 */
    STATE_CLIENTS,   /* a closed load's clients all at the server, in order */
    STATE_IDLE,      /* the server idle when the first request is sent: an empty start, say */
    STATE_ANY,       /* every start does */
    STATE_SETTLED,   /* no closed form of the state: requests due in the first settle_ns of an empty
                        start are not recorded, after which the state is stationary to within 1e-12
                        in total variation (with periodic stalls: at the phase of time 0) */
};

struct start_law {
    enum start_state state;
    double probability; /* STATE_RESIDUALS and STATE_EPOCH: a multiple of 2^-40 */
    ns_t settle_ns;     /* STATE_SETTLED: with periodic stalls a whole number of periods */
};

/* How a refusal begins when the scenario is of another kind altogether, so that law_find can tell
   the law that nearly fitted, whose reason is the useful one. */
#define LAW_ELSEWHERE "This law is about "

struct law;

struct law_type {
    struct variant is; /* name and what it says; no fields */
    const char *formula, *symbols, *domain, *source, *check;

    /* Mechanisms that it reckons with, bits of models/laws/mechanisms.h: it is not asked where
       others are in use. */
    uint64_t knows;

    /* Exactly one of the three.  Each returns false with a reason in words when the question is
       outside the law's domain; *out is then untouched. */
    bool (*exact)(const struct law_question *q, struct multiset *out, char why[LAW_WHY_SIZE]);
    bool (*distribution)(const struct law_question *q, struct law_distribution *out,
                         struct start_law *start, char why[LAW_WHY_SIZE]);
    /* By the law of another question, in its shape. */
    bool (*by_another)(const struct law_question *q, struct law *out, char why[LAW_WHY_SIZE]);
};

enum law_shape { LAW_NONE, LAW_EXACT, LAW_RANDOM };

struct law {
    enum law_shape shape;
    const struct law_type *type;          /* NULL for LAW_NONE */
    struct multiset values;               /* LAW_EXACT */
    struct law_distribution distribution; /* LAW_RANDOM */
    struct start_law start;               /* LAW_RANDOM */
    struct correction_rule rule; /* interval 0, as law_find leaves it: raw values; the caller's */
    char why[LAW_WHY_SIZE];      /* LAW_NONE: why there is none */
    size_t *owners;              /* of the distribution; NULL: this one alone */
};

/* Writes a refusal, a whole sentence, into why; always false, for `return law_refuses(why, ...)`.
 */
bool law_refuses(char why[LAW_WHY_SIZE], const char *sentence);

/* The first law, in the order of the build list, whose domain holds the question. */
void law_find(const struct law_question *q, struct law *out);
void law_free(struct law *law);

/* Of a LAW_RANDOM, corrected by its rule.  All x in whole ns, durations rounded to whole ns.
   Corrected shares are ratios of expectations per request: samples at most x over samples. */
double law_cdf(const struct law *law, ns_t x_ns);      /* share of samples <= x */
double law_tail(const struct law *law, ns_t x_ns);     /* share of samples > x */
double law_mean(const struct law *law);                /* in ns */
double law_samples_per_request(const struct law *law); /* 1 without a correction */
bool law_atom(const struct law *law, ns_t x_ns);       /* x carries probability of its own */

/* Smallest whole x with cdf(x) >= p, equal to a relative 1e-12 counting as equal; smallest x that
   doubles can tell from impossible for p = 0; NS_LIMIT for p = 1, which no law bounds. */
ns_t law_percentile(const struct law *law, struct ratio p);

/* The real x with tail(x) = 1 - p, to a relative 1e-12; at an atom the atom; infinite for p = 1. */
double law_quantile(const struct law *law, struct ratio p);

/* The real x beyond which lies a share q of the samples, 0 < q < 1. */
double law_quantile_beyond(const struct law *law, double q);

/* Checked against every law's text: all laws, for `list laws`. */
extern const struct law_type *const law_list[];
extern const size_t law_list_count;

#endif
