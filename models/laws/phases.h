/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_LAWS_PHASES_H
#define DUETIME_LAWS_PHASES_H

/* The number in system of a queue with Poisson arrivals and one exponential worker that is
   suspended periodically, at every phase of the period: up on [0, up), suspended on [up, up +
   down).

   The number is a birth-death process while up and a pure birth process while suspended.  Both are
   followed by uniformisation, a sum of positive terms; the periodic law is what the map of a period
   leaves as it is, found from an empty server by following periods until nothing changes.  Over the
   phase it is kept in panels of GAUSS_NODES points, each so long that the polynomial through
   them is exact to 1e-13. */

#include <stdbool.h>
#include <stddef.h>

#include "models/laws/gauss.h"

/* Times in any one unit, rates per that unit. */
struct phases_queue {
    double arrivals, services; /* rates; services while up */
    double up, down;
};

struct phases_panel {
    double at, length;
    double *reach; /* owned: P(N >= m) at node j is reach[j * states + m] */
};

struct phases {
    struct phases_queue queue;
    size_t states; /* N < states, but for less than 1e-18 */
    struct phases_panel *panels;
    size_t count, capacity;
    double mean;     /* of N over the period */
    double error;    /* estimated, of any share */
    double settling; /* periods after which an empty server is within 1e-12 */
};

/* False, and nothing owned, where that would take too long or too much memory. */
bool phases_find(struct phases_queue queue, struct phases *out);
void phases_free(struct phases *p);

#endif
