/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_FAST_ENDS_H
#define DUETIME_FAST_ENDS_H

/* What ends first: the few that do stand in order, and the others, where there are any, in a heap.
   So a few workers cost no heap, and any number of them no more than one. */

#include "sim/heap.h"

#define ENDS_FEW 16

struct ends {
    struct node first[ENDS_FEW + 2]; /* the first of all last, and before all one without an end */
    size_t count;                    /* of them; 0: there is none at all */
    struct heap others;              /* none before any of the first; owned */
};

static inline void ends_open(struct ends *ends)
{
    *ends = (struct ends){.first = {{UINT64_MAX, UINT64_MAX, 0}}};
}

/* UINT64_MAX: there is none. */
static inline ns_t ends_next_ns(const struct ends *ends)
{
    return ends->first[ends->count].high;
}

static inline void ends_push(struct ends *ends, struct node one)
{
    if (ends->others.count > 0 && node_before(&ends->first[1], &one)) {
        heap_push(&ends->others, one);
        return;
    }
    size_t k = ++ends->count;
    for (; node_before(&ends->first[k - 1], &one); k--)
        ends->first[k] = ends->first[k - 1];
    ends->first[k] = one;
    if (ends->count <= ENDS_FEW)
        return;
    heap_push(&ends->others, ends->first[1]);
    for (k = 1; k <= ENDS_FEW; k++)
        ends->first[k] = ends->first[k + 1];
    ends->count--;
}

/* Fetches some of the others when there are no first. */
static inline void ends_refill(struct ends *ends)
{
    ends->count = ends->others.count < ENDS_FEW / 2 ? ends->others.count : ENDS_FEW / 2;
    for (size_t k = ends->count; k > 0; k--)
        ends->first[k] = heap_pop(&ends->others);
}

/* Takes the first out; there must be one. */
static inline struct node ends_pop(struct ends *ends)
{
    struct node top = ends->first[ends->count--];
    if (ends->count == 0 && ends->others.count > 0)
        ends_refill(ends);
    return top;
}

#endif
