/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_QUEUE_KERNELS_H
#define DUETIME_QUEUE_KERNELS_H

/* Columns of one queue and its workers, in vectors where there are any.  All instants are below
   2^63, so that signed comparisons, of which every processor has some, are right.  Columns that are
   written share nothing with those that are read, unless it says so. */

#include "models/base/time.h"
#include "models/base/vector.h"

/* Works of this many ns or more, 26 days, are served one by one: sums of a batch of shorter ones
   stay below 2^61. */
#define QUEUE_LONG_NS (UINT64_C(1) << 51)

/* Sizes of crews that have a kernel. */
#define CREW_SMALL 4
#define CREW_MIDDLE 8
#define CREW_LARGE 16

/* The smallest of them that holds so many; 0: none. */
static inline size_t crew_kernel_size(size_t workers)
{
    return workers <= CREW_SMALL    ? CREW_SMALL
           : workers <= CREW_MIDDLE ? CREW_MIDDLE
           : workers <= CREW_LARGE  ? CREW_LARGE
                                    : 0;
}

/* Sums over rows, modulo 2^64: of the works, and of done - arrives. */
struct served {
    uint64_t work_ns, time_ns;
};

struct queue_kernels {
    /* Lindley's recursion: done[i] = max(arrives[i], done[i-1]) + work[i], done[-1] = free_ns. */
    struct served (*serve)(const ns_t *arrives_ns, const ns_t *work_ns, ns_t free_ns, ns_t *done_ns,
                           size_t count);
    /* The same where somebody always waits: done[i] = done[i-1] + work[i]. */
    void (*serve_on)(const ns_t *work_ns, ns_t free_ns, ns_t *done_ns, size_t count);
    /* One client: sent[i] = done[i-1] + think[i], done[i] = sent[i] + work[i]. */
    void (*serve_one)(const ns_t *think_ns, const ns_t *work_ns, ns_t done_ns, ns_t *sent_ns,
                      ns_t *out_ns, size_t count);
    /* Several workers: with each request the service that ends first is over, which began from
       over_slot's request, and the request takes over its worker and its slot: it begins at the
       later of its send and that end.  done and slot are those of the services that go on, `size`
       of them, which is one of the CREWs above, in order of their ends; those that end together
       stay in the order in which they began. */
    void (*take_over)(const ns_t *sent_ns, const ns_t *work_ns, int64_t *crew_ns,
                      uint32_t *crew_slot, size_t size, ns_t *over_ns, uint32_t *over_slot,
                      ns_t *begun_ns, ns_t *done_ns, size_t count);
    /* out = in + by, modulo 2^64. */
    void (*moved)(const ns_t *in_ns, ns_t by_ns, ns_t *out_ns, size_t count);
    /* out = a - b. */
    void (*less)(const ns_t *a_ns, const ns_t *b_ns, ns_t *out_ns, size_t count);
    /* out = the later of the two. */
    void (*later)(const ns_t *a_ns, const ns_t *b_ns, ns_t *out_ns, size_t count);
    /* The client gives up: out = the earlier of done and sent + patience, which is below 2^62; gave
       up says who did, done after that.  How many did. */
    uint64_t (*give_up)(const ns_t *sent_ns, const ns_t *done_ns, ns_t patience_ns, ns_t *out_ns,
                        uint8_t *gave_up, size_t count);
    /* The bits that any of them has. */
    uint64_t (*bits)(const ns_t *work_ns, size_t count);
    /* The sum of a - b, modulo 2^64; whether some a is after its b. */
    uint64_t (*between)(const ns_t *a_ns, const ns_t *b_ns, size_t count);
    bool (*any_after)(const ns_t *a_ns, const ns_t *b_ns, size_t count);
};
VECTOR_TABLES(queue_kernels)

#endif
