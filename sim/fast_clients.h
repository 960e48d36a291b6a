/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_FAST_CLIENTS_H
#define DUETIME_FAST_CLIENTS_H

/* Which client of a closed load sends next. */

#include <stdlib.h>

#include "sim/fast_parts.h"
#include "sim/wheel.h"

struct fast_clients {
    /* Those that wait to send, the first to be answered first; of size 0: nobody asks who. */
    uint64_t *ring; /* owned */
    uint64_t size, first, end;
    /* Where they return in another order: all of them, by the instant of their next send; at one
       instant those before their first send first, then by the number of their latest. */
    struct wheel returns;
};

static inline void free_client(struct fast_clients *c, uint64_t client)
{
    if (c->size == 0)
        return;
    c->ring[c->end++] = client;
    c->end = c->end == c->size ? 0 : c->end;
}

static inline uint64_t next_client(struct fast_clients *c)
{
    if (c->size == 0)
        return 0;
    uint64_t client = c->ring[c->first++];
    c->first = c->first == c->size ? 0 : c->first;
    return client;
}

static inline void clients_open(struct fast_clients *c, const struct fast *f)
{
    const struct senders *s = &f->senders;
    bool there = f->request->initial.count > 0; /* they send once they are served */
    for (uint64_t k = 0; k < s->lag && s->returns && !there; k++)
        wheel_push(&c->returns, (struct turn){k * s->stagger_ns, k});
    if (!s->closed || s->returns || (f->request->wants & WANTS_CLIENT) == 0)
        return;
    c->size = s->lag;
    c->ring = must_alloc((size_t)s->lag, sizeof *c->ring);
    for (uint64_t k = 0; k < s->lag && !there; k++)
        free_client(c, k);
}

static inline void clients_close(struct fast_clients *c)
{
    free(c->ring);
    wheel_free(&c->returns);
}

#endif
