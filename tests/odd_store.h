/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_TESTS_ODD_STORE_H
#define DUETIME_TESTS_ODD_STORE_H

/* A store that counts as another does, and numbers its cells as that does, but for what is asked of
   it. */

#include "models/stores/store.h"

/* What it makes of the cells that it is told of first. */
enum odd_told {
    ODD_AS_TOLD,
    ODD_LOSES,  /* one value of the first of them */
    ODD_TWICE,  /* counts that twice */
    ODD_HIGHER, /* counts one value of the last of them in the next */
};

struct odd_params {
    struct choice of;
    ns_t above_ns;  /* the numbers of values above it are one too high; UINT64_MAX: of none */
    uint64_t piece; /* of those it is asked about, from 1: there its last value is in another cell;
                       0: none */
    enum odd_told told;
};

struct odd {
    void *of;                /* owned */
    uint64_t *asked;         /* owned: pieces so far */
    uint64_t added, counted; /* values: that it counted itself, and that it was told the cells of */
    struct odd_params params;
};

extern const struct store_type odd_store;

#endif
