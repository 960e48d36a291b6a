/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_LATE_H
#define DUETIME_LATE_H

/* What a paced connection does about slots that fell due while it waited for an answer. */

#include "models/arrivals/arrivals.h"

/* One connection of a paced load, as a policy sees it. */
struct connection {
    struct pace pace; /* of the whole load */
    uint64_t stride;  /* connections: the slot after this one is `stride` later */
    uint64_t slot;    /* its next slot */
    ns_t shift_ns;    /* how far its schedule has been moved */
    ns_t sent_ns;     /* its last send */
    bool has_sent;
};

/* What a free connection does with its next slots: gives the first `drop_before` up, sends the
   next, gives `drop_after` more up. */
struct late_step {
    uint64_t drop_before;
    ns_t due_ns;  /* of the one it sends */
    ns_t send_ns; /* not before due_ns, nor before now */
    uint64_t drop_after;
};

struct late_type {
    struct variant is;
    struct late_step (*next)(const void *params, struct connection *connection, ns_t now_ns);
};

/* The first slot at or after `slot`, in strides, that is due at now_ns or later, less `slot`, in
   strides: how many of the connection's slots were missed. */
uint64_t late_missed(const struct connection *connection, uint64_t slot, ns_t now_ns);

static inline const struct late_type *late_policy(struct choice c)
{
    return (const struct late_type *)(const void *)c.type;
}

/* catch-up: factor 0 is "back to back"; else a connection sends no sooner than
   floor(its interval / factor) ns after its last send. */
struct catch_up {
    struct ratio factor;
};

extern const struct late_type late_catch_up;
extern const struct late_type late_skip;
extern const struct late_type late_coalesce;
extern const struct late_type late_rebase;

#endif
