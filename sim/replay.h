/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_REPLAY_H
#define DUETIME_REPLAY_H

/* An exact store that keeps no samples.  The first pass counts into cells; what is asked of it that
   a cell does not answer is noted, and a later pass over the same requests counts inside those
   cells, place by place, until a place is one ns wide.  Memory does not grow with the samples. */

#include "models/stores/store.h"

#define REPLAY_PLACES_MOST ((size_t)1 << 16) /* that a cell is split into at once */

/* [low, low + places << shift) in places of 2^shift ns. */
struct replay_range {
    ns_t low_ns;
    unsigned shift;
    size_t places;
};

/* The store's params.  Without ranges it counts into cells; with them, sorted and apart, into their
   places alone.  Both are borrowed while a store is open. */
struct replay_params {
    const struct replay_range *ranges;
    size_t range_count;
};

/* Its select answers with a cell's or place's ends until that is split down to the ns. */
extern const struct store_type store_replayed;

/* Takes what was asked in vain since the last time, sorted: as many as have no more than `most`
   places together, but at least one.  The rest has to be asked again.  An owned array of *count. */
struct replay_range *replay_wanted(void *store, size_t most, size_t *count);

/* Hands over what a store with those ranges counted. */
void replay_refine(void *store, void *ranges);

#endif
