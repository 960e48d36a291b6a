/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_SHARING_H
#define DUETIME_SHARING_H

/* Samples that a store and a census count alike are counted once.  Both find the cell of each of
   them, each in its own way; as long as these are the same, the census alone counts it, and when
   the replication ends the store is told how many there were in each. */

#include "sim/recorder.h"

/* Before a replication's first sample: whether the recorder and those that follow it share. */
void sharing_begin(struct recorder *leader);

/* Whether the store of one that shares has samples in the cells that the census has; NULL where
   they are one value. */
bool sharing_agrees(const struct recorder *recorder, const struct piece *piece,
                    const struct census_cells *cells);

/* Tells the store what the census has so far; from now on the recorder stores its samples. */
void sharing_end(struct recorder *recorder, struct census *census);
void sharing_end_all(struct recorder *leader);

#endif
