/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_FAST_WORKERS_H
#define DUETIME_FAST_WORKERS_H

/* Services that go on, in the order of their ends; of those that end together the first to begin is
   first.  A few stand in an array that moves on by one place with each that is over. */

#include <stdlib.h>
#include <string.h>

#include "models/base/batch.h"
#include "models/base/wide.h"
#include "sim/queue_kernels.h"
#include "sim/wheel.h"

/* A request in service, or before it. */
struct slot {
    ns_t due_ns, sent_ns, started_ns;
    uint32_t client;
    bool is_row; /* else an initial job */
};

struct workers {
    uint64_t most;      /* there are so many */
    size_t called;      /* so many have ever been busy at once: one is called if all of these are */
    struct slot *slots; /* owned; each one's request */
    size_t slot_room;
    struct turn *few; /* owned; NULL where there are many */
    size_t first;     /* of the few */
    struct wheel many;
};

static inline void workers_open(struct workers *w, uint64_t most)
{
    w->most = most;
    if (most <= CREW_LARGE)
        w->few = must_alloc(CREW_LARGE + BATCH_ROWS, sizeof *w->few);
}

static inline void workers_close(struct workers *w)
{
    free(w->few);
    free(w->slots);
    wheel_free(&w->many);
}

/* From now on the first BATCH_ROWS of the few may be over. */
static inline void workers_rewind(struct workers *w)
{
    if (w->few != NULL && w->first > 0)
        memmove(w->few, w->few + w->first, w->called * sizeof *w->few);
    w->first = 0;
}

/* The slot of one who has had nothing to do. */
static inline size_t workers_call(struct workers *w)
{
    if (w->called == w->slot_room) {
        w->slot_room = w->slot_room > 0 ? 2 * w->slot_room : CREW_LARGE;
        w->slots = must_grow_wide(w->slots, w->called, w->slot_room, sizeof *w->slots);
    }
    return w->called++;
}

#define NEAR_LEAST 8 /* so many are known ahead */

/* The slots of the next ones may have to come from memory. */
static inline void workers_look_ahead(struct workers *w)
{
    size_t known = wheel_near(&w->many);
    wheel_turn(&w->many);
    for (size_t i = w->many.first + known; i < w->many.end; i++)
        __builtin_prefetch(&w->slots[w->many.near[i].payload]);
}

/* When the first is over; all who have been called are busy. */
static inline ns_t workers_first_ns(struct workers *w)
{
    if (w->few != NULL)
        return w->few[w->first].at;
    if (wheel_near(&w->many) < NEAR_LEAST)
        workers_look_ahead(w);
    return wheel_first(&w->many)->at;
}

/* It is over: its slot. */
static inline size_t workers_take(struct workers *w)
{
    return (size_t)(w->few != NULL ? w->few[w->first++] : wheel_pop(&w->many)).payload;
}

/* A service begins at a slot that no other one has. */
static inline void workers_add(struct workers *w, ns_t ends_ns, size_t slot)
{
    struct turn one = {ends_ns, slot};
    if (w->few == NULL) {
        wheel_push(&w->many, one);
        return;
    }
    struct turn *few = w->few + w->first;
    size_t place = w->called - 1;
    for (; place > 0 && few[place - 1].at > ends_ns; place--)
        few[place] = few[place - 1];
    few[place] = one;
}

#endif
