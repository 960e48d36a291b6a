/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_ARRIVALS_H
#define DUETIME_ARRIVALS_H

/* When requests are due.  A new arrival process is one file here and one name in meson.build. */

#include "models/base/random.h"
#include "models/variant.h"

/* The mean interval between due instants, exactly: num/den ns. */
struct pace {
    uint64_t num, den;
};

/* From a rate per second (rate.num > 0) or else an exact interval. */
struct pace pace_of(struct ratio rate_per_s, ns_t every_ns);

/* "5000/s" or "every 200us".  Owned by the caller. */
char *pace_describe(struct ratio rate_per_s, ns_t every_ns);

static inline double pace_mean_ns(struct pace pace)
{
    return (double)pace.num / (double)pace.den;
}

/* Due instant i of an even schedule: floor(i * num / den), the first at 0; NS_LIMIT where it lies
   beyond the clock. */
static inline ns_t pace_due(struct pace pace, uint64_t i)
{
    u128 due_ns = (u128)i * pace.num / pace.den;
    return due_ns < NS_LIMIT ? (ns_t)due_ns : NS_LIMIT;
}

/* Where a process stands: the next due instants come from here.  Zero but for pace and stream
   before the first. */
struct arrival_cursor {
    struct pace pace;
    struct stream stream;
    uint64_t next; /* index of the next due instant */
    ns_t last_ns;  /* due instant next-1; 0 before the first */
    u128 passed;   /* of a process that is random in another measure than time: how much of it is
                      over, in that process's own unit */
};

/* How requests follow one another in such a measure. */
enum spacing { SPACING_EVEN, SPACING_POISSON };
extern const char *const spacing_words[];

/* An amount of requests, as the integral of a rate is one, in 2^-32 of a request. */
#define AMOUNT_BITS 32

/* Writes the amounts at which the next `count` requests are due: i of request i where they are
   even, else sums of exponential draws of mean 1, the first request after one.  Moves
   cursor->passed, where they are random, and nothing else. */
void amounts_draw(enum spacing spacing, struct arrival_cursor *cursor, u128 *out, size_t count);

/* floor(amount * scale), scale in units a request and below 2^96; the result must fit. */
static inline u128 amount_scaled(u128 amount, u128 scale)
{
    uint64_t part = (uint64_t)amount & ((UINT64_C(1) << AMOUNT_BITS) - 1);
    return (amount >> AMOUNT_BITS) * scale + (part * scale >> AMOUNT_BITS);
}

struct arrivals_type {
    struct variant is;
    bool random; /* where is_random is NULL */
    bool (*is_random)(const void *params);
    bool paced;                                /* needs a rate or an interval */
    double (*mean_gap_ns)(const void *params); /* of one that is not paced; NULL: a list, as long as
                                                  it is */

    /* Of one that is paced: NULL, or why these parameters are impossible at that pace.  NULL: none
       are. */
    const char *(*refuses_pace)(const void *params, struct pace pace);

    /* Whether it comes to an end by itself; NULL: never. */
    bool (*ends)(const void *params);

    /* Of one with rates of its own: a few words instead of the pace, owned by the caller. */
    char *(*describe)(const void *params);

    /* Writes the next due instants, non-decreasing, at most count; fewer when the process ends. */
    size_t (*due)(const void *params, struct arrival_cursor *cursor, ns_t *out_ns, size_t count);
};

static inline const struct arrivals_type *arrivals(struct choice c)
{
    return (const struct arrivals_type *)(const void *)c.type;
}

static inline bool arrivals_random(struct choice c)
{
    const struct arrivals_type *type = arrivals(c);
    return type->is_random != NULL ? type->is_random(c.params) : type->random;
}

static inline bool arrivals_end(struct choice c)
{
    const struct arrivals_type *type = arrivals(c);
    return type->ends != NULL && type->ends(c.params);
}

/* NULL, or why these arrivals are impossible at that pace, which they need. */
const char *arrivals_refuse_pace(struct choice c, struct ratio rate_per_s, ns_t every_ns);

/* Their pace in a few words: "5000/s", "as listed".  Owned by the caller. */
char *arrivals_describe(struct choice c, struct ratio rate_per_s, ns_t every_ns);

/* Parameters that laws read. */
struct times {
    struct durations at; /* non-decreasing, at least one */
};

struct gaps {
    struct choice gap; /* a distribution: independent gaps, the first request after one */
};

/* Request i is due at its even instant and a whole number of ns in [0, jitter) more. */
struct jittered {
    ns_t jitter_ns;
};

/* `size` requests at a time, `apart_ns` from one to the next.  Bursts begin evenly, or the time
   from the end of one to the next is exponential; the mean rate is the load's. */
struct bursts {
    uint64_t size;
    ns_t apart_ns;
    bool random;
};

/* Requests are due in [k (on + off), k (on + off) + on) alone, there at (on + off)/on times the
   load's rate. */
struct on_off {
    ns_t on_ns, off_ns;
    unsigned spacing; /* enum spacing */
};

struct phase {
    struct ratio rate_per_s; /* 0: a pause */
    ns_t for_ns;
};

/* One rate after another. */
struct steps {
    struct item_list phases; /* of struct phase */
    unsigned spacing;        /* enum spacing */
};

/* The rate goes from one to another in a straight line, and stays there. */
struct ramp {
    struct ratio from_per_s, to_per_s;
    ns_t over_ns;
    unsigned spacing; /* enum spacing */
};

extern const struct arrivals_type arrivals_even;
extern const struct arrivals_type arrivals_poisson;
extern const struct arrivals_type arrivals_times;
extern const struct arrivals_type arrivals_gaps;
extern const struct arrivals_type arrivals_jittered;
extern const struct arrivals_type arrivals_bursts;
extern const struct arrivals_type arrivals_on_off;
extern const struct arrivals_type arrivals_steps;
extern const struct arrivals_type arrivals_ramp;

#endif
