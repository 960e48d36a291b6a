/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_SCHEDULER_H
#define DUETIME_SCHEDULER_H

/* Ways in which people's send loops are wrong.  A new one is one file here and one name in
   meson.build: it twists the right manner of sending, and sim/conform/schedule_loop.c sends like
   that. */

#include "models/arrivals/arrivals.h"
#include "models/policies/late.h"
#include "models/variant.h"

/* What a scheduler is asked to keep to. */
struct offered {
    bool paced;              /* connections that wait for their answers; else open */
    bool random;             /* open: Poisson arrivals; else every due instant is known */
    struct pace pace;        /* the mean interval between slots; den 0: listed instants alone */
    struct ratio rate_per_s; /* as the scenario gives it; num 0: by its interval */
    const ns_t *listed_ns;   /* not even: every due instant, owned; NULL: even, or random */
    uint64_t slots;          /* how many there are */
    uint64_t requests;       /* 0: the duration alone ends them */
    ns_t duration_ns;        /* 0: the requests alone */
    uint64_t connections;    /* of a paced load; else 1 */
    struct choice late;      /* of a paced load; borrowed */
    uint64_t window;         /* in flight at most, of an open load; UINT64_MAX: no limit */
};

enum grain_way { GRAIN_DOWN, GRAIN_NEAREST, GRAIN_UP };

/* From what the next due instant follows. */
enum base {
    BASE_SCHEDULE, /* from the slot's index */
    BASE_SENT,     /* an interval after the last send */
    BASE_REPLY,    /* an interval after the last answer */
};

/* A way of sending: independent senders, each with slots of its own.  Slot k of sender j stands at
   index from + j * spread + k * stride of the pace and has number j + k * senders. */
struct manner {
    uint64_t senders, stride, spread;
    struct pace pace;
    const ns_t *listed_ns; /* instead of the pace; borrowed */
    uint64_t from;         /* index of the first slot of sender 0: 0 */
    ns_t grain_ns;         /* due instants are multiples of it, rounded that way; 0: any */
    enum grain_way way;
    ns_t tick_ns; /* sends happen at multiples of it; 0: whenever they are due */
    enum grain_way tick_way;
    enum base base;
    bool claims_now;    /* says that a request was due when it is sent */
    bool waits;         /* a sender awaits its answer before it sends again */
    struct choice late; /* of those that wait: what becomes of missed slots */
    uint64_t window;    /* of those that do not: in flight at most */
    bool renumbers;     /* slots given up take no number */
    uint64_t requests;  /* as in struct offered */
    ns_t duration_ns;
    bool includes_end; /* a slot due at duration_ns belongs to the run */
    ns_t gives_up_ns;  /* nothing is sent at or after it; 0: never */
};

/* A kind of fault, with what it may be wrong by. */
struct scheduler_type {
    struct variant is;
    const char *item; /* where it is told of: "FR-33", "wrk2" ... */
    /* In how many ways one can go wrong like that: 0, 1 ...; 0 where it is known by its looks. */
    size_t ways;
    /* *manner comes in right.  False: that way of going wrong has no place under this load. */
    bool (*twists)(const struct offered *offered, size_t way, struct manner *manner);
};

static inline const struct scheduler_type *scheduler(const struct variant *type)
{
    return (const struct scheduler_type *)(const void *)type;
}

/* The interval between two slots of one sender, rounded down. */
static inline ns_t manner_interval_ns(const struct manner *m)
{
    u128 ns = m->pace.den == 0 ? 0 : (u128)m->stride * m->pace.num / m->pace.den;
    return ns < NS_LIMIT ? (ns_t)ns : NS_LIMIT;
}

#endif
