/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_QUEUE_H
#define DUETIME_QUEUE_H

/* Who is served next.  A new discipline is one file here and one name in meson.build. */

#include "models/base/random.h"
#include "models/variant.h"

/* Those that wait, as indices of the engine's; how they lie is the discipline's own affair.  All
   zeros is an empty one, free(items) releases it. */
struct waiting {
    struct waiter {
        size_t index;
        ns_t work_ns;  /* its demand */
        uint64_t turn; /* counts up: who came first */
    } * items;
    size_t head, count, capacity; /* capacity a power of two */
    uint64_t turns;
};

struct queue_type {
    struct variant is;
    bool random;
    /* One that comes at the instant a worker is free may go before those that wait: starts wait for
       the end of the instant.  Else they come before timers and sends. */
    bool late;
    /* Nobody waits for a worker: all are served at once, c workers shared by n requests, each at
       min(1, c/n) of full speed. */
    bool shares;
    void (*push)(struct waiting *waiting, size_t index, ns_t work_ns);
    /* Takes one out; count > 0.  word: 64 fresh random bits where the discipline is random. */
    size_t (*pop)(struct waiting *waiting, uint64_t word);
    /* Takes this one out.  NULL: it may stay, and is passed over when its turn comes. */
    void (*remove)(struct waiting *waiting, size_t index);
};

static inline const struct queue_type *queue_kind(struct choice c)
{
    return (const struct queue_type *)(const void *)c.type;
}

/* For the disciplines: at the back of a ring, from its front, from its back. */
void waiting_push(struct waiting *waiting, size_t index, ns_t work_ns);
size_t waiting_pop_front(struct waiting *waiting, uint64_t word);
size_t waiting_pop_back(struct waiting *waiting, uint64_t word);

extern const struct queue_type queue_fifo;
extern const struct queue_type queue_lifo;
extern const struct queue_type queue_random;
extern const struct queue_type queue_shortest;
extern const struct queue_type queue_processor_sharing;

#endif
