/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_LOAD_H
#define DUETIME_LOAD_H

/* Who sends and when.  A new load is one file here and one name in meson.build. */

#include "models/arrivals/arrivals.h"
#include "models/distributions/distribution.h"

/* What the engine offers a load; the engine defines it (sim/engine.c). */
struct sim;
ns_t sim_now(const struct sim *sim);
struct stream sim_stream(const struct sim *sim, enum purpose purpose);

/* Claims the slot of that request number, due at due_ns.  False, and nothing claimed, when the run
   ends before it: the load then has no more slots on this schedule. */
bool sim_claim(struct sim *sim, uint64_t number, ns_t due_ns);

/* Sends a claimed request now.  due_ns <= acquired_ns <= now. */
void sim_send(struct sim *sim, uint64_t number, ns_t due_ns, ns_t acquired_ns, uint64_t client);

/* Claims and gives up slots first, first + stride, ... of an even schedule, `slots` of them or as
   many as the run has: how many.  They are counted as dropped and never sent. */
uint64_t sim_drop(struct sim *sim, struct pace pace, uint64_t first, uint64_t stride,
                  uint64_t slots);

/* Calls wake(client) at at_ns, after everything else of that instant but in the order of `order`
   (the request number about to be sent, where it is known). */
void sim_wake(struct sim *sim, ns_t at_ns, uint64_t order, uint64_t client);

/* Both at once, as most loads want it: claims the slot and wakes the client when it is due, or now
   if that is past. */
bool sim_plan(struct sim *sim, uint64_t number, ns_t due_ns, uint64_t client);

/* Parameters: laws read them. */
struct open_load {
    struct ratio rate_per_s;
    ns_t every_ns;
    struct choice arrivals;
    uint64_t max_in_flight; /* UNLIMITED: none */
};

struct closed_load {
    uint64_t clients;
    struct choice think;
    ns_t stagger_ns;
};

struct paced_load {
    struct ratio rate_per_s;
    ns_t every_ns;
    uint64_t connections;
    struct choice late; /* a policy of models/policies */
};

struct load_type {
    struct variant is;
    size_t (*state_size)(const void *params);
    bool (*random)(const void *params);

    /* Time 0, with so many of the load's earlier requests still unanswered: of a closed load none
       or one a client; of the others those behind a limit hold it. */
    void (*start)(void *state, const void *params, struct sim *sim, uint64_t initial);
    void (*wake)(void *state, const void *params, struct sim *sim, uint64_t client);

    /* The client has its answer, or gave the request up. */
    void (*done)(void *state, const void *params, struct sim *sim, uint64_t number,
                 uint64_t client);

    /* The k-th of those earlier requests has its answer. */
    void (*initial_done)(void *state, const void *params, struct sim *sim, uint64_t k);

    /* Of a load that may send when due whatever becomes of its requests; NULL, or false: not with
       these parameters.  Then the engine may ask for the due instants themselves instead of what
       start() and wake() and done() do: requests 0, 1, ... of client 0, in order, at most count;
       fewer when the schedule ends. */
    bool (*heedless)(const void *params);
    void (*open)(void *state, const void *params, struct sim *sim);
    size_t (*due)(void *state, const void *params, ns_t *out_ns, size_t count);

    /* Releases what the state owns; NULL: nothing. */
    void (*finish)(void *state);

    /* The user's side of it: an open load with the same due instants and no limit, its choices
       borrowed.  False: the load offers no rate of its own. */
    bool (*offers)(const void *params, struct open_load *out);

    /* Requests in flight at most; 0: no limit. */
    uint64_t (*in_flight_limit)(const void *params);

    /* About how long from one send to the next, given the mean service and the workers, in ns; 0
       where only the run will tell. */
    double (*interval_ns)(const void *params, double service_ns, uint64_t workers);

    /* A few words for the head of a table: "open 5000/s, even".  Owned by the caller. */
    char *(*describe)(const void *params);
};

static inline const struct load_type *load_kind(struct choice c)
{
    return (const struct load_type *)(const void *)c.type;
}

/* Sessions arrive; each is a client that sends `requests` times, thinking in between, and leaves.
 */
struct sessions_load {
    struct ratio rate_per_s; /* of sessions */
    ns_t every_ns;
    struct choice arrivals; /* of sessions */
    uint64_t requests;      /* of a session */
    struct choice think;
};

extern const struct load_type load_open;
extern const struct load_type load_closed;
extern const struct load_type load_paced;
extern const struct load_type load_sessions;

#endif
